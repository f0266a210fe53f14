"""What runs teach a bank, by what it is to learn from; and what it does not take in."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.agents.trajectory import Step, Trajectory, Verdict
from memtrial.memory.bank.bank_settings import BankSettings, LearnMode
from memtrial.memory.bank.confidence.initial_confidence import initialise_confidence
from memtrial.memory.bank.distillation.distil import Messages
from memtrial.memory.bank.earlier_runs import find_opposite
from memtrial.memory.bank.events.bank_events import Cause, StandingSet, VerdictGiven
from memtrial.memory.bank.events.episode_queries import list_labelled
from memtrial.memory.bank.labelled_run import LabelledRun
from memtrial.memory.bank.reasoning_bank import ReasoningBank
from memtrial.memory.bank.repeated_items import DROPPED
from memtrial.memory.bank.taught_runs import Taught, teach_attempts, teach_drafts, teach_run
from memtrial.memory.stored_item import MemoryFault
from memtrial.models.embeddings.embedding import Array
from tests.support.evolving import GUARDRAIL, ITEM, bank_in

KILN, PRESS = "Get the kiln of the east hall to run.", "Clean the cider press and oil it."
CONTRAST = (
    '{"memories": [{"title": "Turn it", "description": "D", "content": "Turn it.", "outcome": "success"},'
    ' {"title": "Push it", "description": "D", "content": "It was pushed.", "outcome": "failure",'
    ' "what_to_do_instead": "Turn it."}]}'
)


def run(name: str, outcome: Verdict = "success", query: str = KILN) -> LabelledRun:
    steps = (Step("I try.", f"turn {name}", "It hums."),)
    return LabelledRun(Trajectory(name, f"task-{name}", query, outcome, steps, "A kiln."))


def writer(asked: list[str], *replies: str) -> Callable[[Messages], str]:
    left = list(replies)

    def ask(messages: Messages) -> str:
        asked.append("\n".join(message.text for message in messages))
        return left.pop(0)

    return ask


def teach(bank: ReasoningBank, asked: list[str], run: LabelledRun, *replies: str) -> Taught:
    return teach_run(bank, writer(asked, *replies), run)


@pytest.mark.parametrize(
    ("learn", "outcome", "calls", "made"),
    [
        ("both", "success", 1, 1),
        ("both", "failure", 1, 1),
        ("success-only", "success", 1, 1),
        ("success-only", "failure", 0, 0),
        ("contrastive", "success", 1, 1),
        ("contrastive", "failure", 0, 0),
        ("raw", "failure", 0, 1),
    ],
)
def test_what_a_bank_learns_from(
    tmp_path: Path, learn: LearnMode, outcome: Verdict, calls: int, made: int
) -> None:
    bank, asked = bank_in(tmp_path, BankSettings(learn=learn)), list[str]()
    taught = teach(bank, asked, run("a", outcome), ITEM if outcome == "success" else GUARDRAIL)
    assert (len(asked), len(taught.item_ids), taught.distillation.calls) == (calls, made, calls)
    assert [item.origin.outcome for item in bank.items()] == [outcome] * made


def test_the_same_trajectory_twice_adds_nothing_and_names_what_is_there(tmp_path: Path) -> None:
    bank, asked = bank_in(tmp_path), list[str]()
    first = teach(bank, asked, run("a"), ITEM)
    place = bank.log.last()
    again = teach(bank, asked, run("a"))
    assert (again.item_ids, again.updated) == ((), first.item_ids)
    assert (len(first.item_ids), first.updated) == (1, ())
    assert bank.log.last() == place
    assert len(asked) == 1


def test_a_try_of_a_task_that_was_tried_several_times_is_known_by_all_of_them(tmp_path: Path) -> None:
    bank = bank_in(tmp_path)
    tries = [run("a"), run("b", "failure")]
    first = teach_attempts(bank, writer([], CONTRAST), tries)
    teach(bank, [], run("c"), ITEM)
    assert len(first.item_ids) == 2
    for runs in (tries, tries[1:]):
        again = teach_attempts(bank, writer([]), runs)
        assert (again.item_ids, again.updated) == ((), first.item_ids)
    drafts = [run("d", "failure"), run("e")]
    corrected = teach_drafts(bank, writer([], GUARDRAIL), drafts)
    assert len(corrected.item_ids) == 1
    assert teach_drafts(bank, writer([]), drafts).updated == corrected.item_ids


def test_another_embedder_is_refused_and_nothing_is_changed(tmp_path: Path) -> None:
    bank = bank_in(tmp_path)
    teach(bank, [], run("a"), ITEM)
    place = bank.log.last()
    other = bank_in(tmp_path, dimensions=32)
    with pytest.raises(MemoryFault, match=r"the bank's embedder is .*64 numbers"):
        teach(other, [], run("b"), ITEM)
    assert bank.log.last() == place


def test_a_failure_is_held_against_the_success_of_a_task_like_it(tmp_path: Path) -> None:
    bank, asked = bank_in(tmp_path, BankSettings(learn="contrastive")), list[str]()
    teach(bank, asked, run("a"), ITEM)
    teach(bank, asked, run("b", query=PRESS), ITEM)
    taught = teach(bank, asked, run("c", "failure"), CONTRAST)
    assert taught.compared == 1
    assert "tasks that are alike" in asked[-1]
    assert [f"turn {name}" in asked[-1] for name in "abc"] == [True, False, True]
    # each item stands under the task that it comes from
    made = [item for item in bank.items() if item.id in taught.item_ids]
    assert [(item.origin.outcome, item.origin.task_id) for item in made] == [
        ("success", "task-a"),
        ("failure", "task-c"),
    ]


def contrast(*items: tuple[str, Verdict, object]) -> str:
    """The reply of a writer: what each item says, what it is, and of which attempt it comes."""
    memories = [
        {"title": words, "description": "D", "outcome": outcome, "content": words, "attempt": attempt}
        | ({} if outcome == "success" else {"what_to_do_instead": "Look."})
        for words, outcome, attempt in items
    ]
    return json.dumps({"memories": memories})


def test_an_item_of_a_contrast_is_kept_under_the_attempt_that_it_tells_of(tmp_path: Path) -> None:
    bank, asked = bank_in(tmp_path, BankSettings(learn="contrastive")), list[str]()
    for name, family in (("a", "kilns"), ("b", "ovens")):
        earlier = run(name, query=f"{KILN} {name}")
        judged = replace(earlier, trajectory=replace(earlier.trajectory, family=family), sure=1.0)
        teach(bank, asked, judged, ITEM)
    reply = contrast(
        ("Push it.", "failure", 1),
        ("Heat it.", "success", 3),
        ("Oil it.", "success", 0),
        ("Go.", "success", 9),
    )
    latest = replace(run("c", "failure"), run_id="r")
    settled = replace(bank.settings, most_items=4)
    taught = teach(ReasoningBank(bank.log, bank.embed, bank.space, settled), asked, latest, reply)
    assert "Attempt 3 is the latest" in asked[-1]
    assert [f"# Attempt {number} (" in asked[-1] for number in (1, 2, 3, 4)] == [True, True, True, False]
    order = sorted("ab", key=lambda name: asked[-1].index(f"turn {name}"))
    made = {item.item.title: item for item in bank.items() if item.id in taught.item_ids}  # type: ignore[union-attr]
    origins = {title: item.origin for title, item in made.items()}
    # where none is named, or one that is not there: the nearest run that ended as the item says
    assert {title: origin.task_id for title, origin in origins.items()} == {
        "Push it.": f"task-{order[0]}",
        "Heat it.": "task-c",
        "Oil it.": f"task-{order[1]}",
        "Go.": f"task-{order[1]}",
    }
    pushed = origins["Push it."]
    assert (pushed.trajectory_id, pushed.query, pushed.outcome) == (order[0], f"{KILN} {order[0]}", "failure")
    assert pushed.domain == {"a": "kilns", "b": "ovens"}[order[0]]
    assert {origin.run_id for origin in origins.values()} == {"r"}
    # as sure as the judge of that run was
    assert made["Push it."].confidence > initialise_confidence("failure", None, "linear")


def test_what_an_earlier_run_taught_is_not_kept_again_and_that_is_stated(tmp_path: Path) -> None:
    bank, asked = bank_in(tmp_path, BankSettings(learn="contrastive")), list[str]()
    teach(bank, asked, run("a"), contrast(("Turn it.", "success", 1)))
    first = contrast(("turn IT", "success", 1), ("Push it.", "failure", 1), ("Turn it", "success", 2))
    taught = teach(bank, asked, run("b", "failure"), first)
    assert taught.distillation.dropped == (DROPPED,)
    assert [(item.item.content, item.origin.task_id) for item in bank.items()] == [  # type: ignore[union-attr]
        ("Turn it.", "task-a"),
        ("Push it.\nInstead: Look.", "task-a"),
        ("Turn it", "task-b"),
    ]
    # what was put aside does not come back by another run that is compared with the same one
    bank.log.append([StandingSet(item.id, "archived") for item in bank.items()], Cause("test", "put aside"))
    again = teach(
        bank, asked, run("c", "failure"), contrast(("Push it.", "failure", 1), ("Turn it.", "success", 0))
    )
    assert (again.item_ids, again.distillation.dropped, again.compared) == ((), (DROPPED,) * 2, 1)


def test_a_failure_waits_until_a_task_like_it_succeeds(tmp_path: Path) -> None:
    bank, asked = bank_in(tmp_path, BankSettings(learn="contrastive")), list[str]()
    assert teach(bank, asked, run("a", "failure")).item_ids == ()
    assert not asked
    taught = teach(bank, asked, run("b"), contrast(("Push it.", "failure", 1), ("Turn it.", "success", 2)))
    assert (len(asked), taught.compared) == (1, 1)
    assert [item.origin.task_id for item in bank.items()] == ["task-a", "task-b"]


def test_tasks_that_are_alike_share_more_than_all_tasks_do(tmp_path: Path) -> None:
    bank = bank_in(tmp_path, BankSettings(learn="success-only"), dimensions=384)

    def order(machine: str, bay: int, product: str) -> str:
        return f"Get the {machine} in bay {bay} of the east hall running for {product} by the late shift."

    machines = ("ribbon loom", "cider press", "bell foundry", "paper mill", "rope walk", "ink still")
    for bay, machine in enumerate(machines):
        teach(bank, [], run(machine, query=order(machine, bay, f"{machine[:4]}s")), ITEM)
    failed = run("kiln", "failure", order("glaze kiln", 9, "jugs")).trajectory
    assert find_opposite(bank, failed) == ()
    teach(bank, [], run("earlier", query=order("glaze kiln", 8, "jugs")), ITEM)
    assert [held.trajectory.trace_id for held in find_opposite(bank, failed)] == ["earlier"]


def test_an_earlier_run_is_compared_by_its_last_verdict(tmp_path: Path) -> None:
    bank = bank_in(tmp_path, BankSettings(learn="success-only"))
    teach(bank, [], run("a"), ITEM)
    (held,) = list_labelled(bank.log, "")
    bank.log.append([VerdictGiven(held.episode_id, "failure", "somebody", 0.9, "")], Cause("test", "again"))
    assert find_opposite(bank, run("b", "failure").trajectory) == ()
    (earlier,) = find_opposite(bank, run("b").trajectory)
    assert (earlier.trajectory.outcome, earlier.judge, earlier.sure) == ("failure", "somebody", 0.9)


def test_only_the_nearest_runs_are_looked_at_for_an_opposite(tmp_path: Path) -> None:
    bank = bank_in(tmp_path, BankSettings(learn="raw"))
    teach(bank, [], run("far", query=f"{KILN} And then some more words."))
    for name in "abcd":
        teach(bank, [], run(name, "failure"))
    assert find_opposite(bank, run("e", "failure").trajectory) == ()
    assert len(find_opposite(bank, run("e").trajectory)) == 4


def test_an_earlier_tasks_text_is_embedded_once(tmp_path: Path) -> None:
    asked: list[str] = []
    plain = bank_in(tmp_path, BankSettings(learn="raw"))

    def embed(texts: Sequence[str]) -> Array:
        asked.extend(texts)
        return plain.embed(texts)

    bank = ReasoningBank(plain.log, embed, plain.space, plain.settings)
    for name in "abc":
        teach(bank, [], run(name, "failure"))
        teach(bank, [], run(f"{name} again", "failure", PRESS))
    asked.clear()
    assert len(find_opposite(bank, run("d").trajectory)) == 3
    assert len(find_opposite(bank, run("e", query=f"{PRESS} Now.").trajectory)) == 3
    assert sorted(asked) == sorted([KILN, PRESS, f"{PRESS} Now."])


def test_a_citation_alone_bears_on_confidence(tmp_path: Path) -> None:
    bank = bank_in(tmp_path)
    teach(bank, [], run("a"), ITEM)
    (before,) = bank.items()
    ranking = bank.rank(KILN)
    assert [hit.id for hit in ranking.hits] == [before.id]
    bank.use(ranking, "task-b", (), success=True)
    (shown,) = bank.items()
    assert (shown.confidence, shown.uses.shown) == (before.confidence, 1)
    bank.use(ranking, "task-c", (before.id,), success=False)
    (lost,) = bank.items()
    assert lost.confidence < before.confidence
    assert lost.uses.losses == 1


def test_what_is_kept_is_redacted(tmp_path: Path) -> None:
    bank = bank_in(tmp_path)
    secret = replace(run("a").trajectory, steps=(Step("", "log in as ann@example.org", "ok"),))
    teach(bank, [], LabelledRun(secret), ITEM.replace("DOORS", "ann@example.org"))
    bank.log.close()
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"ann@example.org" not in held
