"""Everything cheap is checked here, before anything is begun or paid for."""

import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from memtrial.agents.action_choice import ChoiceAgent
from memtrial.agents.traces import TraceFault, read_traces
from memtrial.commands.command_spec import CommandSpec
from memtrial.faults import SpecFault, refused
from memtrial.gates.judged_gate import shown_digests
from memtrial.gates.suite import ALL as GATES
from memtrial.gates.suite import SEED_SUBSET
from memtrial.judges.advice_comparison import COMPARISON
from memtrial.judges.closed_question import DECISION
from memtrial.judges.mask_reader import READABLE
from memtrial.judges.success import ANSWERS
from memtrial.judges.success import PROMPTS as GRADING
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import Caller, ModelClient
from memtrial.models.client.keys import Keys, read_keys
from memtrial.models.client.prices import Price, PriceTable, shipped_prices
from memtrial.models.client.types import OWN, ModelFault, provider_of, split_model
from memtrial.models.embeddings.provider import check_embedder
from memtrial.models.providers.local.weights_file import weights_digests
from memtrial.models.providers.open import is_simulated as model_is_simulated
from memtrial.models.providers.open import open_backend
from memtrial.models.providers.provider_table import NO_REQUESTS, is_own_server
from memtrial.perturbations.composite import JOINT
from memtrial.perturbations.instructed import INSTRUCTION, Instructed
from memtrial.perturbations.written.claims import INSTRUCTIONS as WRITTEN
from memtrial.plugins.adapters import load_condenser, load_gate
from memtrial.plugins.given_memory import is_memory_file
from memtrial.plugins.load_plugin import digest_of
from memtrial.plugins.plugin_names import is_plugin, plugins_of
from memtrial.plugins.shipped_memory import is_shipped, shipped_digests
from memtrial.prompts.control_prompts import ControlFault, ControlPrompts, CueLine, load_control, load_cue
from memtrial.prompts.templates import Prompt
from memtrial.prompts.tuned_instruction import Tuned, TunedFault, load_tuned
from memtrial.runs.setup.command_checks import command_notices, keys_of_models
from memtrial.runs.setup.design import Design, design_of
from memtrial.runs.setup.gate_notices import advising_notices
from memtrial.runs.setup.given_parts import NOTHING_GIVEN, GivenParts
from memtrial.runs.setup.listed_actions import refuse_unlisted
from memtrial.runs.setup.model_roles import cast, check_cast, standings_of
from memtrial.runs.setup.sampling_notes import sampling_notes
from memtrial.runs.spec.arm_spec import ArmSpec
from memtrial.runs.spec.damage_writers import damage_writers
from memtrial.runs.spec.sampling import settle_sampling
from memtrial.runs.spec.spec import Spec

UNFORECAST = (
    "{model}: the agent makes its own calls; no forecast counts them, and a budget counts what it reports"
)
UNFORECAST_COMMAND = (
    "{model}: the command makes its own calls; no forecast counts them, and a budget counts those that pass"
    " through the proxy"
)
PLAYED = ("react_system", "react_turn", "react_withheld")
CHOSEN = ("choice_system", "choice_turn")
CONDENSED = (
    *("judge", "theory_draft", "theory_revise", "theory_rewrite", "exhortation", "padding"),
    *("native_success", "native_failure", "native_revise", "native_rewrite"),
)


@dataclass(frozen=True, slots=True)
class Experiment:
    """A spec with all that was checked about it before anything was begun.

    Args:
        digests: sha256 of every text and file, besides the spec, that determines what is sent.
        notices: which judges of gates were not calibrated, where keys go that do not go to their provider's
            own address, which are missing, of which models the budget counts no dollars, and where upstream
            is asked otherwise, a line each.
        controls: by a condenser's own source, its native prompts; `control` are those of the others.
        tuned: instructions that take the place of shipped ones.
        given: objects that Python code handed over.
    """

    spec: Spec
    design: Design
    control: ControlPrompts
    cue: CueLine
    keys: Keys
    prices: PriceTable
    digests: Mapping[str, str]
    notices: tuple[str, ...] = ()
    controls: Mapping[Path | None, ControlPrompts] = field(default_factory=dict)
    tuned: tuple[Tuned, ...] = ()
    given: GivenParts = NOTHING_GIVEN

    def control_of(self, condenser: str) -> ControlPrompts:
        """The native prompts of a condenser."""
        asked = self.spec.condensers.get(condenser)
        return self.controls.get(asked.source if asked else None, self.control)

    @property
    def control_label(self) -> str:
        """Whose native prompts run; by condenser where they are not the same."""
        made = self.spec.condensers
        native = [name for name in self.design.memories if name in made and made[name].kind == "native"]
        labels = {name: self.control_of(name).label for name in native}
        if len(set(labels.values())) <= 1:
            return next(iter(labels.values()), self.control.label)
        each = (f"{name} {label.removeprefix('control: ')}" for name, label in labels.items())
        return f"control: {'; '.join(each)}"

    @property
    def sampling_notes(self) -> tuple[str, ...]:
        """How the native condensers are asked, where upstream's code asks otherwise."""
        made = self.spec.condensers
        models = tuple(
            dict.fromkeys(self.spec.roles.condenser or backbone for backbone in self.spec.backbone)
        )
        return tuple(
            note
            for name in self.design.memories
            if name in made and made[name].kind == "native"
            for note in sampling_notes(name, self.spec.sampling.condenser, self.control_of(name), models)
        )

    @property
    def models(self) -> tuple[str, ...]:
        """Every model string of the run, each once."""
        return tuple(dict.fromkeys(model for _, model in cast(self.spec, self.design)))

    @property
    def simulated(self) -> bool:
        """Some model of the run is simulated or scripted: its results calibrate and are labelled so."""
        return self.given.simulated or any(model_is_simulated(model) for model in self.models)


