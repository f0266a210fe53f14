"""A solver of Inspect on trial, with Inspect's own package and a model of its that asks nobody."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import memtrial as mt
from memtrial.faults import SpecFault
from tests.api.test_trial import NOTES, rows_of, under

PACKAGE = find_spec("inspect_ai") is not None
needs_package = pytest.mark.skipif(not PACKAGE, reason="pip install 'memtrial[inspect]' brings Inspect")


def reading_model() -> Any:
    """Inspect's model of scripted replies, which does what stands in its request."""
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def reply(messages: list[Any], *_: Any) -> Any:
        told = "press the green button" in " ".join(message.text for message in messages)
        output = ModelOutput.from_content("mockllm/model", "press the green button" if told else "wait")
        output.usage = ModelUsage(input_tokens=7, output_tokens=2, total_tokens=9)
        return output

    return get_model("mockllm/model", custom_outputs=reply)


@needs_package
def test_a_solver_reads_its_memory_and_inspect_scores_it(tmp_path: Path) -> None:
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import includes
    from inspect_ai.solver import generate

    samples = [
        Sample(input=f"The lamp is red, {n}.", target="press the green button", id=n) for n in range(2)
    ]
    agent = mt.agent_from_inspect(generate(), includes(), reading_model())
    results = mt.trial(agent, samples, NOTES, options=under(tmp_path, conditions=("counter",)))
    scores = {(row.task, row.condition): row.score for row in rows_of(tmp_path)}
    assert scores == {
        (name, condition): float(condition == "intact")
        for name in ("0", "1")
        for condition in ("intact", "without", "counter")
    }
    assert {row.input_tokens for row in rows_of(tmp_path)} == {7}
    assert results.backbones == ("own/generate",)


@needs_package
def test_a_solver_that_leaves_the_memory_out_is_an_error_and_no_failure(tmp_path: Path) -> None:
    from inspect_ai.scorer import includes
    from inspect_ai.solver import solver

    @solver
    def forgets() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            state.messages = [message for message in state.messages if message.role != "system"]
            return await generate(state)

        return solve

    agent = mt.agent_from_inspect(forgets(), includes(), reading_model())
    row_of = {"input": "The lamp is red.", "target": "wait"}
    mt.trial(agent, [row_of], NOTES, options=under(tmp_path, conditions=("counter",)))
    rows = {row.condition: row for row in rows_of(tmp_path)}
    assert (rows["without"].status, rows["intact"].status) == ("success", "error")
    assert "the solver left the memory out" in rows["intact"].cause


@pytest.mark.skipif(PACKAGE, reason="the package is there")
def test_without_the_package_one_line_says_what_to_install() -> None:
    with pytest.raises(SpecFault, match=r"pip install 'memtrial\[inspect\]'"):
        mt.agent_from_inspect(print, print)
