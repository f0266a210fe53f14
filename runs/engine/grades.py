"""Where success is judged by a model: each episode once, and a sample again and by the other wording."""

from dataclasses import asdict
from typing import cast

from memtrial.agents.episode import Episode
from memtrial.call_purpose import PLAY
from memtrial.judges.success import ORACLE, PROMPTS, Grade, SuccessJudge, oracle
from memtrial.ledger.rows import GradeEntry
from memtrial.models.client.client import Caller
from memtrial.models.client.types import ModelFault
from memtrial.runs.spec.sampling import sampling_of
from memtrial.runs.spec.spec import Spec

ATTEMPTS = 2
"""Times a judge is asked whose answer cannot be read."""
READINGS = ((0, 0), (0, 1), (1, 0))
"""Wording and reading: the first decides, the others are of the sample."""


class GradeFault(ModelFault):
    """The judge of success answered with nothing that can be read: an error, and no failure."""


async def grade_episode(spec: Spec, player: Caller, episode: Episode, repeat: int) -> tuple[GradeEntry, ...]:
    """What the judge says of an episode; none where the world itself decides.

    The sample is drawn by the episode's own requests, which say nothing of arm or condition to the judge.

    Args:
        player: of the trial, to which the judge's calls are counted.

    Raises:
        GradeFault: no reading that decides could be had.
        ModelFault, HaltFault: as `ModelClient.ask` raises them.
    """
    model = spec.roles.grader
    if model is None:
        return ()
    if model == ORACLE:
        return (_entry(0, 0, oracle(episode.outcome)),)
    again = int.from_bytes(episode.sent[-1].key[:4], "big") / 2**32 if episode.sent else 1.0
    drawn, entries = sampling_of(spec.sampling.judge, "judge"), list[GradeEntry]()
    for wording, nth in READINGS if again < spec.grading.regrade else READINGS[:1]:
        for attempt in range(ATTEMPTS):
            number = (repeat * len(PROMPTS) + nth) * ATTEMPTS + attempt
            asked = model, drawn.temperature, number, drawn.max_tokens, PLAY, player.terms
            caller = Caller(player.model_client, *asked)
            caller.meter = player.meter
            grade = await SuccessJudge(caller, spec.grading.form, wording)(episode.trajectory())
            if not grade.fault:
                break
        if grade.fault and not entries:
            raise GradeFault(grade.fault)
        entries.append(_entry(wording, nth, grade))
    return tuple(entries)


def _entry(wording: int, nth: int, grade: Grade) -> GradeEntry:
    return cast(GradeEntry, {"wording": wording, "nth": nth, **asdict(grade)})
