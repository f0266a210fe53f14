"""What a probe is asked to do."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memtrial.api.probe.probed_cells import USUAL
from memtrial.faults import SpecFault
from memtrial.runs.spec.option_values import SEEDS, settle

BOUNDS = {"calls": (2, 100_000), "samples": (0, 100), "seed": SEEDS, "max_connections": (1, 1_000)}


@dataclass(frozen=True, slots=True)
class ProbeOptions:
    """How recorded decisions are asked again.

    Args:
        conditions: what the intact memory is held against, by name.
        arms: of a run, those that are probed; by default all whose memory stands in the prompt.
        model: that is asked, provider/name; by default the one that decided. Logs need it.
        memory: of logs, the file with what stood in the prompts.
        advised: what items advise, where it cannot be read from them.
        calls: at most, for each arm and model.
        samples: replies to a cell that are drawn; 0: the shares of its choices where the server gives them,
            else one reply.
        max_cost: US dollars that all sessions of this probe may spend.
        out: its folder.
        seed: of logs, by default 0; a run has its own.
        margin: the smallest effect that matters, of logs, by default .1; a run has its own.
        environment: where keys and addresses stand; the process's own unless given.
    """

    conditions: tuple[str, ...] = USUAL
    arms: tuple[str, ...] = ()
    model: str | None = None
    memory: Path | None = None
    advised: Path | None = None
    calls: int = 400
    samples: int = 0
    max_cost: float | None = None
    out: Path | None = None
    seed: int | None = None
    margin: float | None = None
    base_urls: tuple[str, ...] = ()
    max_connections: int = 16
    environment: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        settle(self, BOUNDS)
        if not self.conditions:
            raise SpecFault(f"--conditions names what is asked beside the intact memory, as {USUAL[0]}")
        if self.margin is not None and not 0.0 < self.margin < 1.0:
            raise SpecFault(f"--margin is a share between 0 and 1; got {self.margin:g}")
        if self.max_cost is not None and self.max_cost <= 0:
            raise SpecFault(f"--max-cost is a number of dollars above 0; got {self.max_cost:g}")
