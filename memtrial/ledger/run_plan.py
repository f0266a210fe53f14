"""What a ledger states of its run: the plan before the first trial, its lock and amendments, looks taken."""

import json
from collections.abc import Mapping
from typing import ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from memtrial.analysis_rules import AnalysisRules
from memtrial.ledger.row_text import LedgerFault, read_mapping
from memtrial.ledger.rows import Json
from memtrial.protocols import LedgerStore


class Recorded(BaseModel):
    """A frozen value that the ledger holds as JSON. No value is converted: what came is what is compared."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False, defer_build=True)

    @property
    def facts(self) -> dict[str, JsonValue]:
        """The keys that were stated, as JSON holds them, in the order of the fields."""
        return dict(self.model_dump(mode="json", exclude_unset=True))


Value = TypeVar("Value", bound=Recorded)


def read_as(kind: type[Value], text: str, what: str) -> Value:
    """What a text of JSON states; `what` is its name in the message.

    Raises:
        LedgerFault: it states something else; the message names the keys.
    """
    try:
        return kind.model_validate_json(text)
    except ValidationError as fault:
        wrong = sorted({str(error["loc"][0]) if error["loc"] else "all of it" for error in fault.errors()})
        raise LedgerFault(
            f"a ledger of this version is needed; keys of its {what} are missing or wrong: {', '.join(wrong)}"
        ) from fault


class LeakCount(Recorded):
    """Leaks of one kind in the memories of a run, and the first of them."""

    kind: str
    count: int
    task: str = ""
    memory: str = ""
    source: str = ""
    text: str = ""


class WordCounts(Recorded):
    """Words in the slots that one arm shows, headings among them."""

    mean: float
    least: int
    most: int


Checker = Literal["nobody", "gates", "placebo", "person"]


class Makeup(Recorded):
    """How a condenser makes its items: a level of each factor."""

    draft: str = Field(description="prompts and schema of the first call")
    warned: str = Field("", description="failures that the draft prompt warns of")
    checked_by: Checker = Field("nobody", description="before they are stored")
    checked: str = Field("", description="what happens to drafts before they are stored")
    length: str = Field("", description="how the text is made as long as another's")
    thinned: str = Field("", description="how many items are removed at random")
    gates: str = Field("", description="none | seed | all | names: the level of fork B; empty: not stated")
    review: str = Field("", description="none | gates | human: the level of fork C; empty: not stated")

    @property
    def line(self) -> str:
        return "; ".join(filter(None, (self.draft, self.warned, self.checked, self.length, self.thinned)))


class RunPlan(Recorded):
    """The ledger's fact `plan`. A default is what a ledger means that was written without the key."""

    version: Literal[1] = Field(1, description="of this shape")
    name: str = Field(description="the spec's name")
    question: str = Field(description="the spec's question")
    seed: int = Field(description="of the run")
    simulated: bool = Field(description="true: calibrates the instrument, no evidence about language models")
    control: str = Field(description="whose native prompts run: upstream's, unverified, or our own wording")
    cue: str = Field("", description="whose line stands above the items")
    mode: Literal["frozen", "stream"] = Field("frozen", description="memory made before, or during, the run")
    world: str = Field(description="where is played")
    outcome: Literal["success", "score"] = Field(description="what the estimates are means of")
    temperature: float | None = Field(None, description="asked for in play; null: the provider's own")
    temperatures: Mapping[str, float | None] = Field({}, description="asked for, by purpose of the calls")
    backbones: tuple[str, ...] = Field(description="the language models that play, in order")
    arms: tuple[str, ...] = Field(description="none first")
    injections: Mapping[str, str] = Field(description="how each arm shows its memory")
    waiting: tuple[str, ...] | None = Field(None, description="arms whose items wait; null: not yet stated")
    levels: Mapping[str, tuple[str, str]] = Field({}, description="memory and injection of each arm")
    gates: Mapping[str, str] = Field({}, description="whether each gate's judge blocks, and why")
    makeups: Mapping[str, Makeup] = Field({}, description="how each condenser is made, by its name")
    conditions: tuple[str, ...] = Field(description="kinds of damage, in order")
    effects: Mapping[str, str] = Field({}, description="meaning | removal | wording | other, by condition")
    arm_conditions: Mapping[str, tuple[str, ...]] = Field({}, description="the conditions of each arm")
    primary: tuple[str, ...] = Field(description="conditions whose contrasts are the hypotheses")
    pairs: tuple[tuple[str, str], ...] = Field(description="[treatment, control] of each contrast")
    channel_pairs: tuple[tuple[str, str], ...] = Field(
        (), description="the same by two injections: secondary"
    )
    tasks: int = Field(description="test tasks")
    repeats: int = Field(description="of each cell")
    draws: int = Field(1, description="banks of each condenser that asks a model; above 1: one a repeat")
    drawn: tuple[str, ...] = Field((), description="arms that show another bank in each repeat")
    words: Mapping[str, WordCounts] = Field({}, description="words in the world's own memories, by arm")
    trials: int = Field(description="planned in all")
    planned: Mapping[str, int] = Field(description="trials by arm")
    margin: float = Field(description="of the equivalence tests, in points of score")
    alpha: float = Field(description="of each family of tests")
    flips: int = Field(description="random sign flips of a test")
    cluster: Literal["task", "record", "family"] = Field(description="the unit of inference")
    clusters: Mapping[str, str] = Field(description="the unit of each task; tasks not named are their own")
    looks: int = Field(1, description="at the hypotheses, the one at the end among them")
    stop: Literal["all", "any"] = Field("all", description="how many hypotheses are decided at a stop")
    digests: Mapping[str, str] = Field(description="sha256 of every text, file and memory that is sent")
    notes: tuple[str, ...] = Field(description="what a reader has to know about the preparation")
    task_order: tuple[str, ...] = Field((), description="tasks as they are completed; none in mode stream")
    gate_factors: Mapping[str, tuple[str, ...]] = Field({}, description="gates switched together, by factor")
    negative_controls: tuple[str, ...] = Field((), description="gates predicted to make no difference")
    gate_subsets: Mapping[str, tuple[str, ...]] = Field({}, description="factors on, by arm of an ablation")
    leakage: str = Field("", description="refuse | count: what is done about leaks; empty: nobody looked")
    leaks: tuple[LeakCount, ...] = Field((), description="leaks by kind; none in mode stream")
    coder: str = Field("", description="who codes failures unless `failures` names another; empty: the rules")
    grader: str = Field("", description="who judges success, and how; empty: the world itself")
    reported: bool = Field(False, description="the agent scores its tasks; what it did is not seen")
    positive_control: str = Field("oracle", description="the arm whose memory is known to hold the answer")

    @property
    def rules(self) -> AnalysisRules:
        """The rules of the analysis, as they were fixed."""
        return AnalysisRules(self.margin, self.alpha, self.flips, self.seed)

    def waits(self, arm: str) -> bool:
        """Whether items of the arm wait for their moment, or are there from the start."""
        by_name = self.injections.get(arm, "prepend") != "prepend"
        return by_name if self.waiting is None else arm in self.waiting


