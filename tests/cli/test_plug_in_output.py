"""What a user's own code prints goes to standard error, in every verb that runs it."""

import json
from pathlib import Path

import pytest

from tests.support.refusing import Warm

TALKING = """
print("loaded")


async def wander(task, world, memory, ask):
    print("wandering")


def passing(item, trajectory):
    print("passing")
    return True


class Talking:
    def observe(self, trajectory):
        pass

    def recall(self, task, state):
        print("recalling", task.id)
        return "Search with care."
"""
SPOKEN = """
name: talking
environment: {world: workshop, train: 6, test: 4}
backbone: simulated/reader
traces: {source: expert}
arms: [none, {name: mine, memory: "talking.py:Talking"}]
conditions: [empty]
repeats: 1
analysis: {flips: 199}
"""


GROWING = """
name: growing
environment: {world: workshop, train: 2, test: 2}
agent: talking.py:wander
backbone: [simulated/reader]
roles: {writer: simulated/scribe}
streams: 1
tasks: 2
arms: {vanilla: {mode: vanilla}, bank: {}}
"""
GATED = """
name: gated
environment: {world: workshop, train: 2, test: 2}
backbone: simulated/reader
roles: {condenser: simulated/scribe, gate: simulated/examiner}
condensers: {native: {kind: native}, theory: {kind: theory, gates: ["talking.py:passing"]}}
arms: [none, artifact]
conditions: [corrupt_invert]
repeats: 1
analysis: {flips: 199}
"""


@pytest.mark.parametrize(
    ("words", "text", "said"),
    [
        ("run talking.yaml --display none", SPOKEN, "recalling workshop-test-"),
        ("plan talking.yaml --simulate 0", SPOKEN, "loaded"),
        ("lock talking.yaml --display none", SPOKEN, "recalling workshop-test-"),
        ("evolve talking.yaml --display none", GROWING, "wandering"),
        ("ablate talking.yaml --plan", GATED, "loaded"),
        ("ablate talking.yaml --display none", GATED, "passing"),
        ("check talking.py:Talking", SPOKEN, "recalling"),
    ],
)
def test_what_a_users_own_code_prints_does_not_stand_among_the_results(
    warm: Warm, tmp_path: Path, words: str, text: str, said: str
) -> None:
    (tmp_path / "talking.py").write_text(TALKING, encoding="utf-8")
    (tmp_path / "talking.yaml").write_text(text, encoding="utf-8")
    ended = warm.call(*words.split(), "--json", cwd=tmp_path, within_s=120)
    assert isinstance(json.loads(ended.out), dict), ended
    assert said in ended.err
