"""The rolling audit: which verdicts are checked, both in the log, and what the checks came to."""

from dataclasses import replace
from pathlib import Path

from memtrial.memory.bank.confidence.verdict_audit import (
    VerdictAudit,
    audit_verdicts,
    audit_words,
    is_checked,
)
from memtrial.memory.bank.distillation.distilled_items import DistilledItem
from memtrial.memory.bank.events.bank_events import VerdictGiven
from memtrial.memory.bank.events.episode_queries import list_episodes
from memtrial.memory.bank.events.kept_episode import make_episode
from memtrial.memory.bank.labelled_run import LabelledRun
from memtrial.memory.item import NativeItem
from tests.support.evolving import bank_in
from tests.support.scripted_judge import SOLVED

ITEM = DistilledItem(NativeItem("Look first", "D", "Look."), "success")


def test_one_verdict_in_twenty_is_checked_and_the_same_ones_each_time() -> None:
    names = [f"episode-{number}" for number in range(4_000)]
    drawn = [name for name in names if is_checked(name)]
    assert 150 <= len(drawn) <= 250
    assert drawn == [name for name in names if is_checked(name)]
    assert all(is_checked(name, 1.0) and not is_checked(name, 0.0) for name in names[:50])


def test_both_verdicts_are_in_the_log_and_the_judges_counts(tmp_path: Path) -> None:
    bank = bank_in(tmp_path)
    runs = []
    for number in range(400):
        run = replace(SOLVED, trace_id=f"run-{number}")
        if is_checked(make_episode(run).id):
            runs.append(run)
    unchecked = next(run for run in (replace(SOLVED, trace_id=f"no-{n}") for n in range(99))
                     if not is_checked(make_episode(run).id))  # fmt: skip
    said = (("success", "success"), ("success", "failure"), ("failure", "success"), ("success", "failure"))
    for run, (label, own) in zip(runs, said, strict=False):
        bank.keep((ITEM,), (LabelledRun(replace(run, outcome=label), "a/judge", 0.8, world=own),), "t")  # type: ignore[arg-type]
    bank.keep((ITEM,), (LabelledRun(unchecked, "a/judge", world="failure"),), "t")
    bank.keep((ITEM,), (LabelledRun(runs[5], world="success"),), "the world judged alone")
    assert audit_verdicts(bank.log) == VerdictAudit(5, 1, 2, 1, 0)
    first = make_episode(replace(runs[1], outcome="success")).id
    verdicts = [event.event for event in bank.log.history(first) if isinstance(event.event, VerdictGiven)]
    assert [(verdict.judge, verdict.label) for verdict in verdicts] == [
        ("world", "failure"),
        ("a/judge", "success"),
    ]
    labels = {held.episode.id: (held.label, held.judge) for held in list_episodes(bank.log)}
    assert labels[first] == ("success", "a/judge")
    assert audit_words(audit_verdicts(bank.log)) == (
        "The world's own word was held against 4 of 5 verdicts: 1 agree (1 successes, 0 failures);"
        " 2 failures were called a success, 1 successes a failure."
    )
    bank.log.close()