Hypothesis = tuple[str, str, str, str]
"""(backbone, treatment, control, condition)."""


class Lock(Recorded):
    """What was fixed before the first trial; `trials` were played before, `digest` is of what is frozen."""

    made: str
    trials: int
    digest: str
    frozen: Json


class Numbered(Recorded):
    """A fact that is stated again and again, at a time in UTC: `NAME 1`, `NAME 2`, and so on."""

    NAME: ClassVar[str]
    made: str


class Amendment(Numbered):
    """What is to hold from now on: `changes` say of a frozen key what it was and is, others what it is."""

    NAME = "amendment"
    reason: str
    trials: int
    changes: Mapping[str, tuple[JsonValue, JsonValue]]
    frozen: Json
    identity: Json
    plan: Json


class HypothesisLook(Recorded, strict=False):
    """One hypothesis at one look: p within its family, the repeated p of this look, whether it is decided."""

    place: Hypothesis
    estimate: float | None
    p_adjusted: float | None
    overall: float
    crossed: bool


class Look(Recorded, strict=False):
    """A look that was taken, counted from 1.

    `level` is the largest p_adjusted that decides a hypothesis; `stop`: the run ends here, by the fixed rule.
    """

    number: int
    tasks: int
    level: float
    seen: tuple[HypothesisLook, ...]
    stop: bool


