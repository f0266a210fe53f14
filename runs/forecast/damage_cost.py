"""What damage that a model writes and a judge reads may cost, before anything is played."""

import numpy as np

from memtrial.judges.advice_comparison import ASKED, COMPARISON
from memtrial.perturbations.written.claims import CLAIMS, INSTRUCTIONS
from memtrial.perturbations.written.written_slot import TRIES
from memtrial.runs.forecast.cost_forecast import ITEM, NOTHING, Range, of_calls, slot_tokens
from memtrial.runs.forecast.world_sample import CHARACTERS, WorldSample
from memtrial.runs.setup.preflight import Experiment
from memtrial.runs.spec.damage_writers import damage_writers
from memtrial.runs.trials.written_damage import written_kinds

LIKELY_TRIES = 1.5
"""Drafts of a slot until one is accepted; at most `TRIES`."""
READING_SHARE, READING_LEAST = 3.0, 100.0
"""Tokens in which a judge lists and compares the advice of two texts: for each token of one, and beside."""


def cost_written_damage(experiment: Experiment, seen: WorldSample) -> Range:
    """What a model drafts of the damage and the judge reads of it, all backbones together."""
    spec, design, prices = experiment.spec, experiment.design, experiment.prices
    whole, memories = NOTHING, {arm.memory: arm for arm in reversed(design.arms)}
    writers = damage_writers(spec)
    for memory, arm in memories.items() if writers.model is not None else ():
        kinds = written_kinds(kind.name for kind in design.damages[arm.name])
        slots = seen.n_test * (design.draws if memory in design.drawn else 1)
        slot, n = slot_tokens(spec, arm, seen), slots * len(kinds)
        instruction = max((len(INSTRUCTIONS[kind].render()) for kind in kinds), default=0) / CHARACTERS
        # tasks often show the same slot, which is written once; a draft may be accepted at once
        drafts = np.array([0, LIKELY_TRIES * n, TRIES * n])
        # from the second on, the last draft is shown as well
        prompt = instruction + slot * np.array([1, 1 + (LIKELY_TRIES - 1), 2])
        whole += of_calls(str(writers.model), prices, prompt, slot, drafts)
        # item by item, both texts of it; a draft that a program refuses is not read
        items = np.maximum(1.0, slot / ITEM)
        read = len(COMPARISON.render()) / CHARACTERS + 2 * slot / items
        answer = READING_SHARE * slot / items + READING_LEAST
        # masks are read first and compared then, those of the rules at last
        masked = sum(CLAIMS[kind] == "hidden" for kind in kinds)
        readings = drafts * (1 + masked / max(1, len(kinds))) + np.array([0, 0, 2 * slots * masked])
        asked = readings * items * np.array([1, 1, ASKED])
        whole += of_calls(str(writers.judge), prices, read, answer, asked)
    return whole.times(len(spec.backbone))