def check_spec(
    spec: Spec,
    environment: Mapping[str, str] | None = None,
    base_urls: Sequence[str] = (),
    keys_needed: bool = True,
    given: GivenParts = NOTHING_GIVEN,
) -> Experiment:
    """Check arms, gates, models, keys, prices and files; SpecFault where something does not fit.

    Args:
        environment: where keys and addresses stand; the process's own unless given.
        base_urls: addresses named on the command line, as `read_keys` takes them.
        keys_needed: False where nothing will be sent, so that a missing key is only said.
        given: objects that were handed over, where the spec names parts so.
    """
    refuse_unloadable(spec, given)
    design = design_of(spec)
    with refused(ControlFault, ModelFault):
        keys = read_keys(os.environ if environment is None else environment, Path.cwd(), base_urls)
        keys = replace(keys, needed=keys_needed)
        control, _ = load_control(spec.control.source), list(map(split_model, spec.backbone))
        own_sources = {condenser.source for condenser in spec.condensers.values()} - {None}
        controls: dict[Path | None, ControlPrompts] = {source: load_control(source) for source in own_sources}
        cue = load_cue(spec.cue, spec.control.source, spec.control.cue_source, control.layout)
        check_embedder(spec.retrieval.embedder, keys)
    spec = spec.model_copy(update={"sampling": settle_sampling(spec.sampling, control)})
    standings_of(spec, control)  # a calibration that cannot be read is refused here
    roles = cast(spec, design)
    notices = check_cast(roles, keys_of_models(spec, keys), (spec.retrieval.embedder,))
    notices = (*notices, *command_notices(spec, keys))
    if spec.traces.path is not None:
        with refused(TraceFault, prefix="traces.path: "):
            read_traces(spec.traces.path)
    # the table that ships, with the spec's own prices before it
    own = {model: Price(**price.model_dump()) for model, price in spec.budget.prices.items()}
    prices, digests = shipped_prices(own), _digests(spec, control, cue)
    digests |= {f"control of {source}": source_control.digest for source, source_control in controls.items()}
    tuned = tuple(_load_tuned(path) for path in spec.tuned)
    digests |= {
        f"tuned {instruction.subject}": sha256(instruction.model_dump_json().encode()).hexdigest()
        for instruction in tuned
    }
    digests |= {**given.digests, **weights_digests(model for _, model in roles)}
    if isinstance(spec.agent, CommandSpec):
        digests |= {f"file of {name}": digest for name, digest in spec.agent.digests().items()}
    parts = (digests, notices, controls, tuned, given)
    experiment = Experiment(spec, design, control, cue, keys, prices, *parts)
    _refuse_unpriced(experiment)
    with closing(given.open_world(spec)) as world:
        refuse_unlisted(spec.agent, world)
    # the first line of a run says what its gates are worth
    if design.memories:
        notices = (*advising_notices(spec, control, prices, {each.subject for each in tuned}), *notices)
    unasked = [model for model in spec.backbone if provider_of(model) == OWN]
    unknown = UNFORECAST if not isinstance(spec.agent, CommandSpec) else UNFORECAST_COMMAND
    notices = (*notices, *(unknown.format(model=model) for model in unasked))
    writing = (note,) if (note := damage_writers(spec).note) else ()
    notices = (*notices, *_uncounted_models(experiment), *experiment.sampling_notes, *writing)
    return replace(experiment, notices=notices)


def _load_tuned(path: Path) -> Tuned:
    """A tuned instruction, of what is still shipped so."""
    from memtrial.condensers.tuning.subjects import key_of

    with refused(TunedFault, prefix="tuned: "):
        instruction = load_tuned(path)
    if instruction.key != key_of(instruction.subject):
        raise SpecFault(
            f"tuned: {path} replaces an instruction for {instruction.subject} that has changed since; tune it"
            " again"
        )
    return instruction


