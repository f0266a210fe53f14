"""A budget stops a run at a whole block, a larger one finishes it; a model without a price is named."""

import json
from collections import Counter
from pathlib import Path

import pytest

from memtrial.faults import SpecFault
from memtrial.models.scripted.scripted_server import serve_script
from tests.support.scripted_run import CLAUDE, GPT, carry_out, query, refuse_unlawful, script, sent, trials

MORE = ("environment.test=8", "arms=[none, control]")
UNPRICED = "anthropic/claude-of-tomorrow"


def spent(folder: Path) -> float:
    (faults,), (answers,) = query(
        folder,
        "SELECT coalesce(sum(usd), 0) FROM send_faults UNION ALL SELECT coalesce(sum(usd), 0) FROM calls",
    )
    return float(faults + answers)


def blocks(folder: Path) -> dict[tuple[str, int], float]:
    """Trials of a block → its cost; every block has all its trials."""
    costs: dict[tuple[str, int], float] = {}
    counts: Counter[tuple[str, int]] = Counter()
    for row in trials(folder):
        assert row.usd is not None
        costs[row.task, row.repeat] = costs.get((row.task, row.repeat), 0.0) + row.usd
        counts[row.task, row.repeat] += 1
    assert len(set(counts.values())) <= 1
    return costs


@pytest.mark.parametrize(("model", "workers"), [(CLAUDE, 4), (GPT, 1)])
def test_a_few_cents_end_at_a_whole_block_and_more_of_them_finish_the_run(
    tmp_path: Path, model: str, workers: int, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = (*MORE, f"engine.workers={workers}")
    with serve_script(script()) as server:
        (tmp_path / "whole").mkdir()
        assert carry_out(tmp_path / "whole", server.url, model, settings, told=True) == 0
        whole = blocks(tmp_path / "whole")
        assert len(whole) == 8
    budget = 0.5 * sum(whole.values())
    with serve_script(script()) as server:
        capsys.readouterr()
        few = (*settings, f"budget.max_cost_usd={budget}")
        assert carry_out(tmp_path, server.url, model, few, reports=True) == 0
        said = capsys.readouterr().err.splitlines()
        assert len(said) == 1
        assert "budget" in said[0]
        assert "larger --max-cost" in said[0]
        some = blocks(tmp_path)
        assert 0 < len(some) < 8
        assert spent(tmp_path) <= budget + max(some.values())
        refuse_unlawful(tmp_path, server)
        # again with the same budget: nothing that would go over it is begun
        before = spent(tmp_path)
        assert carry_out(tmp_path, server.url, model, few) == 0
        assert spent(tmp_path) == pytest.approx(before)
        assert carry_out(tmp_path, server.url, model, (*settings, "budget.max_cost_usd=50"), told=True) == 0
        refuse_unlawful(tmp_path, server)
    assert blocks(tmp_path).keys() == whole.keys()
    assert sent(tmp_path).answered == sent(tmp_path / "whole").answered
    told = [
        json.loads((folder / "out" / "results.json").read_text()) for folder in (tmp_path, tmp_path / "whole")
    ]
    assert len({one["cost"]["control"]["calls"] for one in told}) == 1
    assert not any("not finished" in note for one in told for note in one["notes"])


def test_a_budget_that_ends_in_the_preparation_says_so_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = (*MORE, f"traces.player={CLAUDE}", "engine.workers=2")
    with serve_script(script()) as server:
        few = (*settings, "budget.max_cost_usd=0.002")
        assert carry_out(tmp_path, server.url, CLAUDE, few, reports=True) == 0
        said = capsys.readouterr().err.splitlines()
        assert len(said) == 1
        assert "budget of $0.002 is spent" in said[0]
        assert spent(tmp_path) < 0.004
        assert trials(tmp_path) == []
        assert carry_out(tmp_path, server.url, CLAUDE, settings) == 0
        refuse_unlawful(tmp_path, server)
    assert len(blocks(tmp_path)) == 8


def test_a_model_without_a_price_is_named_before_anything_is_spent(tmp_path: Path) -> None:
    with serve_script(script()) as server:
        with pytest.raises(SpecFault, match=f"{UNPRICED}.*--allow-unknown-prices"):
            carry_out(tmp_path, server.url, UNPRICED, (*MORE, "budget.max_cost_usd=1"))
        with pytest.raises(SpecFault, match="none is known for openai/e "):
            carry_out(tmp_path, server.url, CLAUDE, ("retrieval.embedder=openai/e", "budget.max_cost_usd=1"))
        assert not (tmp_path / "out").exists()
        assert server.counts()["requests"] == 0
        allowed = ("budget.max_cost_usd=1", "budget.allow_unknown_prices=true")
        assert carry_out(tmp_path, server.url, UNPRICED, (*MORE, *allowed)) == 0
        assert refuse_unlawful(tmp_path, server).total() == 24
        assert {row.usd for row in trials(tmp_path)} == {None}
        # with a price of one's own it is known
        own = f'budget.prices={{"{UNPRICED}": {{input: 1, output: 2}}}}'
        (tmp_path / "own").mkdir()
        assert carry_out(tmp_path / "own", server.url, UNPRICED, (*MORE, "budget.max_cost_usd=9", own)) == 0
        assert spent(tmp_path / "own") > 0


def test_what_is_no_part_of_the_identity_may_change_and_the_rest_is_named(tmp_path: Path) -> None:
    with serve_script(script()) as server:
        assert carry_out(tmp_path, server.url, CLAUDE) == 0
        before = sent(tmp_path)
        others = ("budget.max_cost_usd=7", "engine.workers=3", "engine.attempts=2", "display=log",
                  "engine.max_connections=2")  # fmt: skip
        assert carry_out(tmp_path, server.url, CLAUDE, others) == 0
        for setting, key in (
            ("seed=4", "seed"),
            ("conditions=[empty]", "conditions"),
            ("environment.test=4", "environment.test"),
            ("sampling.agent.temperature=0.5", "sampling.agent.temperature"),
            ("retrieval.k=2", "retrieval.k"),
        ):
            with pytest.raises(SpecFault, match=rf"another experiment; changed: {key} \("):
                carry_out(tmp_path, server.url, CLAUDE, (setting,))
        with pytest.raises(SpecFault, match=r"changed: backbone"):
            carry_out(tmp_path, server.url, GPT)
        assert sent(tmp_path) == before
        refuse_unlawful(tmp_path, server)
