"""What an evolution says: arms, their metrics, their courses along the stream, and the comparisons."""

from typing import Literal

from memtrial.analysis.result import Estimate
from memtrial.result_record import ResultRecord


class EvolvedArm(ResultRecord):
    """One way in which the tasks were done."""

    name: str
    mode: str
    """vanilla, bank, parallel or sequential."""
    learn: str
    """What its bank makes of runs; `none`: it has no bank."""
    tries: int
    """Episodes a task, at most."""

    @property
    def learns(self) -> bool:
        return self.learn != "none"


class ArmMetrics(ResultRecord):
    """One arm of one backbone. A number that nothing tells is None."""

    backbone: str
    arm: str
    streams: int
    """Those that have ended."""
    tasks: int
    errors: int
    """Over all streams; errors are in no mean."""
    success: float | None
    """The mean over streams of the share of tasks that were solved."""
    success_low: float | None
    success_high: float | None
    """Its 95 % interval."""
    first_half: float | None
    second_half: float | None
    """The same of the tasks of each half of a stream."""
    steps_a_success: float | None
    """Steps of what was handed in, where that was solved."""
    calls_a_task: float | None
    """Of the agent, over all tries."""
    usd_a_success: float | None
    """All that was spent, by the tasks that were solved; None where a price is not known."""
    new_items_a_100: float | None
    """Items that 100 tasks gave."""
    used_items_a_task: float | None
    """Items of the bank that a task was shown."""
    cited_a_task: float | None
    """Of these, those that the agent cited."""
    lost_replies: int
    """Replies of the writer that could not be read, and items that were dropped."""
    any_try: float | None
    """The share of tasks that one try at least solved: what a perfect judge would hand in."""
    writer_calls_a_task: float | None = None
    """Requests for what was learnt."""
    usd: float | None = None
    """All that was spent by agent and writer; None where a price is not known."""


class StreamPart(ResultRecord):
    """How one arm does in one part of its streams. Means and 95 % intervals are over streams."""

    backbone: str
    arm: str
    first: int
    last: int
    """Places in the stream, from 1."""
    streams: int
    """Those with an outcome in this part."""
    success: float | None
    success_low: float | None
    success_high: float | None
    lift: float | None = None
    """Success less that of the arm without memory, stream by stream; None where no such arm was played."""
    lift_low: float | None = None
    lift_high: float | None = None
    items: float | None = None
    """Items that were learnt up to the end of this part; None of an arm that has no bank."""


class MemoryGrowth(ResultRecord):
    """What became of the banks of one arm, over all its streams."""

    backbone: str
    arm: str
    streams: int
    made: int
    """Items that were learnt."""
    active: int
    """Items that could be shown when the streams had ended."""
    shown_tasks: float | None
    """The share of tasks that were shown an item."""
    cited_tasks: float | None
    """Of these, the share in which the agent cited one."""
    consolidations: int
    links: int
    """Between near copies, and between items that contradict each other."""
    quarantined: int
    duplicates: int
    promoted: int
    archived: int


class JudgeErrors(ResultRecord):
    """The judge's verdicts on what one arm handed in, held against the world's own word."""

    backbone: str
    arm: str
    tasks: int
    unread: int
    """Verdicts that could not be read; they teach nothing."""
    failures: int
    """Tasks that were judged and not solved."""
    false_success: int
    """Of these, those that were judged a success."""
    successes: int
    false_failure: int


class ArmsCompared(ResultRecord):
    """Arms against one other; each estimate is of a score less the reference's, over streams."""

    about: str
    """Why these are compared."""
    reference: str
    arms: tuple[str, ...]
    estimates: tuple[Estimate, ...]
    notes: tuple[str, ...] = ()


class VerdictChecks(ResultRecord):
    """What the checks of a judge came to, in numbers of episodes over all streams."""

    judged: int = 0
    """That it labelled."""
    both_success: int = 0
    both_failure: int = 0
    """Checked, and it said what the world says."""
    false_success: int = 0
    """It said success of what the world calls a failure."""
    false_failure: int = 0
    sentence: str = ""
    """The same in words."""


class EvolutionResults(ResultRecord):
    """What `evolution.json` holds."""

    format: Literal["memtrial evolution 1"] = "memtrial evolution 1"
    name: str
    question: str
    seed: int
    simulated: bool
    ending: str
    """How the last session ended: done, interrupted, budget or another word."""
    unit: Literal["stream"] = "stream"
    """One stream is one observation of what memory learns."""
    world: str
    agent: str
    writer: str
    """The model that distils; empty: each backbone its own."""
    judge: str
    """The model that says what a success is; `oracle`: the world itself."""
    profile: str
    """How the bank ranks."""
    consolidate: int | None
    """New items after which a bank is consolidated; None: never."""
    truth_seen: bool
    """The writer was shown the right answers."""
    calls_limit: int | None
    """Requests of the agent for one task, at most."""
    backbones: tuple[str, ...]
    arms: tuple[EvolvedArm, ...]
    streams: int
    """As planned."""
    tasks: int
    """Of a stream."""
    margin: float
    """Points of score: a smaller effect counts as none."""
    alpha: float
    metrics: tuple[ArmMetrics, ...]
    parts: tuple[StreamPart, ...] = ()
    growth: tuple[MemoryGrowth, ...] = ()
    judged: tuple[JudgeErrors, ...] = ()
    """None where the world itself judges."""
    judge_audit: VerdictChecks = VerdictChecks()
    """What the rolling check of one verdict in twenty came to; nothing judged where the world judges."""
    comparisons: tuple[ArmsCompared, ...] = ()
    """None before two streams of the arms have ended."""

    def json_text(self) -> str:
        """The text of `evolution.json`: the same results give the same bytes."""
        return self.model_dump_json(indent=1) + "\n"
