"""The ways in which models write items: what a person reads in them is read, and the rest is not."""

import json
from dataclasses import asdict, astuple, replace

import pytest

from memtrial.memory.item import NativeItem, TheoryItem
from memtrial.memory.markdown import parse_all, read_reply, render

ONE = TheoryItem(
    'In the results list, do "click Next" before you answer, because the top hit is an ad.',
    'task: "order" | state: results',
    "Ads are paid for.",
    "Shops. Does NOT apply when there is one page.",
    "heuristic",
)
OTHER = replace(ONE, claim="In a cart, avoid a second payment, because it is charged.")
A = NativeItem(
    "Sort first",
    "For long lists.",
    'Sort the list, then read the top entry: it is the answer.\n- never guess\n- note: check "Next"',
)
B = NativeItem("Ask before paying", "When a total changes.", "Read the total, because it may change.")
BOTH = (asdict(ONE), asdict(OTHER))
LISTED = json.dumps(BOTH)
PRETTY = json.dumps(BOTH, indent=2)


def fields(item: TheoryItem, line: str, joint: str = "\n") -> str:
    return joint.join(line.format(name.capitalize(), value) for name, value in asdict(item).items())


THEORY = {
    "json alone": LISTED,
    "json in a fence": f"```json\n{PRETTY}\n```",
    "json between sentences": f"Sure, two [short] items:\n\n{LISTED}\n\nThese items cover the run.",
    "under a key": json.dumps({"memories": BOTH}),
    "capitals": json.dumps([{name.upper(): text for name, text in one.items()} for one in BOTH]),
    "odd keys": json.dumps([{f" {name} ": text for name, text in one.items()} | {"id": 3} for one in BOTH]),
    "wrapped one by one": json.dumps([{"item": one} for one in BOTH]),
    "objects in a row": "\n".join(map(json.dumps, BOTH)),
    "a fence each": "\n".join(f"{n}.\n```json\n{json.dumps(one)}\n```" for n, one in enumerate(BOTH, 1)),
    "trailing commas": PRETTY.replace('"heuristic"', '"heuristic",').replace("}\n]", "},\n]"),
    "comments": PRETTY.replace('"scope"', '// where it holds\n    "scope"'),
    "curly quotes": PRETTY.replace('\\"', "'")
    .replace(': "', ": “")
    .replace('",\n', "”,\n")
    .replace('c"\n', "c”\n"),
    "python": repr(list(BOTH)),
    "quotes within": LISTED.replace('\\"', '"'),
    "line ends within": LISTED.replace("Ads are paid for.", "Ads are\npaid for."),
    "tags": "".join(f"<item>{fields(one, '<{0}>{1}</{0}>', '')}</item>" for one in (ONE, OTHER)),
    "headings": "\n".join(fields(one, "## {}\n{}\n") for one in (ONE, OTHER)),
    "bold labels": "\n\n".join(fields(one, "**{}:** {}") for one in (ONE, OTHER)),
    "bold labels, colon outside": "\n\n".join(fields(one, "**{}**: {}") for one in (ONE, OTHER)),
    "labels": "\n\n".join(fields(one, "{}: {}") for one in (ONE, OTHER)),
    "numbered items": "\n\n".join(
        f"Item {n}\n" + fields(one, "- {}: {}") for n, one in enumerate((ONE, OTHER), 1)
    ),
    "wide colons": "\n\n".join(fields(one, "{}：{}") for one in (ONE, OTHER)),
    "yaml": "memory_items:\n"
    + "".join(
        "  - " + "\n    ".join(f"{name}: {json.dumps(text)}" for name, text in one.items()) + "\n"
        for one in BOTH
    ),
    "a table": "| Claim | Trigger | Mechanism | Scope | Form |\n|---|---|---|---|---|\n"
    + "\n".join("| " + " | ".join(text.replace("|", "\\|") for text in one.values()) + " |" for one in BOTH),
    "thoughts first": f"<think>Claim: perhaps\nTrigger: no {{1}}</think>\n{LISTED}",
    "a marker each": "\n".join(fields(one, "[[ ## {} ## ]]\n{}") for one in (ONE, OTHER)),
}


