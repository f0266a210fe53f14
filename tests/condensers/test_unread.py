"""Replies that cannot be read: asked for once more with the reason, then counted and listed."""

import asyncio
import json
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from memtrial.condensers.baselines import Native
from memtrial.condensers.draft_replies import one_of, read_native, read_theory
from memtrial.models.client.types import Message, Reply, Request
from memtrial.models.scripted.protocol import ScriptedAnswer
from memtrial.models.scripted.scripted_server import Script, serve_script
from tests.condensers.test_native import PROMPTS
from tests.memory.test_layouts import NATIVE, ONE, OTHER, THEORY
from tests.support.refusing import Warm, refused
from tests.support.scripted_judge import GOOD, SOLVED, Asked, Scripted, caller, drafts
from tests.support.scripted_loop import condense

TABLE = "task,mode\na,lost\n"


def reply(text: str, stop: str = "end") -> Reply:
    return Reply(text, 1, 1, "m", stop=stop)  # type: ignore[arg-type]


def test_the_second_request_gives_the_reason_and_its_reply_counts() -> None:
    def rule(asked: Asked) -> str:
        return drafts(GOOD) if len(asked.messages) > 2 else TABLE

    backend = Scripted(rule)
    made = condense(backend, ())
    assert (made.items, made.faults, made.fate) == ((GOOD,), (), "read")
    first, second = backend.seen
    assert second.messages[:2] == first.messages
    assert second.messages[2] == Message("assistant", TABLE)
    assert "it holds no item with claim, trigger, mechanism, scope, form" in second.messages[3].text


def test_of_two_replies_that_are_cut_off_the_longer_counts_and_the_rest_is_said() -> None:
    cut = drafts(GOOD)[:-40]
    whole = THEORY["json alone"]
    backend = Scripted(
        lambda asked: cut if len(asked.messages) > 2 else whole[: whole.index("In a cart") + 20]
    )
    made = condense(backend, ())
    assert (made.items, made.fate) == ((ONE,), "in part")
    assert made.unread == ("part of the draft could not be read: it breaks off inside an item",)


@pytest.mark.parametrize("name", THEORY)
def test_a_marked_theory_reply_is_read_in_every_wrapping(name: str) -> None:
    made = read_theory(reply(f"[[ ## memory_items ## ]]\n{THEORY[name]}\n\n[[ ## completed ## ]]\n"))
    assert (len(made.items), made.unread) == (2, "")


def test_a_form_that_is_missing_stays_so() -> None:
    bare = json.loads(THEORY["json alone"])
    for form in ({"form": None}, {"form": ""}, {}):
        told = [{name: text for name, text in one.items() if name != "form"} | form for one in bare]
        assert read_theory(reply(json.dumps(told))).items == (replace(ONE, form=""), replace(OTHER, form=""))
    assert read_theory(reply(json.dumps(json.dumps(bare)))).items == (ONE, OTHER)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "blank"),
        ("I cannot help.", "no item with claim"),
        (NATIVE["json"], "other fields"),
        (THEORY["json alone"].replace('"claim": "In a', '"thought": "In a'), "1 of its items"),
        (THEORY["json alone"][:-200], "breaks off"),
        ("## Claim <do or avoid>\n## Trigger <cues>\n## Mechanism <why>\n## Scope <where>", "1 of its items"),
    ],
)
def test_the_reason_says_what_is_wrong(text: str, why: str) -> None:
    assert why in read_theory(reply(text)).unread


def test_at_the_most_tokens_the_last_item_under_labels_is_not_trusted() -> None:
    text = NATIVE["labels"]
    assert len(read_native(reply(text, "length")).items) == 1
    assert "most tokens" in read_native(reply(text, "length")).unread
    assert len(read_native(reply(NATIVE["json"], "length")).items) == 2


@dataclass
class Cut(Scripted):
    """Every reply ends at the most tokens it may have."""

    async def answer(self, request: Request, repeat: int) -> Reply:
        return replace(await super().answer(request, repeat), stop="length")


