"""The arm of a spec: a memory, and how it reaches the agent."""

from __future__ import annotations

from typing import Any

from pydantic import Field, JsonValue, field_validator, model_validator

from memtrial.arms.arm import INJECTIONS, Reach
from memtrial.faults import SpecFault
from memtrial.memory.interchange.bank_file import BANK_FILE
from memtrial.plugins.given_memory import TEXT_FILES, is_memory_file
from memtrial.plugins.plugin_names import is_plugin
from memtrial.plugins.shipped_memory import WORDS, is_shipped, settings_in_name
from memtrial.runs.spec.sections import SpecPart, settings_in

GIVEN = "given"
"""Names what Python code handed over, where a file's spec would name a file."""
OF_GIVEN = f"{GIVEN}:"
"""How the memory of an arm is named that was handed over: `given:ARM`."""
INJECTION = {kind.name: kind for kind in INJECTIONS}


def may_hold_triggers(memory: str) -> bool:
    """Whether the items of a memory are texts that somebody wrote, theory items with Triggers perhaps."""
    return is_memory_file(memory) or memory.startswith(OF_GIVEN)


class ArmSpec(SpecPart):
    """An arm of your own: a condenser × an injection (fork A), a memory system `module.py:Object` or by
    its word, as `mem0`, or the text of a file, `notes.md`, the same for every task, or a bank's file,
    `bank.jsonl`, searched by the task's query.

    A memory system is opaque: it observes the trajectories and recalls a slot for each task. It is made with
    `settings` as arguments, which become part of its name: `memory: module.py:Object?k=1`. With `reach:
    bank`, items that wait for their moment come up from any record but the task's own. `discuss` asks the
    agent to discuss each item before it acts, as upstream's cue does and ours does not: a level of its own.
    """

    name: str = Field(pattern=r"^[\w·.+-]+$", max_length=100)
    condenser: str | None = None
    memory: str | None = None
    settings: dict[str, JsonValue] = Field(default_factory=dict, exclude=True)
    injection: str = "prepend"
    reach: Reach = "retrieved"
    discuss: bool = False

    @model_validator(mode="before")
    @classmethod
    def _settings_in_the_name(cls, raw: Any) -> Any:
        return settings_in(raw, "memory", WORDS)

    @field_validator("memory")
    @classmethod
    def _known_memory(cls, name: str | None) -> str | None:
        if name is not None and is_shipped(name):
            try:
                settings_in_name(name)
            except SpecFault as fault:
                raise ValueError(str(fault)) from fault
        elif name is not None and not (is_plugin(name) or is_memory_file(name) or name.startswith(OF_GIVEN)):
            raise ValueError(
                f"path/to/module.py:Object is needed, a text file ({', '.join(TEXT_FILES)}), a bank"
                f" ({BANK_FILE}), or one of {', '.join(WORDS)}"
            )
        return name

    @field_validator("injection")
    @classmethod
    def _known_injection(cls, name: str) -> str:
        if name not in INJECTION:
            raise ValueError(f"no injection is named {name!r}; there are {', '.join(INJECTION)}")
        return name

    @model_validator(mode="after")
    def _one_source(self) -> ArmSpec:
        if (self.condenser is None) == (self.memory is None):
            raise ValueError(f"arm {self.name!r} needs either a condenser or a memory system")
        system = self.memory is not None and not may_hold_triggers(self.memory)
        if system and INJECTION[self.injection].needs_trigger:
            raise ValueError(f"arm {self.name!r}: a memory system writes no Trigger; use injection: prepend")
        if self.reach == "bank" and (self.memory or not INJECTION[self.injection].by_trigger):
            raise ValueError(
                f"arm {self.name!r}: reach: bank needs a condenser's items that wait, as by trigger"
            )
        if self.discuss and self.reach == "bank":
            raise ValueError(f"arm {self.name!r}: discuss needs reach: retrieved; got reach: bank")
        return self
