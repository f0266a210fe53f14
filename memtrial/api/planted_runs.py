"""The whole path on known truth: text-level participants through a real run, also behind an endpoint here."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from memtrial.analysis.calibration.error_bands import PromiseCheck
from memtrial.analysis.result import Estimate
from memtrial.console.display import Display
from memtrial.faults import RunFault
from memtrial.ledger.open_ledger import open_ledger
from memtrial.models.client.types import Request, split_model
from memtrial.models.scripted.protocol import Refused, ScriptedAnswer
from memtrial.models.scripted.scripted_server import Script, serve_script
from memtrial.models.simulated.open_simulated import open_simulated
from memtrial.protocols import Backend
from memtrial.runs.engine.schedule import Session
from memtrial.runs.engine.session import begin, carry_out
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.spec import Spec
from memtrial.views.results.run_results import results as results_of
from memtrial.views.rows.results import Results

HELPS, CARRIES, AT_MOST_INERT = ("helps",), ("load-bearing",), ("inert", "inconclusive")
NO_GAIN, NOT_FOUND = ("none", "inconclusive"), ("inconclusive", "untestable")
NOT_CONTENT = ("inert", "insensitive", *NOT_FOUND)
AT_MOST_UNDECIDED = ("load-bearing", "inconclusive")
NOT_INERT = ("load-bearing", "reversed", *NOT_FOUND)
SHOWN = ()
"""In the place of verdicts: the estimate has to be shown above zero, whatever the verdict."""


@dataclass(frozen=True, slots=True)
class Promise:
    """What a participant's rows in the results have to say.

    Args:
        condition: of the rows that are looked at, all arms together: drops, or the utility for `without`.
        words: the verdicts that keep the promise, or SHOWN.
        estimand: `drop`, or `contrast` for the drops of two arms.
        arm: the only one that is looked at; empty: all.
    """

    who: str
    condition: str
    words: tuple[str, ...]
    estimand: Literal["drop", "contrast"] = "drop"
    arm: str = ""

    def backbone(self, provider: str) -> str:
        """The participant as a spec names it; no other provider's models have settings."""
        own = provider == "simulated"
        return f"{provider}/{self.who if own else self.who.replace('?by=', '-by-')}"

    def check(self, run: PathRun, rows: Iterable[Estimate], alpha: float) -> PromiseCheck:
        """Share of a run's rows that keep the promise; all of them have to, and there has to be one."""
        estimand = "utility" if self.condition == "without" else self.estimand
        wanted = (self.backbone(run.provider), estimand, self.condition)
        mine = [row for row in rows if (row.backbone, row.estimand, row.condition) == wanted]
        mine = [row for row in mine if self.arm in ("", row.arm)]
        kept = [row.verdict in self.words if self.words else row.effect_alone(alpha) > 0 for row in mine]
        words = " or ".join(self.words) or "shown above zero"
        share = sum(kept) / len(kept) if kept else 0.0
        about = f"{self.who}, {self.condition}{', two arms' if estimand == 'contrast' else ''}"
        return PromiseCheck(f"whole path, {run.name}: {about}: {words}", share, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class PathRun:
    """One run and what its results have to say; participants that are not `simulated` are served."""

    name: str
    arms: tuple[str, ...]
    conditions: tuple[str, ...]
    promises: tuple[Promise, ...]
    provider: str = "simulated"
    pairs: tuple[tuple[str, str], ...] | None = None

    @property
    def backbones(self) -> tuple[str, ...]:
        """The participants that something is promised of."""
        return tuple(dict.fromkeys(promise.backbone(self.provider) for promise in self.promises))

    def spec(self, seed: int, test: int, repeats: int) -> Spec:
        """The run as a spec, with so many test tasks."""
        return Spec.model_validate(
            {
                "name": f"calibration-{self.name}",
                "question": "Do participants of known disposition earn the verdicts they must earn?",
                "seed": seed,
                "environment": {"world": "workshop", "train": 96, "test": test},
                "backbone": self.backbones,
                "roles": {
                    "condenser": "simulated/scribe",
                    "gate": "simulated/examiner",
                    "perturber": "rules",
                },
                "traces": {"source": "play", "player": "simulated/ignorer", "attempts": 4},
                "arms": ["none", *self.arms],
                "conditions": self.conditions,
                "repeats": repeats,
                "draws": "one",
                # some fifty words are looked at: at .05 many a seed would hold a false one
                "analysis": {"alpha": 0.01, "pairs": self.pairs},
            }
        )


CONFUSED = "startled?by=contradiction"

TRUE_LESSON = PathRun(
    "true-lesson",
    ("oracle",),
    ("corrupt_invert", "irrelevant_swap", "counter", "corrupt_mask"),
    (
        Promise("reader", "without", HELPS),
        Promise("reader", "counter", CARRIES),
        Promise("reader", "irrelevant_swap", CARRIES),
        # odd, and a lesson of advice alone leaves no word for a placebo as odd; but `counter` is followed
        Promise("reader", "corrupt_invert", CARRIES),
        Promise("reader", "corrupt_mask", AT_MOST_UNDECIDED),
        Promise("late-reader", "counter", CARRIES),
        Promise("late-reader", "corrupt_invert", CARRIES),
        # it does what is named, whatever is said of it
        Promise("mentioner", "corrupt_invert", NOT_CONTENT),
        *(
            Promise(who, condition, NO_GAIN if condition == "without" else NOT_FOUND)
            for who in ("ignorer", "talker", "knows-already")
            for condition in ("without", "counter", "irrelevant_swap")
        ),
        Promise("rejecter", "without", ("harms",)),
        Promise("rejecter", "corrupt_invert", ("reversed",)),
        # a memory block alone is worth something to it, so that nothing is lost with the content
        Promise("skimmer", "without", HELPS),
        Promise("skimmer", "corrupt_invert", AT_MOST_INERT),
        Promise("skimmer", "irrelevant_swap", AT_MOST_INERT),
        Promise("gullible", "without", HELPS),
        Promise("gullible", "counter", CARRIES),
        # it does what other lessons say, which fits at times
        Promise("gullible", "irrelevant_swap", AT_MOST_UNDECIDED),
        # a bare drop, which is not load-bearing
        Promise("startled", "without", NO_GAIN),
        Promise("startled", "corrupt_mask", SHOWN),
        Promise("startled", "corrupt_mask", NOT_FOUND),
        Promise("unreadable", "without", HELPS),
        Promise("unreadable", "corrupt_mask", SHOWN),
        Promise("unreadable", "corrupt_mask", NOT_FOUND),
        Promise("mixed-sign", "counter", NOT_INERT),
        Promise("mixed-sign", "irrelevant_swap", NOT_INERT),
    ),
)
"""The world's true lesson, so that every disposition shows."""

CONDENSED = PathRun(
    "condensed",
    ("artifact", "oracle"),
    ("counter", "irrelevant_swap"),
    (
        Promise("reader", "irrelevant_swap", CARRIES),
        Promise("first-item-only", "without", HELPS),
        Promise("first-item-only", "irrelevant_swap", CARRIES),
        # where `counter` leaves the old action in a cue
        *(Promise(CONFUSED, name, NOT_CONTENT) for name in ("counter", "irrelevant_swap")),
    ),
)
"""Slots of several condensed items, of which one may be read and the others not."""

PATH = (TRUE_LESSON, CONDENSED)
TASKS, REPEATS = 96, 4


def whole_path(display: Display, seed: int) -> tuple[PromiseCheck, ...]:
    """Play both runs in folders of their own, analyse them as every run, and look the verdicts up."""
    checks: list[PromiseCheck] = []
    for run in PATH:
        spec = run.spec(seed, TASKS, REPEATS)
        checks.extend(promises_kept(run, results_of_run(spec, display).estimates, spec.analysis.alpha))
    return tuple(checks)


def promises_kept(run: PathRun, rows: Collection[Estimate], alpha: float) -> tuple[PromiseCheck, ...]:
    """The promises of a run, held against its estimates."""
    return tuple(promise.check(run, rows, alpha) for promise in run.promises)


def results_of_run(spec: Spec, display: Display, environment: Mapping[str, str] | None = None) -> Results:
    """Results of a spec, carried out in a folder that is gone afterwards; `environment` holds keys and
    addresses."""
    experiment = check_spec(spec, environment or {})
    with TemporaryDirectory(prefix="calibration-") as name:
        folder = Path(name)
        with closing(open_ledger(folder / "ledger.sqlite")) as ledger:
            begin(experiment, ledger, folder)
            ending = asyncio.run(carry_out(experiment, ledger, display, Session()))
            if ending.how != "done":
                raise RunFault(
                    f"the calibration run has to be played to its end; it was {ending.how}: {ending.why}"
                )
            return results_of(ledger)


NEVER_INERT = ("load-bearing", *NOT_FOUND)
OVER_MASKS = ("startled?by=words", "startled?by=repetition", "unreadable?by=words")
"""They stumble wherever words are masked: by the drop alone they cannot be told from readers."""
RULES = ("fragments", "length", "grammar", "negation")
BLIND = ("skimmer", *(f"startled?by={rule}" for rule in RULES), *OVER_MASKS)
"""They read nothing."""
PLANTED, CONTROL = "planted-native", "control"
DAMAGES = ("corrupt_invert", "irrelevant_swap", "counter", "corrupt_mask", "paraphrase")

SERVED = PathRun(
    "served",
    (PLANTED, CONTROL),
    (*DAMAGES, "oddity+corrupt_mask"),
    (
        *(Promise("reader", name, CARRIES, arm=PLANTED) for name in ("counter", "corrupt_mask")),
        *(Promise("reader", name, NEVER_INERT) for name in DAMAGES if name != "paraphrase"),
        *(Promise("late-reader", name, CARRIES, arm=PLANTED) for name in ("counter", "corrupt_invert")),
        Promise("mentioner?by=negation", "corrupt_invert", NOT_CONTENT),
        Promise("mentioner?by=negation", "corrupt_invert", NOT_CONTENT, "contrast"),
        *(Promise(who, "corrupt_mask", SHOWN, arm=PLANTED) for who in OVER_MASKS),
        *(Promise(who, name, NOT_CONTENT) for who in BLIND for name in DAMAGES),
        *(Promise(who, name, NOT_CONTENT, "contrast") for who in BLIND for name in DAMAGES),
    ),
    provider="anthropic",
    pairs=((PLANTED, CONTROL),),
)
SERVED_TASKS = 60


@dataclass(frozen=True, slots=True)
class ByName:
    """Answers as the participant whose name stands in the request as the model."""

    participants: Mapping[str, Backend]

    async def say(self, request: Request, repeat: int) -> ScriptedAnswer:
        """Answer. Raises Refused: nobody has that name."""
        if request.model not in self.participants:
            raise Refused(404, f"no participant is served as {request.model!r}")
        return ScriptedAnswer((await self.participants[request.model].answer(request, repeat)).text)


def served_path(
    display: Display, seed: int, run: PathRun = SERVED, tasks: int = SERVED_TASKS
) -> tuple[PromiseCheck, ...]:
    """Play a run over HTTP on 127.0.0.1, each trial once, and look its verdicts up."""
    spec = run.spec(seed, tasks, 1)
    served = {
        split_model(promise.backbone(run.provider))[1]: open_simulated(f"simulated/{promise.who}")
        for promise in run.promises
    }
    with serve_script(Script(ByName(served))) as server:
        environment = {"ANTHROPIC_API_KEY": "nobody-asks-for-it", "ANTHROPIC_BASE_URL": server.url}
        rows = results_of_run(spec, display, environment).estimates
    return promises_kept(run, rows, spec.analysis.alpha)
