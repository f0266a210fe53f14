"""Distilling: what is read in a reply, what is asked once more, what is dropped and counted."""

import json
from collections.abc import Callable

import pytest

from memtrial.agents.trajectory import Step, Trajectory, Verdict
from memtrial.memory.bank.bank_item import Outcome
from memtrial.memory.bank.distillation.distil import Messages, distil_attempts, distil_drafts, distil_run
from memtrial.memory.bank.distillation.distil_messages import LIKE_TASKS, SAME_TASK, ask_for_signs, show_runs
from memtrial.memory.bank.distillation.distil_reply import read_distillation
from memtrial.memory.item import NativeItem
from memtrial.models.simulated.simulated_condenser import Scribe

ITEM = {"title": "T", "description": "D", "content": "C"}
WRONG = {"title": "T", "description": "D", "what_went_wrong": "W", "what_to_do_instead": "I"}


def run(outcome: Verdict, *acts: str, query: str = "open the gate") -> Trajectory:
    steps = tuple(
        Step("", act, "The gate opens." if act == "pull lever" else "Nothing happens.") for act in acts
    )
    return Trajectory(outcome, outcome, query, outcome, steps, "A brass lever waits.")


def memories(*items: object, **more: object) -> str:
    return json.dumps({"memories": list(items), **more})


@pytest.mark.parametrize(
    ("reply", "outcome", "n_items"),
    [
        (memories(ITEM), "success", 1),
        (f"Here you go:\n```json\n{memories(ITEM)}\n```\nLet me know!", "success", 1),
        (memories(ITEM)[:-1] + ",}", "success", 1),
        (json.dumps([ITEM, ITEM]), "success", 2),
        (json.dumps(ITEM), "success", 1),
        (str({"memories": [ITEM]}), "success", 1),
        ("# Memory Item 1\n## Title T\n## Description D\n## Content C", "success", 1),
        ("- **Title**: T\n- **Description**: D\n- **Content**: C", "success", 1),
        (f'<think>[1] {{"a": 1}}</think>{memories(ITEM)}', "success", 1),
        (f"Notes [draft]: {memories(ITEM)}", "success", 1),
        (memories({"Title": "T", "Description": "D", "Content": ["do a", "do b"]}), "success", 1),
        (memories(WRONG), "failure", 1),
        (memories({**ITEM, "content": "What went wrong: W. What to do instead: I."}), "failure", 1),
        (
            "# Memory Item 1\n## Title T\n## Description D\n## Content\n**What went wrong:** W\n**Instead:** I",  # noqa: E501
            "failure",
            1,
        ),
        (
            json.dumps(
                {"guardrails": [{"title": "T", "failure_modes": ["x"], "recovery_steps": ["a", "b"]}]}
            ),
            "failure",
            1,
        ),
        (memories({"title": "T", "whatWentWrong": "W", "whatToDoInstead": "I"}), "failure", 1),
        (memories({"title": "T", "content": {"what_went_wrong": "W", "whatToDoInstead": "I"}}), "failure", 1),
        (
            "## Title T\n## Description D\n## What went wrong\nW\n## What to do instead\nI",
            "failure",
            1,
        ),
        (
            "## Title T\n## Content\nC\n### What went wrong\nW\n### What to do instead:\nI",
            "failure",
            1,
        ),
        ("**Title:** T\n**Description:** D\n**What went wrong:** W\n**What to do instead:** I", "failure", 1),
        ("- title: T\n  description: D\n  what_went_wrong: W\n  what_to_do_instead: I", "failure", 1),
        (memories(), "success", 0),
    ],
)
def test_items_are_read_in_whatever_form(reply: str, outcome: Outcome, n_items: int) -> None:
    made = read_distillation(reply, outcome)
    assert (len(made.items), made.fault) == (n_items, "")
    assert all(item.outcome == outcome and item.item.content for item in made.items)  # type: ignore[union-attr]
    assert all(bool(item.details.instead) == (outcome == "failure") for item in made.items)


@pytest.mark.parametrize(
    ("reply", "outcome", "fault"),
    [
        ("", "success", "needed"),
        ("I could not find anything.", "success", "needed"),
        (memories(ITEM)[:-12], "success", "needed"),
        (memories({"title": "T", "description": "D"}), "success", "no content"),
        (memories({**ITEM, "title": " "}), "success", "no title"),
        (memories(ITEM), "failure", "what to do instead"),
        (
            memories({"title": "a short name", "description": "D", "content": "the strategy"}),
            "success",
            "form",
        ),
    ],
)
def test_what_is_no_item_is_named(reply: str, outcome: Outcome, fault: str) -> None:
    made = read_distillation(reply, outcome)
    assert not made.items
    assert fault in made.fault