TEMPLATE = "# Memory Item i\n## Title <the title>\n## Description <one sentence>\n## Content <1-3 sentences>"


@pytest.mark.parametrize(
    ("backend", "fate", "why"),
    [
        (Cut(lambda _: NATIVE["bold"]), "in part", "breaks off at the most tokens"),
        (Scripted(lambda _: TEMPLATE), "unread", "no item could be read"),
        (Scripted(lambda _: NATIVE["bold"]), "read", ""),
    ],
)
def test_a_native_reply_that_is_cut_off_or_repeats_the_template_is_counted_and_shown(backend, fate, why):
    made = asyncio.run(Native(caller(backend), PROMPTS)(SOLVED))
    assert made.fate == fate
    assert made.reply == backend.rule(None)
    assert why in "".join(made.unread)
    assert bool(made.unread) == bool(why)


def test_none_is_an_answer_and_one_is_asked_for_in_a_revision() -> None:
    for text in ("[]", "None.", "No memory items.", '[[ ## memory_items ## ]]\n{"memory_items": []}'):
        assert (read_theory(reply(text)).items, read_theory(reply(text)).unread) == ((), "")
    several = one_of(read_native)(reply(NATIVE["json"]))
    assert (several.items, several.unread) == ((), "it holds 2 items where one was asked for")


@dataclass
class Prose:
    """Answers each trace with prose, but for those whose query has a reply here."""

    replies: dict[str, str]
    asked: list[Request] = field(default_factory=list)

    async def say(self, request: Request, repeat: int) -> ScriptedAnswer:
        self.asked.append(request)
        text = request.messages[1].text
        return ScriptedAnswer(
            next((reply for name, reply in self.replies.items() if name in text), "It went well.")
        )


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    rows = [
        {"trace_id": name, "task_id": name, "query": f"Find {name}", "outcome": "success"}
        | {"steps": [{"thought": "t", "action": "look", "observation": "o"}]}
        for name in ("amber", "basalt", "copper")
    ]
    path = tmp_path / "traces.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


@pytest.mark.parametrize(("condenser", "n_asked"), [("theory", 5), ("native", 3)])
def test_condense_counts_and_lists_what_is_unread(
    warm: Warm, tmp_path: Path, traces: Path, condenser: str, n_asked: int
) -> None:
    item = drafts(GOOD) if condenser == "theory" else NATIVE["bold"]
    answers = Prose({"amber": item})
    with serve_script(Script(answers)) as server:
        words = ("condense", str(traces), "--condenser", condenser, "--gates", "none", "--out", "made.jsonl")
        words += ("--model", "vllm/small", "--base-url", f"vllm={server.url}/v1")
        lost = warm.call(*words, cwd=tmp_path)
        rows = [json.loads(line) for line in (tmp_path / "made.jsonl").read_text().splitlines()]
        few = warm.call(*words, "--max-lost", "0.7", cwd=tmp_path)
    assert (lost.code, few.code) == (1, 0)
    assert "3 traces condensed, 2 unread" in lost.err
    assert [name for name in ("amber", "basalt", "copper") if f"unread: {name}: " in lost.err] == [
        "basalt",
        "copper",
    ]
    assert "67% of the traces are lost, more than --max-lost 0.1" in lost.err
    assert len(answers.asked) == 2 * n_asked
    assert [(row["fate"], len(row["unread"])) for row in rows] == [("read", 0), ("unread", 1), ("unread", 1)]
    assert not any("simulated" in one for row in rows for one in row["items"])


def test_a_model_is_named_and_one_that_is_none_is_said(warm: Warm, tmp_path: Path, traces: Path) -> None:
    said = refused(warm, tmp_path, "condense", str(traces))
    assert "--model provider/name" in said
    assert "--model simulated/scribe" in said
    done = warm.call("condense", str(traces), "--model", "simulated/scribe", cwd=tmp_path)
    assert done.code == 0
    assert done.err.startswith("simulated: for trying out")
    items = [item for line in done.out.splitlines() for item in json.loads(line)["items"]]
    assert items
    assert all(item["simulated"] is True for item in items)