def _refuse_unpriced(experiment: Experiment) -> None:
    """A budget needs a price for every model that is asked, the embedder among them."""
    budget, prices = experiment.spec.budget, experiment.prices
    unpriced = [model for model in _models_asked(experiment) if prices.of(model) is None]
    unknown = [model for model in unpriced if not is_own_server(model, experiment.keys)]
    if unknown and budget.max_cost_usd is not None and not budget.allow_unknown_prices:
        raise SpecFault(
            f"a budget needs prices; none is known for {', '.join(unknown)} (price table of {prices.date}). "
            "Give budget.prices for it, or --allow-unknown-prices to leave its cost out"
        )


def _uncounted_models(experiment: Experiment) -> tuple[str, ...]:
    """A line where a budget in dollars leaves models out that have no price."""
    budget = experiment.spec.budget
    unpriced = [model for model in _models_asked(experiment) if experiment.prices.of(model) is None]
    if budget.max_cost_usd is None or not unpriced:
        return ()
    calls, hours = budget.max_calls, budget.max_hours
    bounds = [*[f"max_calls {calls}"] * (calls is not None), *[f"max_hours {hours}"] * (hours is not None)]
    bound = f"{' and '.join(bounds)} bound the run" if bounds else "budget.max_calls or max_hours bounds them"
    return (
        f"budget.max_cost_usd counts no dollars for {', '.join(unpriced)}, which has no price; calls and"
        f" hours are counted, and {bound}",
    )


def _models_asked(experiment: Experiment) -> tuple[str, ...]:
    """Every model that gets requests, the embedder among them."""
    embedder = experiment.spec.retrieval.embedder
    return (*experiment.models, *[embedder] * (provider_of(embedder) not in NO_REQUESTS))


def _digests(spec: Spec, control: ControlPrompts, cue: CueLine) -> dict[str, str]:
    asked = {*SEED_SUBSET, *(name for condenser in spec.condensers.values() for name in condenser.gates)}
    digests = {f"prompt {name}": Prompt(name).digest for name in (*PLAYED, *CONDENSED)}
    for gate in GATES:
        digests |= shown_digests(gate) if gate.name in asked else {}
    digests["prompt cue"] = cue.digest
    if any(name.partition(JOINT)[0] == Instructed().name for name in spec.conditions):
        digests["prompt instructed"] = INSTRUCTION.digest
    if any(isinstance(arm, ArmSpec) and arm.discuss for arm in spec.arms):
        digests["prompt discuss"] = Prompt("discuss").digest
    if spec.agent == ChoiceAgent().name:
        digests |= {f"prompt {name}": Prompt(name).digest for name in CHOSEN}
    if spec.roles.gate_calibration is not None:
        digests["gate calibration"] = sha256(spec.roles.gate_calibration.read_bytes()).hexdigest()
    if spec.roles.judge is not None:
        digests["prompt decision"] = DECISION.digest
    if spec.roles.grader is not None:
        digests |= {
            f"prompt {prompt.name}": prompt.digest for prompt in (*GRADING, ANSWERS[spec.grading.form])
        }
    if damage_writers(spec).model is not None:
        digests |= {
            f"prompt {prompt.name}": prompt.digest for prompt in (*WRITTEN.values(), COMPARISON, READABLE)
        }
    digests["control"] = control.digest
    if spec.traces.path is not None:
        digests["traces"] = sha256(spec.traces.path.read_bytes()).hexdigest()
    for name in (arm.memory for arm in spec.arms if isinstance(arm, ArmSpec)):
        if name is not None and is_memory_file(name):
            digests[f"file of {name}"] = sha256(Path(name).read_bytes()).hexdigest()
        if name is not None and is_shipped(name):
            digests |= shipped_digests(name)
    return digests | {f"file of {name}": digest_of(name) for name in plugins_of(spec.model_dump())}


def refuse_unloadable(spec: Spec, given: GivenParts = NOTHING_GIVEN) -> None:
    """Load the spec's agent, condensers, gates and memories; SpecFault where one cannot be, or two share a
    name."""
    given.open_agent(spec)
    nobody = nobody_asked()
    for name, asked in spec.condensers.items():
        if is_plugin(asked.kind):
            load_condenser(asked.kind, nobody, spec.seed, name)
            continue
        gates = [load_gate(gate, nobody, spec.seed).name if is_plugin(gate) else gate for gate in asked.gates]
        if len(set(gates)) < len(gates):
            raise SpecFault(f"condensers.{name}.gates need a name each; got {', '.join(gates)}")
    for arm in spec.arms:
        if isinstance(arm, ArmSpec) and arm.memory is not None:
            given.open_memory(arm.memory, nobody, spec)


def nobody_asked() -> Caller:
    """For what is loaded to be looked at: whoever asks it anything gets a ModelFault."""
    return Caller(ModelClient(CallCache(MemoryCallStore()), open_backend), "nobody/asked")
