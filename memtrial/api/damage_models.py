"""Damage of given slots by a model that writes and a judge that reads, outside a run."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from memtrial.agents.slot import Slot
from memtrial.api.given_spec import client_of, done_by
from memtrial.call_purpose import Purpose
from memtrial.console.display import Display, progress_of
from memtrial.faults import SpecFault, refused
from memtrial.models.client.client import Caller
from memtrial.models.client.types import ModelFault, provider_of, split_model
from memtrial.perturbations.advice.known_actions import Repertoire
from memtrial.perturbations.damage_contract import items_digest
from memtrial.perturbations.written.claims import CLAIMS, ODD_INVERSION
from memtrial.perturbations.written.draft_book import DraftBook, Key
from memtrial.perturbations.written.written_slot import WritingTask, WrittenSlot, plan_writing, write_slot
from memtrial.protocols import Perturbation
from memtrial.runs.preparation.retry_once import two_rounds
from memtrial.runs.setup.context import AT_ONCE
from memtrial.runs.setup.event_loop import without_loop

READ_TOKENS = 4096
"""Most that an answer of the judge may have."""
MOST_LOST = 0.2
"""The share of slots that may be lost to faults of the provider; these are damaged by the rules."""


@dataclass(frozen=True, slots=True)
class DamageModels:
    """Who writes and who reads.

    Args:
        model: that writes, provider/name.
        judge: that reads; by default the model, or simulated/decider for simulated/perturber.
        base_urls: where a provider's requests go, URL or PROVIDER=URL.
        display: shows progress.
    """

    model: str
    judge: str | None = None
    base_urls: Sequence[str] = ()
    display: Display = field(default_factory=lambda: progress_of(None))

    @property
    def reader(self) -> str:
        """The judge that reads."""
        if self.judge is not None:
            return self.judge
        with refused(ModelFault):
            simulated = split_model(self.model)[:2] == ("simulated", "perturber")
        return "simulated/decider" if simulated else self.model

    @property
    def note(self) -> str:
        """The line before anything else where a model is none; else empty."""
        named = dict.fromkeys((self.model, self.reader))
        simulated = ", ".join(model for model in named if provider_of(model) == "simulated")
        return f"simulated: for trying out, by rules and no language model: {simulated}" if simulated else ""


@without_loop
def write_all(
    kind: Perturbation, slots: Sequence[Slot], known: Repertoire, models: DamageModels
) -> DraftBook:
    """What the model wrote of each slot, each intact text once.

    Raises:
        SpecFault: no model writes this kind, or one cannot do what it is asked for; nothing was sent.
        RunFault: a model could not be had.
    """
    name = kind.aim.declared.part or kind.name
    if name not in CLAIMS:
        raise SpecFault(f"a model writes {', '.join(CLAIMS)}; got {kind.name}; leave the model out")
    reader, shown = models.reader, models.display
    client = client_of([("perturb", models.model), ("decide", reader)], models.base_urls, say=shown.say)
    writer = Caller(client, models.model, purpose=Purpose("damage"))
    judge = Caller(client, reader, max_tokens=READ_TOKENS, purpose=Purpose("damage check"))
    # an oddity is as odd as the inversion of the same slot, which is written first
    kinds = ("corrupt_invert", name) if name == ODD_INVERSION else (name,)
    done: dict[Key, WrittenSlot] = {}

    async def work() -> None:
        with shown.phase(f"write {name}", len(kinds) * len(slots)) as tick:

            async def write(task: WritingTask) -> None:
                done[task.key] = await write_slot(task, writer, judge)
                tick()

            for asked in kinds:
                texts = {key: slot.items for key, slot in done.items() if slot.items}
                tasks = tuple(
                    {items_digest(slot): plan_writing(asked, slot, known, texts) for slot in slots}.values()
                )
                most_lost = int(len(tasks) * MOST_LOST)
                lost = await two_rounds(tasks, write, AT_ONCE, most_lost, client.forgive)
                done.update(
                    {task.key: WrittenSlot(why=f"no answer: {fault.kind}") for task, fault in lost.items()}
                )

    done_by(client, work, lambda: f"a model could not be had after {len(done)} slots")
    return DraftBook(models.model, reader, {key: slot for key, slot in done.items() if key[0] == name})