def native(line: str, joint: str = "\n\n") -> str:
    told = ({"n": n, "t": i.title, "d": i.description, "c": i.content} for n, i in enumerate((A, B), 1))
    return joint.join(line.format(**one) for one in told)


PLAIN = "Title: {t}\nDescription: {d}\nContent: {c}"
NATIVE = {
    "labels": native(PLAIN),
    "capitals": native("TITLE: {t}\nDESCRIPTION: {d}\nCONTENT: {c}"),
    "bold": native("**Title**: {t}\n**Description**: {d}\n**Content**: {c}"),
    "numbered": native("{n}. Title: {t}\n   Description: {d}\n   Content: {c}"),
    "numbered, bold": native("{n}. **Title:** {t}\n   **Description:** {d}\n   **Content:** {c}"),
    "dashes": native("- Title: {t}\n- Description: {d}\n- Content: {c}"),
    "a number each": native("Title {n}: {t}\nDescription {n}: {d}\nContent {n}: {c}"),
    "em dashes": native("Title — {t}\nDescription — {d}\nContent — {c}"),
    "wide colons": native("Title：{t}\nDescription：{d}\nContent：{c}"),
    "wide colons in bold": native("**Title：** {t}\n**Description：**{d}\n**Content**：{c}"),
    "wide colons in headings": native("## Title：{t}\n## Description：{d}\n## Content：{c}"),
    "on the next line": native("Title\n{t}\n\nDescription\n{d}\n\nContent\n{c}"),
    "underlined": native("Title\n-----\n{t}\n\nDescription\n---\n{d}\n\nContent\n---\n{c}"),
    "title in the heading": native("### {n}. {t}\nDescription: {d}\nContent: {c}"),
    "title in bold": native("{n}. **{t}**\n   - Description: {d}\n   - Content: {c}"),
    "item numbers": native("Memory Item #{n}\n" + PLAIN),
    "heading and labels": native("# Memory Item {n}\n## Title {t}\nDescription: {d}\nContent: {c}"),
    "rules": native(PLAIN + "\n\n---"),
    "windows": native(PLAIN).replace("\n", "\r\n"),
    "a fence": "```\n" + native(PLAIN) + "\n```",
    "quoted": native("> **Title:** {t}\n> **Description:** {d}\n> **Content:** {c}").replace(
        "\n- ", "\n> - "
    ),
    "json": json.dumps([asdict(A), asdict(B)]),
    "json in a fence": "```json\n" + json.dumps({"items": [asdict(A), asdict(B)]}, indent=2) + "\n```",
    "yaml": native("- title: {t}\n  description: '{d}'\n  content: |\n    {c}").replace("\n- n", "\n    - n"),
    "a table": "| # | Title | Description | Content |\n|---|:--|---|---|\n"
    + "\n".join(f"| | {' | '.join(astuple(one))} |".replace("\n", "<br>") for one in (A, B)),
    "a table each": native("### Memory Item {n}\n\n| Field | Value |\n|--|--|\n| **Title** | {t} |\n{d}\n{c}")
    .replace("\nFor", "\n| Description | For")
    .replace("\nWhen", "\n| Description | When")
    .replace("s.\n", "s. |\n| Content | ")
    .replace("\n- n", "<br>- n")
    .replace('"Next"', '"Next" |')
    + " |",
    "tags": native("<title>{t}</title>\n<description>{d}</description>\n<content>\n{c}\n</content>"),
}


@pytest.mark.parametrize("reply", THEORY.values(), ids=THEORY)
def test_theory_items_are_read_in_every_wrapping(reply: str) -> None:
    wanted = [astuple(one) for one in (ONE, OTHER)]
    if "“" in reply or "Ads are\npaid" in reply:
        wanted = [tuple(text.replace('"', "'") if "“" in reply else text for text in one) for one in wanted]
        wanted = [(*one[:2], " ".join(one[2].split()), *one[3:]) for one in wanted]
    got = [tuple(" ".join(text.split()) for text in astuple(one)) for one in parse_all(reply)]
    assert got == wanted


