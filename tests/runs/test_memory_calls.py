"""What a memory system asked a model before the first trial is counted, also where the run goes on later."""

import json
from pathlib import Path

import pytest

from memtrial.runs.spec.read_spec import load_spec
from tests.support.carried_out import play_spec
from tests.support.small import write_spec

STORE = '''
from memtrial.memory.stored_item import StoredItem, replace_text


class Asking:
    """A store that asks a model something new at a reading."""

    takes_damage = TAKES_DAMAGE

    def __init__(self, ask):
        self.ask, self.notes, self.was, self.readings = ask, {}, {}, 0

    def write(self, trajectory):
        last = trajectory.steps[-1].action
        self.notes[trajectory.trace_id] = f"In {trajectory.query!r} this worked: {last}."
        self.was = dict(self.notes)

    async def read(self, task, state, k):
        self.readings += 1
        if ASKS_NOW:
            await self.ask("", f"You are the Curator in the ACE framework. Reading {self.readings}.")
        return [StoredItem(id, text, 1.0) for id, text in self.notes.items()][:k]

    def list(self):
        return [StoredItem(id, text) for id, text in self.notes.items()]

    def replace(self, id, text):
        replace_text(self.notes, id, text)
'''
SPEC = """
name: asking
seed: 3
environment: {world: workshop, train: 4, test: 2}
backbone: simulated/reader
roles: {condenser: simulated/scribe}
traces: {source: expert, expert_share: 1.0}
retrieval: {k: 2}
arms: [none, {name: mine, memory: "SOURCE"}]
conditions: [corrupt_mask]
repeats: 1
"""
CASES = {
    # each of the two tasks is read once for the run, and once more to see what the store does
    "when it is looked at": ("False", "self.readings > 2", 2),
    # and once for the damage that is put into it
    "when it is damaged": ("True", "self.notes != self.was", 2),
}


@pytest.mark.parametrize("case", CASES)
def test_what_a_store_asks_counts_in_a_run_that_was_prepared_alone(tmp_path: Path, case: str) -> None:
    takes_damage, asks_now, n_calls = CASES[case]
    source = tmp_path / "store.py"
    source.write_text(STORE.replace("TAKES_DAMAGE", takes_damage).replace("ASKS_NOW", asks_now))
    spec = load_spec(write_spec(tmp_path, SPEC.replace("SOURCE", f"{source}:Asking")))
    assert play_spec(spec, tmp_path / "whole") == 0
    assert play_spec(spec, tmp_path / "stopped", 0) == 0  # prepared alone
    assert play_spec(spec, tmp_path / "stopped") == 0
    whole = (tmp_path / "whole" / "results.json").read_text()
    counted = {row["purpose"]: row["calls"] for row in json.loads(whole)["preparation"]}
    assert counted == {"memory mine": n_calls}
    assert (tmp_path / "stopped" / "results.json").read_text() == whole
