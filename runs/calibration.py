"""The whole path on known truth: text-level participants through a real run, from prompts to verdicts."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from loadbearing.analysis.calibration.bands import Check
from loadbearing.ledger.store import Ledger
from loadbearing.reports.results.results import results as results_of
from loadbearing.runs.errors import RunFault
from loadbearing.runs.play.pipeline import Session, begin, carry_out
from loadbearing.runs.progress.display import Display
from loadbearing.runs.setup.preflight import check_spec
from loadbearing.runs.spec.spec import Spec

STARTLE_CONTROL = "irrelevant_swap+corrupt_mask"
NOT_FOUND = frozenset({"inconclusive", "untestable"})
NOT_INERT = frozenset({"load-bearing", "reversed"}) | NOT_FOUND
NO_GAIN = frozenset({"none", "inconclusive"})


@dataclass(frozen=True, slots=True)
class Promise:
    """What a participant's rows in the results have to say.

    Args:
        backbone: the participant.
        what: in words.
        estimand: of the rows that are looked at, all arms together.
        condition: of these rows.
        words: the verdicts that keep the promise; empty: the estimate has to be shown above zero, whatever
            the verdict.
    """

    backbone: str
    what: str
    estimand: Literal["utility", "drop"]
    condition: str
    words: frozenset[str]

    def check(self, run: str, rows: list[Mapping[str, Any]], alpha: float) -> Check:
        """Share of a run's rows that keep the promise; all of them have to, and there has to be one."""
        mine = [
            row
            for row in rows
            if (row["backbone"], row["estimand"], row["condition"])
            == (self.backbone, self.estimand, self.condition)
        ]
        kept = [row for row in mine if self._kept(row, alpha)]
        share = len(kept) / len(mine) if mine else 0.0
        who = self.backbone.removeprefix("simulated/")
        return Check(f"whole path, {run}: {who}, {self.condition}: {self.what}", share, 1.0, 1.0)

    def _kept(self, row: Mapping[str, Any], alpha: float) -> bool:
        if self.words:
            return row["verdict"] in self.words
        return row["p"] is not None and bool(row["p"] <= alpha and row["estimate"] > 0)


def _promise(
    name: str, what: str, estimand: Literal["utility", "drop"], condition: str, *words: str
) -> Promise:
    return Promise(f"simulated/{name}", what, estimand, condition, frozenset(words))


@dataclass(frozen=True, slots=True)
class PathRun:
    """One run and what its results have to say.

    Args:
        name: of the run.
        arms: beside `none`.
        conditions: kinds of damage.
        promises: on its participants.
    """

    name: str
    arms: tuple[str, ...]
    conditions: tuple[str, ...]
    promises: tuple[Promise, ...]

    @property
    def backbones(self) -> tuple[str, ...]:
        """The participants that something is promised of."""
        return tuple(dict.fromkeys(promise.backbone for promise in self.promises))

    def spec(self, seed: int, test: int, repeats: int) -> Spec:
        """The run as a spec.

        Args:
            seed: of the run.
            test: test tasks.
            repeats: trials of a cell.
        """
        return Spec.model_validate(
            {
                "name": f"calibration-{self.name}",
                "question": "Do participants of known disposition earn the verdicts they must earn?",
                "seed": seed,
                "environment": {"world": "workshop", "train": 96, "test": test},
                "backbone": self.backbones,
                "roles": {"condenser": "simulated/scribe", "gate": "simulated/examiner"},
                "traces": {"source": "play", "player": "simulated/ignorer", "attempts": 4},
                "arms": ["none", *self.arms],
                "conditions": self.conditions,
                "repeats": repeats,
                "draws": "one",
                # some fifty words are looked at: at .05 many a seed would hold a false one
                "analysis": {"alpha": 0.01},
            }
        )


