"""The meters of a bank, read from its log."""

from dataclasses import replace
from pathlib import Path

from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.bank.confidence.logged_meters import read_meters
from memtrial.memory.bank.events.bank_events import (
    ConfidenceSet,
    EpisodeAdded,
    ItemAdded,
    MeasureTaken,
    RecordAdded,
    SignalSeen,
    VerdictGiven,
)
from memtrial.memory.bank.events.kept_episode import EpisodeSource, make_episode
from memtrial.memory.bank.search.bank_search import SHOWN_TOKENS
from tests.support.event_bank import BEGAN, CAUSE, make_trajectory, open_log
from tests.support.ranked import DAY, bank_item

PROJECT = "org/team/shop"


def of_project(id: str, confidence: float, trajectory: str = "", project: str = PROJECT) -> BankItem:
    item = bank_item(id, confidence=confidence)
    return replace(item, origin=replace(item.origin, project=project, trajectory_id=trajectory))


def test_a_log_answers_five_of_the_six_meters(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    episodes = [make_episode(make_trajectory(n), EpisodeSource(PROJECT)) for n in range(4)]
    foreign = make_episode(make_trajectory(9), EpisodeSource("org/team/other"))
    for episode in (*episodes, foreign):
        log.append([EpisodeAdded(episode)], CAUSE)
        log.append([VerdictGiven(episode.id, "success", "rules")], CAUSE)
    log.append([VerdictGiven(episodes[3].id, "failure", "rules")], CAUSE)  # the last verdict counts
    log.append(
        [
            ItemAdded(of_project("a", 0.9, episodes[0].id)),
            ItemAdded(of_project("b", 0.7)),
            ItemAdded(of_project("z", 0.9, project="org/team/other")),
            RecordAdded("r1", "t", "q", ("b",), episodes[1].id),
            RecordAdded("r2", "t", "q", (), episodes[2].id),
        ],
        CAUSE,
    )
    rated = [SignalSeen(id, "explicit", outcome="success") for id in ("a", "b", "z")]
    log.append([SignalSeen("a", "shown"), SignalSeen("z", "shown"), *rated], CAUSE)
    log.append([ConfidenceSet("b", 0.85), SignalSeen("b", "explicit", outcome="failure")], CAUSE)
    log.append([SignalSeen("b", "explicit")], CAUSE)  # somebody looked, and said nothing
    measures = [(SHOWN_TOKENS, 120.0, ("a",)), (SHOWN_TOKENS, 80.0, ("a", "b")), (SHOWN_TOKENS, 9.0, ("z",))]
    log.append(
        [*(MeasureTaken(*given) for given in measures), MeasureTaken("retrieve_ms", 3.0, ("a",))], CAUSE
    )

    relevance, length, yielded, weights, calibration = read_meters(log, PROJECT, BEGAN + DAY)
    assert (relevance.figure.figure, relevance.figure.n) == (1.0, 1)
    assert (length.figure.figure, length.figure.n) == (100.0, 2)
    assert (yielded.figure.figure, yielded.figure.n) == (2 / 3, 3)
    assert (weights.figure, weights.verdict) == (None, "insufficient n")
    # a was rated at .9 and b at .85; at .7 b did not count
    assert (calibration.figure.figure, calibration.figure.n) == (0.5, 2)


def test_an_empty_log_says_that_there_are_not_enough_data(tmp_path: Path) -> None:
    readings = read_meters(open_log(tmp_path), PROJECT, BEGAN)
    assert [reading.criterion for reading in readings] == ["SC-001", "SC-002", "SC-003", "SC-005", "SC-006"]
    assert {reading.verdict for reading in readings} == {"insufficient n"}
