"""Load every user plug-in of a spec once, before anything is begun."""

from __future__ import annotations

from loadbearing.ledger.schema import unsealed
from loadbearing.models.client.cache import CallCache
from loadbearing.models.client.client import Caller, ModelClient
from loadbearing.models.providers.open import open_backend
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.plugins.condenser import load_condenser
from loadbearing.runs.plugins.gate import load_gate
from loadbearing.runs.plugins.memory import load_memory
from loadbearing.runs.spec.plugin_names import is_plugin
from loadbearing.runs.spec.sections import ArmSpec
from loadbearing.runs.spec.spec import Spec


def refuse_unloadable(spec: Spec) -> None:
    """Load the spec's condensers, gates and memory systems; perturbations and worlds are loaded by the setup.

    Raises:
        SpecFault: one cannot be loaded, or two gates of one condenser have the same name.
    """
    nobody = Caller(ModelClient(CallCache(unsealed()), open_backend), "nobody/asked")
    for name, asked in spec.condensers.items():
        if is_plugin(asked.kind):
            load_condenser(asked.kind, nobody, spec.seed, name)
            continue
        given = [load_gate(gate, nobody, spec.seed).name if is_plugin(gate) else gate for gate in asked.gates]
        if len(set(given)) < len(given):
            raise SpecFault(f"condensers.{name}.gates need a name each; got {', '.join(given)}")
    for arm in spec.arms:
        if isinstance(arm, ArmSpec) and arm.memory is not None:
            load_memory(arm.memory, nobody, spec.seed)