def test_a_guardrail_has_two_fields_and_shows_both() -> None:
    (made,) = read_distillation(memories(WRONG), "failure").items
    assert made.item == NativeItem("T", "D", "W\nInstead: I")
    assert made.details.instead == "I"


def test_the_parts_of_a_guardrail_are_told_apart_from_its_content() -> None:
    reply = "## Title T\n## Content\nC\n### What went wrong\nW\n### What to do instead\nI"
    (item,) = read_distillation(reply, "failure").items
    assert item.item == NativeItem("T", "", "C\nW\nInstead: I")
    assert item.details.instead == "I"


@pytest.mark.parametrize(
    ("content", "instead"),
    [
        ("Failure modes: sent twice. Checks: look it up. Recovery: cancel one.", "look it up.\ncancel one."),
        ("Don't send it twice; look it up instead.", "Look it up"),
        ("Instead of sending it twice, look it up.", "Look it up"),
        ("Look it up instead of sending it twice.", "Look it up"),
        ("It was sent twice. Instead, look it up.", "Look it up"),
        ("The agent sent it twice instead of once.", ""),
        ("It had to look up; the agent sent it twice instead.", ""),
        ("Never send it twice.", ""),
    ],
)
def test_what_to_do_instead_is_read_in_sentences_but_not_in_what_was_done(content: str, instead: str) -> None:
    made = read_distillation(memories({**ITEM, "content": content}), "failure")
    assert [item.details.instead for item in made.items] == ([instead] if instead else [])


def test_a_strategy_with_a_check_stays_a_strategy() -> None:
    (made,) = read_distillation(memories({**ITEM, "content": "Send it. Check: is it there?"}), None).items
    assert (made.outcome, made.details.instead) == ("success", "")


@pytest.mark.parametrize(
    "reply",
    [
        memories(ITEM, ITEM, ITEM)[:-20],
        f"{json.dumps(ITEM)}\n{json.dumps(ITEM)}",
        json.dumps(memories(ITEM, ITEM)),
    ],
    ids=["cut off", "lines", "encoded twice"],
)
def test_objects_of_a_reply_are_read_one_by_one_and_within_a_string(reply: str) -> None:
    made = read_distillation(reply, "success")
    assert [item.item for item in made.items] == [
        read_distillation(memories(ITEM), "success").items[0].item
    ] * 2


def test_of_more_than_three_items_the_first_three_stay_and_that_is_stated() -> None:
    made = read_distillation(memories(*({**ITEM, "title": f"T{n}"} for n in range(5))), "success")
    assert [item.item.title for item in made.items] == ["T0", "T1", "T2"]  # type: ignore[union-attr]
    assert made.dropped == ("one of 5 items; the first 3 are kept",) * 2


def test_a_broken_item_beside_whole_ones_is_dropped_alone() -> None:
    made = read_distillation(memories(ITEM, {"title": "T2"}), "success")
    assert (len(made.items), made.dropped, made.fault) == (1, ("item 2 has no content",), "")


def test_compared_attempts_say_of_each_item_what_it_is() -> None:
    reply = memories(
        {**ITEM, "outcome": "success"}, {**ITEM, "outcome": "failure", "instead": "I"}, notes=["n"]
    )
    made = read_distillation(reply, None)
    assert ([item.outcome for item in made.items], made.notes) == (["success", "failure"], ("n",))


FIRST, SECOND = "## Title T\n## Description D\n## Content C", "## Title U\n## Description D\n## Content C"


@pytest.mark.parametrize(
    ("reply", "attempts"),
    [
        (memories({**ITEM, "attempt": 2}, {**ITEM, "Attempt": "Attempt 1 (Success)"}, ITEM), [2, 1, 0]),
        (memories({**ITEM, "attempts": [3, 1]}, {**ITEM, "from attempt": "#12"}), [3, 12]),
        (memories({**ITEM, "attempt": True}, {**ITEM, "attempt": 1.5}, {**ITEM, "attempt": "both"}), [0] * 3),
        (f"{FIRST}\n## Attempt 2\n\n{SECOND}\n## Attempt\n1", [2, 1]),
        ("- **Title**: T\n- **Content**: C\n- **Attempt**: 2\n\n- **Title**: U\n- **Content**: C", [2, 0]),
        ("- title: T\n  content: C\n  attempt: 2\n- title: U\n  content: C\n  attempt: 1", [2, 1]),
        (f"# Attempt 1\n{FIRST}\n# Attempt 2\n{SECOND}", [0, 0]),
        (f"{FIRST}\nAttempt 2 went well.", [0]),
    ],
)
def test_the_attempt_that_an_item_comes_of_is_read_in_whatever_form(reply: str, attempts: list[int]) -> None:
    made = read_distillation(reply, None)
    assert [item.attempt for item in made.items] == attempts
    assert all(not any(attempts) or item.item.content == "C" for item in made.items)  # type: ignore[union-attr]
    # of a single run there is nothing to be told apart
    assert not any(item.attempt for item in read_distillation(reply, "success").items)


