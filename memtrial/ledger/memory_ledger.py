"""The ledger in memory: for tests, and for whoever wants to look at a run without a file."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from memtrial.ledger.blocks.block_outcomes import BlockOutcomes, group_trials
from memtrial.ledger.fact_names import CODED, group_codes, name_code, name_lost
from memtrial.ledger.memory_accounts import MemoryAccounts
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.ledger.row_text import LedgerFault, now, parse_json, read_mapping, text_of
from memtrial.ledger.rows import (
    CheckRow,
    CondensationRow,
    DecisionRow,
    EpisodeRow,
    Json,
    SessionRow,
    TraceRow,
    TrialRow,
)
from memtrial.ledger.sqlite.audit import Damage
from memtrial.ledger.trial_cells import TrialScore, score_of

Row = TypeVar("Row")


class MemoryLedger:
    """Append-only rows that are gone with the process; nothing can change them behind its back.

    Values are kept as JSON text where a file would keep them so: what comes back is what a file gives back.
    """

    def __init__(self, path: Path = Path("nowhere")) -> None:
        self.path, self.damage, self.calls = path, Damage(), MemoryCallStore()
        self._facts: dict[str, str] = {}
        self._traces: dict[tuple[str, str], str] = {}
        self._condensations: dict[tuple[object, ...], CondensationRow] = {}
        self._slots: dict[str, str] = {}
        self._checks: dict[tuple[object, ...], CheckRow] = {}
        self._decisions: dict[tuple[object, ...], DecisionRow] = {}
        self._attempts: dict[str, list[TrialRow]] = defaultdict(list)
        self._episodes: dict[tuple[str, int], EpisodeRow] = {}
        self._recollections: dict[tuple[str, str, str], str] = {}
        self._sessions: list[SessionRow] = []
        self.accounts = MemoryAccounts(self, self.calls)

    def close(self) -> None:
        """Nothing is held open."""

    def look_again(self) -> None:
        """Nobody else can write here."""

    def wait_for_disk(self) -> None:
        """There is no disk."""

    # facts

    def state(self, name: str, body: Any) -> None:
        text = text_of(body)
        if parse_json(self._facts.setdefault(name, text)) != json.loads(text):
            raise LedgerFault(f"{name!r} is stated once; this ledger holds it otherwise")

    def fact(self, name: str) -> Any:
        return parse_json(self._facts[name]) if name in self._facts else None

    def fact_text(self, name: str) -> str | None:
        return self._facts.get(name)

    def facts_with(self, prefix: str) -> dict[str, str]:
        return {
            name.removeprefix(prefix): body for name, body in self._facts.items() if name.startswith(prefix)
        }

    def add_codes(self, coder: str, codes: Mapping[str, Json]) -> None:
        for case, body in codes.items():
            self._facts.setdefault(name_code(coder, case), text_of(body))

    def codes(self) -> dict[str, dict[str, Json]]:
        return group_codes(self.facts_with(CODED).items())

    def lose_trace(self, backbone: str, task: str, why: str) -> None:
        self.state(name_lost(backbone, task), why)

    def lost_traces(self, backbone: str) -> dict[str, str]:
        return {task: parse_json(why) for task, why in self.facts_with(name_lost(backbone)).items()}

    # preparation

    def add_traces(self, rows: Iterable[TraceRow]) -> None:
        new = {(row.backbone, row.task): text_of(row.body) for row in rows}
        _refuse_again(new.keys() & self._traces.keys())
        self._traces |= new

    def traces(self, backbone: str) -> dict[str, Json]:
        return {task: parse_json(body) for (name, task), body in self._traces.items() if name == backbone}

    def shared_traces(self) -> Iterator[tuple[list[str], dict[str, Any]]]:
        groups: dict[tuple[str, str], list[str]] = {}
        for (backbone, task), body in self._traces.items():
            groups.setdefault((task, body), []).append(backbone)
        yield from ((backbones, parse_json(body)) for (_, body), backbones in groups.items())

    def add_condensations(self, rows: Iterable[CondensationRow]) -> None:
        new: dict[tuple[object, ...], CondensationRow] = {
            (row.backbone, row.condenser, row.draw, row.task): row for row in rows
        }
        _refuse_again(new.keys() & self._condensations.keys())
        self._condensations |= new

    def condensations(self) -> Iterator[CondensationRow]:
        yield from self._condensations.values()

    def add_slots(self, texts: dict[str, str]) -> None:
        self._slots = texts | self._slots

    def slots(self) -> Iterator[tuple[str, str]]:
        yield from sorted(self._slots.items())

    def slot(self, digest: str) -> str | None:
        return self._slots.get(digest)

    def add_checks(self, rows: Iterable[CheckRow]) -> None:
        for row in rows:
            self._checks.setdefault(_place(row), row)

    def checks(self) -> Iterator[CheckRow]:
        yield from self._checks.values()

    def add_decisions(self, rows: Iterable[DecisionRow]) -> None:
        for row in rows:
            self._decisions.setdefault((*_place(row), row.nth), row)

    def decisions(self) -> Iterator[DecisionRow]:
        yield from (row for _, row in sorted(self._decisions.items(), key=lambda entry: entry[0]))

    # play

    def add_trials(self, rows: Iterable[TrialRow], episodes: Iterable[EpisodeRow] = ()) -> None:
        new, spoken = list(rows), [(episode.key, episode) for episode in episodes]
        if any(row.key in self.finished_keys() for row in new):
            raise LedgerFault(f"a trial is added until it ends; one of {len(new)} has ended")
        for row in new:
            self._attempts[row.key].append(row)
        for key, episode in spoken:
            self._episodes[key, len(self._attempts[key])] = episode

    def trials(self) -> Iterator[TrialRow]:
        yield from (rows[-1] for rows in self._attempts.values() if rows)

    def scores(self) -> Iterator[TrialScore]:
        return map(score_of, self.trials())

    def block_outcomes(self) -> tuple[BlockOutcomes, ...]:
        return group_trials(self.trials())

    def trial(self, key: str) -> TrialRow | None:
        rows = self._attempts.get(key)
        return rows[-1] if rows else None

    def attempts(self, key: str) -> tuple[tuple[int, str, str], ...]:
        return tuple((number, row.status, row.cause) for number, row in enumerate(self._attempts[key], 1))

    def all_attempts(self) -> Iterator[TrialRow]:
        """Every attempt of every trial."""
        yield from (row for rows in self._attempts.values() for row in rows)

    def episode(self, key: str) -> EpisodeRow | None:
        return self._episodes.get((key, len(self._attempts[key])))

    def steps(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        for row in self.trials():
            if (episode := self.episode(row.key)) is not None:
                yield row.key, list(episode.steps)

    def finished_keys(self) -> frozenset[str]:
        return frozenset(key for key, rows in self._attempts.items() if rows and rows[-1].status != "error")

    def failed_keys(self) -> frozenset[str]:
        return frozenset(key for key, rows in self._attempts.items() if rows and rows[-1].status == "error")

    def tasks_played(self) -> frozenset[str]:
        return frozenset(row.task for row in self.all_attempts())

    def add_recollection(self, backbone: str, arm: str, task: str, body: Any) -> None:
        _refuse_again({(backbone, arm, task)} & self._recollections.keys())
        self._recollections[backbone, arm, task] = text_of(body)

    def recollections(self, backbone: str, arm: str) -> dict[str, Any]:
        return {
            task: parse_json(body)
            for (of_backbone, of_arm, task), body in self._recollections.items()
            if (of_backbone, of_arm) == (backbone, arm)
        }

    # sessions

    def begin_session(self, settings: Any) -> int:
        self._sessions.append(SessionRow(len(self._sessions) + 1, now(), read_mapping(text_of(settings))))
        return len(self._sessions)

    def end_session(self, number: int, how: str, why: str = "") -> None:
        session = self._sessions[number - 1]
        _refuse_again({number} if session.ended else set())
        self._sessions[number - 1] = SessionRow(number, session.begun, session.settings, now(), how, why)

    def sessions(self) -> tuple[SessionRow, ...]:
        return tuple(self._sessions)


def _place(row: CheckRow | DecisionRow) -> tuple[Any, ...]:
    return row.backbone, row.arm, row.condition, row.task, row.repeat


def _refuse_again(there: Iterable[object]) -> None:
    if any(True for _ in there):
        raise LedgerFault("a row is written once; this one is there")
