"""The whole path over HTTP: participants behind an endpoint on this machine, asked as any model is."""

from collections.abc import Mapping
from dataclasses import dataclass

from loadbearing.analysis.calibration.bands import Check
from loadbearing.models.client.types import Backend, Request, split_model
from loadbearing.models.scripted.protocol import Refused, Said
from loadbearing.models.scripted.server import Script, running
from loadbearing.models.simulated.members import open_simulated
from loadbearing.runs.calibration import (
    CARRIES,
    NOT_FOUND,
    SHOWN,
    PathRun,
    Promise,
    promises_kept,
    results_of_run,
)
from loadbearing.runs.progress.display import Display

NEVER_INERT = ("load-bearing", *NOT_FOUND)
NOT_CONTENT = ("inert", "insensitive", *NOT_FOUND)
OVER_MASKS = ("startled?by=words", "startled?by=repetition", "unreadable?by=words")
"""They stumble wherever words are masked: by the drop alone they cannot be told from readers."""
BLIND = ("skimmer", *(f"startled?by={rule}" for rule in ("fragments", "length", "grammar")), *OVER_MASKS)
"""They read nothing."""
PLANTED, CONDENSED = "planted-native", "control"
DAMAGES = ("corrupt_invert", "irrelevant_swap", "counter", "corrupt_mask", "paraphrase")

SERVED = PathRun(
    "served",
    (PLANTED, CONDENSED),
    (*DAMAGES, "oddity+corrupt_mask"),
    (
        *(Promise("reader", name, CARRIES, arm=PLANTED) for name in ("counter", "corrupt_mask")),
        *(Promise("reader", name, NEVER_INERT) for name in DAMAGES if name != "paraphrase"),
        *(Promise(who, "corrupt_mask", SHOWN, arm=PLANTED) for who in OVER_MASKS),
        *(Promise(who, name, NOT_CONTENT) for who in BLIND for name in DAMAGES),
        *(Promise(who, name, NOT_CONTENT, "contrast") for who in BLIND for name in DAMAGES),
    ),
    provider="anthropic",
    pairs=((PLANTED, CONDENSED),),
)
TASKS = 60


@dataclass(frozen=True, slots=True)
class ByName:
    """Answers as the participant whose name stands in the request as the model."""

    participants: Mapping[str, Backend]

    async def say(self, request: Request, repeat: int) -> Said:
        """Answer. Raises Refused: nobody has that name."""
        if request.model not in self.participants:
            raise Refused(404, f"no participant is served as {request.model!r}")
        return Said((await self.participants[request.model].answer(request, repeat)).text)


def served_path(display: Display, seed: int, run: PathRun = SERVED, tasks: int = TASKS) -> tuple[Check, ...]:
    """Play a run over HTTP on 127.0.0.1, each trial once, and look its verdicts up.

    Raises:
        RunFault: the run did not come to its end.
    """
    spec = run.spec(seed, tasks, 1)
    served = {
        split_model(one.backbone(run.provider))[1]: open_simulated(f"simulated/{one.who}")
        for one in run.promises
    }
    with running(Script(ByName(served))) as server:
        environment = {"ANTHROPIC_API_KEY": "nobody-asks-for-it", "ANTHROPIC_BASE_URL": server.url}
        rows = results_of_run(spec, display, environment).estimates
    return promises_kept(run, rows, spec.analysis.alpha)
