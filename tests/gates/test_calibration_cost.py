"""A run whose judge was not calibrated says first how to calibrate it, with the calls and what they cost."""

import asyncio
import re
import shlex
from pathlib import Path

from memtrial.gates.calibration.labelled_items import read_fixtures
from memtrial.gates.calibration.regression import Always, regress
from memtrial.gates.suite import NAMES, SEED_SUBSET, kinds_of
from memtrial.models.client.prices import Price, shipped_prices
from memtrial.runs.setup.gate_notices import advising_notice
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.read_spec import load_spec

SPECS = Path(__file__).parents[2] / "runs" / "specs"
ODD = "simulated/examiner?hit=0.8"


def first_notice(*changes: str) -> str:
    return next(iter(check_spec(load_spec(SPECS / "quickstart.yaml", changes)).notices), "")


def test_the_first_line_names_the_judge_its_gates_and_the_command() -> None:
    told = first_notice(f"roles={{gate: '{ODD}'}}")
    assert told.startswith(f"{ODD} was not calibrated at {', '.join(SEED_SUBSET)}: there it only advises")
    command = shlex.split(re.search("`(.+?)`", told)[1])
    assert command[:5] == ["memtrial", "gates", "regress", "--judge", ODD]
    assert command[command.index("--gates") + 1] == ",".join(SEED_SUBSET)
    assert told.endswith("name the file as roles.gate_calibration")


def test_it_comes_before_where_keys_go() -> None:
    spec = load_spec(SPECS / "quickstart.yaml", ["roles={gate: openai/gpt-4.1-mini}"])
    first, *others = check_spec(
        spec, {"OPENAI_API_KEY": "x"}, ("openai=http://127.0.0.1:9/v1",), keys_needed=False
    ).notices
    assert "was not calibrated" in first
    assert any("127.0.0.1" in line for line in others)


def test_a_judge_that_was_calibrated_is_no_news() -> None:
    assert "calibrated" not in first_notice()


def test_the_temperature_of_the_gates_stands_in_the_command() -> None:
    told = first_notice(f"roles={{gate: '{ODD}'}}", "sampling={gate: {temperature: 0.3}}")
    assert " --temperature 0.3 --gates " in told


def test_the_calls_are_those_that_the_calibration_makes() -> None:
    asked = []

    async def judge(question, item, trajectory):
        asked.append(question)
        return await Always("pass")(question, item, trajectory)

    asyncio.run(regress(kinds_of(SEED_SUBSET), judge, read_fixtures(gates=NAMES)))
    told = advising_notice("a/b", SEED_SUBSET, None, shipped_prices({"a/b": Price(0.0, 0.0)}))
    assert f"(at most {len(asked)} calls, about 0.00 USD)" in told


def test_the_dollars_are_those_of_the_price_table() -> None:
    def usd(price: Price) -> float:
        told = advising_notice("a/b", SEED_SUBSET, None, shipped_prices({"a/b": price}))
        return float(re.search(r"about ([\d.]+) USD", told)[1])

    calls = 146
    assert usd(Price(0.0, 1_000.0)) == 100 * calls / 1_000  # so many tokens of each answer
    assert 1_000 < usd(Price(1_000.0, 0.0)) * 1_000 / calls < 2_500  # tokens of a question, its item and run
    assert "no price is known" in advising_notice("a/b", SEED_SUBSET, None, shipped_prices())
