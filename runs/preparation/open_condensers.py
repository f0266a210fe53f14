"""The condensers that a spec asks for, with their models, gates, and the condenser they follow."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from numpy.random import Generator

from memtrial.agents.trajectory import Trajectory
from memtrial.agents.trajectory_views import View
from memtrial.call_purpose import Purpose
from memtrial.condensers.baselines import AsLong, Native, Nothing, PeerOf, PlaceboRevision, Raw, Thinned
from memtrial.condensers.condenser import Reviewer
from memtrial.condensers.draft_calls import NativeDrafting, TheoryDrafting, Typed
from memtrial.condensers.loop import Drafting, Loop
from memtrial.condensers.own_draw import OwnDraw
from memtrial.condensers.raw_steps import RawSteps
from memtrial.condensers.same_parts import SameParts
from memtrial.faults import SpecFault
from memtrial.gates.gate import ALONE, Surroundings
from memtrial.gates.suite import choose_gates
from memtrial.judges.closed_question import ModelJudge
from memtrial.ledger.random_streams import named_generator
from memtrial.models.client.client import Caller, ModelClient
from memtrial.models.client.structured import Structured
from memtrial.models.client.types import Instead
from memtrial.plugins.adapters import load_condenser, load_gate
from memtrial.plugins.plugin_names import is_plugin
from memtrial.prompts.control_prompts import ControlPrompts
from memtrial.prompts.tuned_instruction import Tuned
from memtrial.protocols import Condenser, Gate
from memtrial.runs.setup.context import RunContext
from memtrial.runs.setup.model_roles import gate_model, gate_standings
from memtrial.runs.spec.condenser_factors import TYPED, CondenserSpec
from memtrial.runs.spec.sampling import SamplingByRole, sampling_of


@dataclass(frozen=True, slots=True)
class CondenserSetup:
    """What all condensers of one backbone share; `model` is asked by them, `judge` by their gates.

    Args:
        controls: by a condenser's own source, its native prompts; `control` are those of the others.
        peer_of: by a condenser's name and draw, what it did with a trace; only in a run others follow it.
        asks: by a condenser's name and draw, who asks people about its drafts; only in a run.
        traces_of: whose traces these are, where others have traces of the same ids.
    """

    model_client: ModelClient
    model: str
    judge: str
    control: ControlPrompts
    view: View = "full"
    seed: int = 0
    sampling: SamplingByRole = SamplingByRole()
    controls: Mapping[Path | None, ControlPrompts] = field(default_factory=dict)
    peer_of: Callable[[str, int], PeerOf] | None = None
    tuned: tuple[Tuned, ...] = ()
    calibration: Path | None = None
    around: Surroundings = ALONE
    asks: Callable[[str, int], Reviewer] | None = None
    traces_of: str = ""


def setup_of(run: RunContext, backbone: str) -> CondenserSetup:
    """The setup that the spec asks for."""
    spec = run.spec
    model = spec.roles.condenser or backbone
    judge = gate_model(model, spec.roles.gate)
    control = run.experiment.control
    view = spec.traces.view or control.view
    controls = run.experiment.controls
    reviews = run.reviews
    shared = spec.traces.player is not None or spec.traces.source == "import"
    return CondenserSetup(
        *(run.model_client, model, judge, control, view, spec.seed, spec.sampling, controls),
        tuned=run.experiment.tuned,
        calibration=spec.roles.gate_calibration,
        asks=None if reviews is None else lambda name, draw: reviews.reviewer(backbone, name, draw, view),
        # another condensing model is another draw in any case
        traces_of=backbone if spec.roles.condenser is not None and not shared else "",
    )


def build_condenser(name: str, asked: CondenserSpec, setup: CondenserSetup, repeat: int = 0) -> Condenser:
    """The condenser of a spec's entry, for one draw (`repeat`); SpecFault where it or a gate cannot be
    loaded."""
    if asked.kind == "nothing":
        return Nothing(name)
    if asked.kind == "raw":
        return Raw(setup.view, name)
    prompts = setup.controls.get(asked.source, setup.control)
    if asked.kind == "steps":
        gates = build_gates(asked.gates, _judging_caller(name, setup, repeat), setup)
        return SameParts(Loop(RawSteps(setup.view), gates, asked.max_rounds, name), prompts)
    drawn = sampling_of(setup.sampling.condenser, "condenser", prompts)
    purpose = Purpose("condense", name)
    caller = Caller(setup.model_client, setup.model, drawn.temperature, repeat, drawn.max_tokens, purpose)
    caller.instead = _list_tuned(setup)
    return OwnDraw(_asking_condenser(name, asked, setup, repeat, caller), caller, setup.traces_of)


def _list_tuned(setup: CondenserSetup) -> dict[str, Instead]:
    """What takes the place of shipped instructions, by their key."""
    return {
        instruction.key: Instead(instruction.instructions, instruction.demos) for instruction in setup.tuned
    }


def _judging_caller(name: str, setup: CondenserSetup, repeat: int) -> Caller:
    """The caller of a condenser's gates."""
    drawn = sampling_of(setup.sampling.gate, "gate", setup.control)
    purpose = Purpose("gate", name)
    judging = Caller(setup.model_client, setup.judge, drawn.temperature, repeat, drawn.max_tokens, purpose)
    judging.instead = _list_tuned(setup)
    return judging