@pytest.mark.parametrize("reply", NATIVE.values(), ids=NATIVE)
def test_native_items_are_read_in_every_wrapping(reply: str) -> None:
    assert parse_all(reply) == (A, B)


@pytest.mark.parametrize(
    ("trigger", "read"),
    [
        (['task: "order"', "state: results"], 'task: "order" | state: results'),
        ({"task": '"order"', "state": "results"}, 'task: "order" | state: results'),
        (
            [{"type": "task", "text": '"order"'}, {"type": "not state", "text": "x"}],
            'task: "order" | not state: x',
        ),
    ],
)
def test_a_trigger_in_parts_is_joined(trigger: object, read: str) -> None:
    (item,) = parse_all(json.dumps(asdict(ONE) | {"trigger": trigger, "mechanism": ["Ads are", "paid for."]}))
    assert item == replace(ONE, trigger=read)


@pytest.mark.parametrize(
    "reply",
    [
        "The agent should click Next: it pays.",
        "I cannot help with that.",
        '{"content": "a chat"}',
        "## Notes\nContent is king.\n- a\n- b",
        "Content: one label makes no item",
        json.dumps({"trigger": "task: x", "scope": "here"}),
        json.dumps(asdict(ONE)).replace('"scope"', '"claim"'),
        json.dumps(asdict(ONE) | {"trigger": {"colour": "red"}}),
        json.dumps(asdict(ONE), indent=1).replace("before you", '"before", "you"').replace('\\"', ""),
    ],
)
def test_what_would_be_a_guess_is_not_read(reply: str) -> None:
    assert parse_all(reply) == ()


@pytest.mark.parametrize("kept", [20, 60, 150, 250])
@pytest.mark.parametrize("wrapping", ["json alone", "tags", "under a key", "python"])
def test_an_item_that_is_cut_off_is_not_kept(kept: int, wrapping: str) -> None:
    reply = THEORY[wrapping]
    second = reply.index("In a cart")
    reading = read_reply(reply[: second + min(kept, 100)])
    assert (reading.items, reading.cut) == ((ONE,), True)
    assert read_reply(reply[: reply.index("In the") + min(kept, 60)]).items == ()


def test_under_labels_a_sentence_without_end_and_fields_that_lack_tell_the_cut() -> None:
    whole = fields(ONE, "{}: {}")
    cut = read_reply(f"{whole}\n\nClaim: In a cart, avoid paying.\nTrigger: task: x\nMechanism: because the")
    assert (cut.items, cut.cut) == ((ONE,), True)
    assert not read_reply(whole).cut


def test_an_empty_list_says_that_there_is_none() -> None:
    for reply in ("[]", '{"memory_items": []}', "```json\n[]\n```"):
        assert (read_reply(reply).items, read_reply(reply).none) == ((), True)
    assert not read_reply("").none
    assert not read_reply('{"a": [1]}').none


FAREWELL = "Let me know if you would like more of these!"


@pytest.mark.parametrize("name", [name for name in NATIVE if name not in ("on the next line", "underlined")])
def test_what_is_said_around_the_items_is_kept_apart(name: str) -> None:
    reading = read_reply(f"Here is what the run taught:\n\n{NATIVE[name]}\n\n{FAREWELL}")
    assert reading.items == (A, B)
    assert reading.before.startswith("Here is what the run taught:")
    assert reading.after == FAREWELL


def test_a_farewell_within_a_field_comes_back_from_markdown() -> None:
    item = replace(A, content=f"Say this:\n\n{FAREWELL}")
    assert parse_all(render(item)) == (item,)


@pytest.mark.parametrize(
    "line", ["If you see a banner, close it.", "The items in the cart are sorted.", "Done is done."]
)
def test_advice_in_a_last_paragraph_is_no_farewell(line: str) -> None:
    (item,) = parse_all(render(B) + f"\n\n{line}")
    assert item == replace(B, content=f"{B.content}\n\n{line}")


def test_an_example_within_an_item_is_its_text() -> None:
    content = 'Answer as {"title": "x", "content": "y"} and stop.'
    assert parse_all(f"Title: a\nDescription: b\nContent: {content}") == (NativeItem("a", "b", content),)