def test_attempts_at_one_task_are_compared_without_a_latest() -> None:
    ask, asked = replies(memories(ITEM), memories(ITEM))
    runs = [run("failure", "push bell"), run("success", "pull lever")]
    for scope in (SAME_TASK, LIKE_TASKS):
        distil_attempts(ask, runs, scope=scope)
    assert ["Attempt 2 is the latest" in messages[0].text for messages in asked] == [False, True]


def replies(*texts: str) -> tuple[Callable[[Messages], str], list[Messages]]:
    asked: list[Messages] = []

    def ask(messages: Messages) -> str:
        asked.append(messages)
        return texts[len(asked) - 1]

    return ask, asked


def test_a_broken_form_is_asked_for_once_more_and_then_dropped() -> None:
    ask, asked = replies("hm", memories(ITEM))
    made = distil_run(ask, run("success", "pull lever"))
    assert (made.calls, len(made.items)) == (2, 1)
    assert [message.role for message in asked[1]] == ["system", "user", "assistant", "user"]
    assert "hm" in asked[1][-1].text
    ask, asked = replies("hm", "hm", memories(ITEM))
    made = distil_run(ask, run("success", "pull lever"))
    assert (made.calls, made.items, len(asked)) == (2, (), 2)
    assert made.fault


def test_each_outcome_has_its_own_prompt_and_the_truth_stands_in_it_only_where_it_is_given() -> None:
    ask, asked = replies(memories(ITEM), memories(WRONG), memories(WRONG))
    distil_run(ask, run("success", "pull lever"))
    distil_run(ask, run("failure", "push bell"))
    distil_run(ask, run("failure", "push bell"), truth="SECRET-42")
    systems = [messages[0].text for messages in asked]
    assert "what_went_wrong" not in systems[0] and "what_went_wrong" in systems[1]  # noqa: PT018
    assert ["SECRET-42" in text for text in systems] == [False, False, True]


def test_compared_runs_are_labelled_and_all_drafts_are_shown() -> None:
    runs = [run("failure", "push bell"), run("success", "pull lever"), run("failure", "kick gate")]
    shown = show_runs(runs, "full")
    assert [line for line in shown.split("\n") if line.startswith("# ")] == [
        "# Attempt 1 (Failure)",
        "# Attempt 2 (Success)",
        "# Attempt 3 (Failure)",
    ]
    ask, asked = replies(memories(WRONG))
    distil_drafts(ask, [runs[0], runs[2], runs[0], runs[1]])
    assert asked[0][1].text.count("# Draft") == 4
    with pytest.raises(ValueError, match="at least two"):
        distil_attempts(ask, runs[:1])


def test_drafts_that_end_alike_teach_nothing_and_ask_nothing() -> None:
    ask, asked = replies()
    for outcome in ("success", "failure"):
        made = distil_drafts(ask, [run(outcome, "push bell"), run(outcome, "pull lever")])  # type: ignore[arg-type]
        assert (made.items, made.calls, asked) == ((), 0, [])


def test_the_simulated_scribe_answers_all_four() -> None:
    def ask(messages: Messages) -> str:
        return Scribe(defects=0).say(messages, "seed", 0)

    win, lose = run("success", "push bell", "pull lever"), run("failure", "push bell", "kick gate")
    assert "do `pull lever`" in distil_run(ask, win).items[0].item.content  # type: ignore[union-attr]
    assert {item.outcome for item in distil_run(ask, lose).items} == {"failure"}
    contrast = distil_attempts(ask, (lose, win)).items
    assert {item.outcome for item in contrast} == {"success", "failure"}
    # the bell was pushed in both runs, and is told of the one that succeeded
    assert [(item.outcome, item.attempt) for item in contrast] == [
        ("success", 2),
        ("failure", 2),
        ("failure", 1),
    ]
    assert "pull lever" in distil_drafts(ask, (lose, win)).items[0].details.instead

    def ask_signs(messages: Messages) -> str:
        return ask(ask_for_signs(messages))

    for asked in (ask, ask_signs):
        made = (distil_run(asked, win), distil_run(asked, lose), distil_attempts(asked, (lose, win)))
        signs = {sign for each in made for item in each.items for sign in item.details.preconditions}
        states = {'state: "A brass lever waits"', 'state: "Nothing happens"'}
        assert signs == (states if asked is ask_signs else set())