def _asking_condenser(
    name: str, asked: CondenserSpec, setup: CondenserSetup, repeat: int, caller: Caller
) -> Condenser:
    """The condenser of an entry that asks a model, with its caller."""
    prompts = setup.controls.get(asked.source, setup.control)
    if is_plugin(asked.kind):
        return load_condenser(asked.kind, caller, setup.seed, name)
    peer_of = setup.peer_of(asked.like, repeat) if asked.like is not None and setup.peer_of else None
    if peer_of is not None and asked.placebo_like is not None:
        drafting = _drafting_caller(asked, caller, prompts, setup.view, placebo=True)
        return SameParts(PlaceboRevision(drafting, peer_of, name), prompts)
    made: Condenser = Native(caller, prompts, setup.view, name, asked.exhort)
    reviewer = None
    if asked.review == "human":
        assert setup.asks is not None  # only the spec of a run says so
        reviewer = setup.asks(name, repeat)
    if asked.kind in TYPED or asked.gates or reviewer is not None:
        gates = build_gates(asked.gates, _judging_caller(name, setup, repeat), setup)
        drafting = _drafting_caller(asked, caller, prompts, setup.view)
        made = SameParts(Loop(drafting, gates, asked.max_rounds, name, reviewer), prompts)
    if peer_of is None:
        return made
    if asked.length_like is not None:
        return AsLong(made, peer_of, name)
    return Thinned(made, peer_of, partial(_chance, setup.seed, name, repeat), name)


def _drafting_caller(
    asked: CondenserSpec, caller: Caller, prompts: ControlPrompts, view: View, placebo: bool = False
) -> Drafting:
    """Whoever drafts and revises; as a placebo it is told no findings."""
    if asked.kind == "native":
        return NativeDrafting(caller, prompts, view, placebo, asked.exhort)
    schema: Typed = "additive" if asked.kind == "additive" else "theory"
    return TheoryDrafting(Structured(caller), view, asked.exhort, placebo, schema)


def _chance(seed: int, name: str, draw: int, trajectory: Trajectory) -> Generator:
    return named_generator(seed, f"thin {name} {trajectory.task_id}", draw)


def build_gates(names: tuple[str, ...], judge: Caller, setup: CondenserSetup) -> tuple[Gate, ...]:
    """Gates by name, ours and the user's own; SpecFault where one cannot be loaded, or two share a name."""
    gates: list[Gate] = []
    tuned = {instruction.subject for instruction in setup.tuned}
    standing = gate_standings(judge.model, judge.temperature, judge.max_tokens, setup.calibration, tuned)
    for name in names:
        caller = replace(judge)  # its calls are told apart from the other gates'; the meter is shared
        gate: Gate
        if is_plugin(name):
            gate = load_gate(name, caller, setup.seed)
        else:
            (shipped,) = choose_gates(ModelJudge(caller, setup.view), (name,), setup.view, setup.around)
            held = standing[shipped.name]
            gate = replace(shipped, blocks=held.blocks, threshold=held.threshold)
        caller.purpose = replace(judge.purpose, gate=gate.name)
        gates.append(gate)
    given = [gate.name for gate in gates]
    if len(set(given)) < len(given):
        raise SpecFault(f"gates need a name each; got {', '.join(given)}")
    return tuple(gates)