class TakenLook(Look, Numbered):
    """A look as the ledger states it."""

    NAME = "look"


class UnmaskedLook(Numbered):
    """Scores were seen under the arms' own names, by a command, before the locked data were complete."""

    NAME = "unmasked"
    trials: int
    by: str


Fact = TypeVar("Fact", bound=Numbered)


def read_lock(ledger: LedgerStore) -> Lock | None:
    """The lock as it was stated; None where there is none."""
    text = ledger.fact_text("lock")
    return None if text is None else read_as(Lock, text, "lock")


def stated_lock(ledger: LedgerStore) -> Lock:
    """The lock of a run that is locked. Raises LedgerFault: none is stated."""
    lock = read_lock(ledger)
    if lock is None:
        raise LedgerFault("a ledger with a lock is needed; this one states none")
    return lock


def read_numbered(ledger: LedgerStore, kind: type[Fact]) -> tuple[Fact, ...]:
    """All facts of one kind that were stated, in order."""
    facts: list[Fact] = []
    while (text := ledger.fact_text(name := f"{kind.NAME} {len(facts) + 1}")) is not None:
        facts.append(read_as(kind, text, name))
    return tuple(facts)


def add_numbered(ledger: LedgerStore, fact: Numbered) -> None:
    """State one more of its kind."""
    ledger.state(f"{fact.NAME} {len(read_numbered(ledger, type(fact))) + 1}", fact.facts)


def plan_in_force(ledger: LedgerStore) -> RunPlan | None:
    """The plan with all amendments to it; None before the first trial."""
    stated = _in_force(ledger, "plan")
    return None if stated is None else read_as(RunPlan, json.dumps(stated), "plan")


def stated_plan(ledger: LedgerStore) -> RunPlan:
    """The plan in force of a run that is at its first trial or past it; a LedgerFault where none is."""
    plan = plan_in_force(ledger)
    if plan is None:
        raise LedgerFault("a ledger with a plan is needed; this one states none")
    return plan


def identity_in_force(ledger: LedgerStore) -> dict[str, JsonValue] | None:
    """What the run is, with all amendments; None where nothing is stated yet."""
    return _in_force(ledger, "identity")


def state_plan(ledger: LedgerStore, plan: RunPlan) -> None:
    """State the plan once, with amendments as amended. Raises LedgerFault: it was stated otherwise."""
    if plan_in_force(ledger) != plan:
        ledger.state("plan", plan.facts)


def frozen_in_force(ledger: LedgerStore) -> dict[str, JsonValue]:
    """What is frozen, with all amendments, of a run that is locked."""
    amended = (amendment.frozen for amendment in read_numbered(ledger, Amendment))
    return {key: value for stated in (stated_lock(ledger).frozen, *amended) for key, value in stated.items()}


def count_played(ledger: LedgerStore) -> int:
    """Trials that were ever played, errors and those that do not count any more among them."""
    return ledger.accounts.trials_ever()


def attempts(ledger: LedgerStore) -> int:
    """Rows of trials that were ever written, every attempt of each."""
    return ledger.accounts.attempts_ever()


def _in_force(ledger: LedgerStore, name: Literal["plan", "identity"]) -> dict[str, JsonValue] | None:
    """A fact that is a JSON object with its amendments; None where it is not stated."""
    text = ledger.fact_text(name)
    if text is None:
        return None
    amended = (
        amendment.plan if name == "plan" else amendment.identity
        for amendment in read_numbered(ledger, Amendment)
    )
    return {key: value for stated in (read_mapping(text), *amended) for key, value in stated.items()}