TRUE_LESSON = PathRun(
    "true-lesson",
    ("oracle",),
    ("corrupt_invert", "irrelevant_swap", "corrupt_mask", STARTLE_CONTROL),
    (
        _promise("reader", "helps", "utility", "without", "helps"),
        _promise("reader", "load-bearing", "drop", "corrupt_invert", "load-bearing"),
        _promise("reader", "load-bearing", "drop", "irrelevant_swap", "load-bearing"),
        _promise("reader", "load-bearing beside its control", "drop", "corrupt_mask", "load-bearing"),
        *(
            promise
            for name in ("ignorer", "talker", "knows-already")
            for promise in (
                _promise(name, "no utility", "utility", "without", *NO_GAIN),
                _promise(name, "nothing to carry", "drop", "corrupt_invert", *NOT_FOUND),
                _promise(name, "nothing to carry", "drop", "irrelevant_swap", *NOT_FOUND),
            )
        ),
        _promise("rejecter", "harms", "utility", "without", "harms"),
        _promise("rejecter", "reversed", "drop", "corrupt_invert", "reversed"),
        # a memory block alone is worth something to it, so that nothing is lost with the content
        _promise("skimmer", "helps", "utility", "without", "helps"),
        _promise("skimmer", "inert at the most", "drop", "corrupt_invert", "inert", "inconclusive"),
        _promise("skimmer", "inert at the most", "drop", "irrelevant_swap", "inert", "inconclusive"),
        _promise("gullible", "helps", "utility", "without", "helps"),
        _promise("gullible", "load-bearing", "drop", "corrupt_invert", "load-bearing"),
        _promise("gullible", "load-bearing", "drop", "irrelevant_swap", "load-bearing"),
        _promise("startled", "no utility", "utility", "without", *NO_GAIN),
        _promise("startled", "a bare drop that is shown", "drop", "corrupt_mask"),
        _promise("startled", "not load-bearing beside its control", "drop", "corrupt_mask", *NOT_FOUND),
        _promise("mixed-sign", "not inert", "drop", "corrupt_invert", *NOT_INERT),
        _promise("mixed-sign", "not inert", "drop", "irrelevant_swap", *NOT_INERT),
    ),
)
"""The world's true lesson, so that every disposition shows; damage to meaning, and the startle control."""

CONDENSED = PathRun(
    "condensed",
    ("artifact", "oracle"),
    ("corrupt_invert",),
    (
        _promise("reader", "load-bearing", "drop", "corrupt_invert", "load-bearing"),
        _promise("first-item-only", "helps", "utility", "without", "helps"),
        _promise("first-item-only", "load-bearing", "drop", "corrupt_invert", "load-bearing"),
    ),
)
"""Slots of several condensed items, of which one may be read and the others not."""

PATH = (TRUE_LESSON, CONDENSED)
TASKS, REPEATS = 96, 4


def whole_path(display: Display, seed: int) -> tuple[Check, ...]:
    """Play both runs in folders of their own, analyse them as every run, and look the verdicts up.

    Args:
        display: shows progress.
        seed: of the runs.

    Raises:
        RunFault: a run did not come to its end.
    """
    checks: list[Check] = []
    for run in PATH:
        spec = run.spec(seed, TASKS, REPEATS)
        checks.extend(promises_kept(run, results_of_run(spec, display), spec.analysis.alpha))
    return tuple(checks)


def promises_kept(run: PathRun, results: Mapping[str, Any], alpha: float) -> tuple[Check, ...]:
    """The promises of a run, held against its results."""
    return tuple(promise.check(run.name, results["estimates"], alpha) for promise in run.promises)


def results_of_run(spec: Spec, display: Display) -> dict[str, Any]:
    """Carry a spec out in a folder that is gone afterwards; its results.

    Raises:
        RunFault: the run did not come to its end.
    """
    experiment = check_spec(spec, {})
    with TemporaryDirectory(prefix="calibration-") as name:
        folder = Path(name)
        ledger = Ledger(folder / "ledger.sqlite")
        try:
            begin(experiment, ledger, folder)
            ending = asyncio.run(carry_out(experiment, ledger, display, Session()))
            if ending.how != "done":
                raise RunFault(
                    f"the calibration run has to be played to its end; it was {ending.how}: {ending.why}"
                )
            return results_of(ledger)
        finally:
            ledger.close()
