"""What `-S` makes of a spec: a mapping merges with what stands there, an empty one removes it."""

from pathlib import Path
from typing import Any

import pytest

from memtrial.runs.spec.read_spec import load_spec
from memtrial.runs.spec.spec import Spec
from tests.support.small import write_spec

SCRIBE, EXAMINER = "simulated/scribe", "simulated/examiner"


def roles(spec: Spec) -> dict[str, Any]:
    return spec.roles.model_dump(exclude_none=True)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (("roles={gate: openai/a}",), {"condenser": SCRIBE, "gate": "openai/a"}),
        (("roles={judge: openai/a}", "roles={coder: rules}"),
         {"condenser": SCRIBE, "gate": EXAMINER, "judge": "openai/a", "coder": "rules"}),
        (("roles.gate=null",), {"condenser": SCRIBE}),
        (("roles={gate: null}",), {"condenser": SCRIBE}),
        (("roles={}",), {}),
        (("roles={}", "roles={gate: openai/a}"), {"gate": "openai/a"}),
        (("roles={gate: openai/a}", "roles={}"), {}),
    ],
)  # fmt: skip
def test_a_mapping_merges_and_an_empty_one_removes(
    tmp_path: Path, settings: tuple[str, ...], expected: dict[str, str]
) -> None:
    assert roles(load_spec(write_spec(tmp_path), settings)) == expected


def test_a_variable_merges_before_the_command_line(tmp_path: Path) -> None:
    variables = {"MEMTRIAL_ROLES": "{judge: openai/a, gate: openai/b}"}
    spec = load_spec(write_spec(tmp_path), ("roles={gate: openai/c}",), variables)
    assert roles(spec) == {"condenser": SCRIBE, "judge": "openai/a", "gate": "openai/c"}


def test_mappings_merge_at_every_depth_and_lists_are_replaced(tmp_path: Path) -> None:
    given = (
        "condensers={native: {kind: native}, theory: {kind: theory, max_rounds: 3}}",
        "condensers={theory: {gates: [refuter]}}",
        "condensers={theory: {gates: [claim-strength]}}",
        "sampling={agent: {temperature: 0.5}}",
        "sampling={agent: {max_tokens: 64}, gate: {temperature: null}}",
        "arms=[none, {name: x, condenser: theory}]",
        "arms=[none, control]",
    )
    spec = load_spec(write_spec(tmp_path), given)
    theory = spec.condensers["theory"]
    assert (set(spec.condensers), theory.max_rounds, theory.gates) == (
        {"native", "theory"}, 3, ("claim-strength",),
    )  # fmt: skip
    assert (spec.sampling.agent.temperature, spec.sampling.agent.max_tokens) == (0.5, 64)
    # null is a value here: the provider's own temperature
    assert spec.sampling.gate.temperature is None
    assert spec.arms == ("none", "control")


def test_another_world_or_kind_begins_anew(tmp_path: Path) -> None:
    path = write_spec(tmp_path)
    assert load_spec(path, ("environment={test: 2}",)).environment.model_dump()["train"] == 24
    assert (
        load_spec(path, ("environment={world: workshop, test: 2}",)).environment.model_dump()["train"] == 24
    )
    world = load_spec(path, ("environment={world: scienceworld, test: 2}",)).environment
    assert world.model_dump()["train"] == 10  # its own default, not the other world's 24
    gated, raw = "condensers={mine: {kind: theory, gates: [refuter]}}", "condensers={mine: {kind: raw}}"
    assert load_spec(path, (gated, raw)).condensers["mine"].gates == ()
