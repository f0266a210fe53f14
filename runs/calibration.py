"""The whole path on known truth: text-level participants through a real run, from prompts to verdicts."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from loadbearing.analysis.calibration.bands import Check
from loadbearing.analysis.result import Estimate
from loadbearing.ledger.store import Ledger
from loadbearing.reports.model.results import Results
from loadbearing.reports.results.results import results as results_of
from loadbearing.runs.errors import RunFault
from loadbearing.runs.play.schedule import Session
from loadbearing.runs.play.session import begin, carry_out
from loadbearing.runs.progress.display import Display
from loadbearing.runs.setup.preflight import check_spec
from loadbearing.runs.spec.spec import Spec

STARTLE_CONTROL = "irrelevant_swap+corrupt_mask"
NO_GAIN = ("none", "inconclusive")
NOT_FOUND = ("inconclusive", "untestable")
NOT_INERT = ("load-bearing", "reversed", *NOT_FOUND)


@dataclass(frozen=True, slots=True)
class Promise:
    """What a participant's rows in the results have to say.

    Args:
        who: the participant.
        condition: of the rows that are looked at, all arms together: drops, or the utility for `without`.
        what: in words.
        words: the verdicts that keep the promise; none: the estimate has to be shown above zero, whatever
            the verdict.
    """

    who: str
    condition: str
    what: str
    words: tuple[str, ...]

    @property
    def backbone(self) -> str:
        """The participant as a spec names it."""
        return f"simulated/{self.who}"

    def check(self, run: str, rows: Iterable[Estimate], alpha: float) -> Check:
        """Share of a run's rows that keep the promise; all of them have to, and there has to be one."""
        wanted = (self.backbone, "utility" if self.condition == "without" else "drop", self.condition)
        mine = [row for row in rows if (row.backbone, row.estimand, row.condition) == wanted]
        share = sum(self._kept(row, alpha) for row in mine) / len(mine) if mine else 0.0
        return Check(f"whole path, {run}: {self.who}, {self.condition}: {self.what}", share, 1.0, 1.0)

    def _kept(self, row: Estimate, alpha: float) -> bool:
        if self.words:
            return row.verdict in self.words
        return row.effect_alone(alpha) > 0


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
        Promise("reader", "without", "helps", ("helps",)),
        Promise("reader", "corrupt_invert", "load-bearing", ("load-bearing",)),
        Promise("reader", "irrelevant_swap", "load-bearing", ("load-bearing",)),
        Promise("reader", "corrupt_mask", "load-bearing beside its control", ("load-bearing",)),
        *(
            Promise(who, condition, what, words)
            for who in ("ignorer", "talker", "knows-already")
            for condition, what, words in (
                ("without", "no utility", NO_GAIN),
                ("corrupt_invert", "nothing to carry", NOT_FOUND),
                ("irrelevant_swap", "nothing to carry", NOT_FOUND),
            )
        ),
        Promise("rejecter", "without", "harms", ("harms",)),
        Promise("rejecter", "corrupt_invert", "reversed", ("reversed",)),
        # a memory block alone is worth something to it, so that nothing is lost with the content
        Promise("skimmer", "without", "helps", ("helps",)),
        Promise("skimmer", "corrupt_invert", "inert at the most", ("inert", "inconclusive")),
        Promise("skimmer", "irrelevant_swap", "inert at the most", ("inert", "inconclusive")),
        Promise("gullible", "without", "helps", ("helps",)),
        Promise("gullible", "corrupt_invert", "load-bearing", ("load-bearing",)),
        Promise("gullible", "irrelevant_swap", "load-bearing", ("load-bearing",)),
        Promise("startled", "without", "no utility", NO_GAIN),
        Promise("startled", "corrupt_mask", "a bare drop that is shown", ()),
        Promise("startled", "corrupt_mask", "not load-bearing beside its control", NOT_FOUND),
        Promise("mixed-sign", "corrupt_invert", "not inert", NOT_INERT),
        Promise("mixed-sign", "irrelevant_swap", "not inert", NOT_INERT),
    ),
)
"""The world's true lesson, so that every disposition shows; damage to meaning, and the startle control."""

CONDENSED = PathRun(
    "condensed",
    ("artifact", "oracle"),
    ("corrupt_invert",),
    (
        Promise("reader", "corrupt_invert", "load-bearing", ("load-bearing",)),
        Promise("first-item-only", "without", "helps", ("helps",)),
        Promise("first-item-only", "corrupt_invert", "load-bearing", ("load-bearing",)),
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
        checks.extend(promises_kept(run, results_of_run(spec, display).estimates, spec.analysis.alpha))
    return tuple(checks)


def promises_kept(run: PathRun, rows: Collection[Estimate], alpha: float) -> tuple[Check, ...]:
    """The promises of a run, held against its estimates."""
    return tuple(promise.check(run.name, rows, alpha) for promise in run.promises)


def results_of_run(spec: Spec, display: Display) -> Results:
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
