"""Document 003's configuration: read, written, refused in a line; each of its switches decides something."""

import json
from pathlib import Path

import pytest

from memtrial.evolution.evolve_spec import load_evolve
from memtrial.faults import SpecFault
from memtrial.memory.bank.bank_config import BankConfig, read_config, write_config
from memtrial.memory.bank.consolidated_bank import carry_out, propose_consolidation
from memtrial.memory.bank.distillation.distil_messages import Messages
from memtrial.memory.bank.events.item_queries import every_item
from memtrial.memory.bank.labelled_run import LabelledRun
from memtrial.memory.bank.taught_runs import teach_run
from memtrial.memory.systems.bank_system import RunClock
from tests.support.event_bank import make_trajectory
from tests.support.evolving import bank_in

PRINTED = """
reasoningbank:
  retrieve:
    k: 3
    alpha: 0.65
    beta: 0.15
    gamma: 0.20
    delta: 0.10
    recency_half_life_days: 45
    duplicate_threshold: 0.87
  judge:
    model: "anthropic/claude-sonnet-4-5"
    temperature: 0
  distill:
    max_items_per_traj: 3
    redact_pii: true
  consolidate:
    run_every_new_items: 20
    contradiction_threshold: 0.60
    prune_age_days: 180
    min_confidence_keep: 0.30
  matts:
    enabled: true
    parallel_k: 6
    sequential_r: 3
"""
LESSONS = (
    ("Order rows", "Sort the result rows in ascending order of price.", 1),
    ("Pay", "Check order 44119283 before you pay $12.50 at the desk of the shop.", 1),
    ("Rest", "Open the drawer slowly.", 1),
    ("Fourth", "Close the window at night.", 1),
    ("Order rows", "Sort the result rows in descending order of price.", 100),
    ("Pay", "Check order 44119283 before you pay $12.50 at the desk of the store.", 101),
)


def decide(folder: Path, config: BankConfig) -> list[object]:
    """What a bank decides in a small life: what it keeps, shows, trusts, links and puts aside."""
    bank = bank_in(folder, config.settings())
    clock = bank.log.clock
    assert isinstance(clock, RunClock)
    decided: list[object] = []
    for number, day in enumerate((1, 100, 101)):
        clock.n_runs = day
        made = [
            {"title": title, "description": "D", "content": text}
            for title, text, taught in LESSONS
            if taught == day
        ]

        def ask(messages: Messages, made: list[dict[str, str]] = made) -> str:
            decided.append(messages[0].text)
            return json.dumps({"memories": made})

        teach_run(bank, ask, LabelledRun(make_trajectory(number), "a/judge", 0.4))
        decided.append(bank.consolidate() is not None)
    ranking = bank.rank("Sort the result rows by price, then pay at the desk.")
    decided += [(hit.item.item, round(hit.score, 9)) for hit in ranking.hits]
    first = every_item(bank.log)[0].id
    bank.use(ranking, "t", [first], True)
    clock.n_runs = 215
    proposed = propose_consolidation(bank.log, bank.embed, policy=bank.settings.policy)
    carry_out(bank.log, proposed, "a test")
    decided += [(item.item, item.standing, round(item.confidence, 9)) for item in every_item(bank.log)]
    decided.append(sorted((link.relation, round(link.weight, 6)) for link in proposed.plan.links))
    bank.log.close()
    return decided


def test_the_documents_file_is_read_as_printed_and_written_whole() -> None:
    config = read_config(PRINTED)
    assert config == BankConfig.model_validate({"judge": {"model": "anthropic/claude-sonnet-4-5"}})
    assert read_config(write_config(config)) == config
    other = read_config("retrieve: {k: 5}\nmatts: {enabled: false}")
    assert (other.retrieve.k, other.matts.enabled) == (5, False)
    assert read_config(write_config(other)) == other


@pytest.mark.parametrize(
    "text",
    [
        "reasoningbank: {retrieve: {kk: 3}}",
        "reasoningbank: {retreive: {k: 3}}",
        "reasoningbank: {retrieve: {alpha: 0.9}}",
        "reasoningbank: {distill: {redact_pii: false}}",
        "reasoningbank: {consolidate: {prune_age_days: .nan}}",
        "reasoningbank: {retrieve: {k: 3}}\nmore: 1",
        "reasoningbank: 3",
        "[1, 2]",
        "a: {",
    ],
)
def test_what_does_not_fit_is_refused_in_a_line(text: str) -> None:
    with pytest.raises(SpecFault) as raised:
        read_config(text)
    assert "\n" not in str(raised.value)
    assert "a bank's configuration" in str(raised.value)


BASE = "retrieve: {k: 2}\n"
SWITCHES = (
    "retrieve: {k: 1}",
    "retrieve: {k: 2, alpha: 0.85, gamma: 0.0}",
    "retrieve: {k: 2, beta: 0.0, gamma: 0.35}",
    "retrieve: {k: 2, delta: 0.9}",
    "retrieve: {k: 2, recency_half_life_days: 5}",
    "retrieve: {k: 2, recency_kind: half_life}",
    "retrieve: {k: 2, duplicate_threshold: 0.999}",
    "retrieve: {k: 2, key: title_desc}",
    "distill: {max_items_per_traj: 2}",
    "distill: {canonical: false}",
    "consolidate: {run_every_new_items: 2}",
    "consolidate: {contradiction_threshold: 1.0}",
    "consolidate: {prune_age_days: 300}",
    "consolidate: {min_confidence_keep: 0.01}",
    "confidence: {initial: product}",
    "confidence: {rule: eta}",
)


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    return decide(tmp_path_factory.mktemp("usual"), read_config(BASE))


@pytest.mark.parametrize("switch", SWITCHES)
def test_each_switch_changes_what_a_bank_decides(tmp_path: Path, usual: list[object], switch: str) -> None:
    text = switch if switch.startswith("retrieve") else BASE + switch
    assert decide(tmp_path, read_config(text)) != usual


def test_the_step_counts_where_its_rule_does(tmp_path: Path) -> None:
    small, large = (
        decide(tmp_path / str(eta), read_config(f"{BASE}confidence: {{rule: eta, eta: {eta}}}"))
        for eta in (0.05, 0.2)
    )
    assert small != large


SPEC = """
environment: {world: workshop, train: 8, test: 12}
backbone: simulated/reader
roles: {writer: simulated/scribe}
bank: BANK
arms:
  vanilla: {mode: vanilla}
  side: {mode: parallel}
  own: {mode: parallel, k: 2}
  again: {mode: sequential}
"""


def test_an_evolution_takes_all_of_it_and_what_its_spec_states_goes_first(tmp_path: Path) -> None:
    (tmp_path / "bank.yaml").write_text(PRINTED + "    # the end\n", encoding="utf-8")
    path = tmp_path / "spec.yaml"
    path.write_text(SPEC.replace("BANK", str(tmp_path / "bank.yaml")), encoding="utf-8")
    spec = load_evolve(path)
    assert [spec.arms[name].k for name in ("side", "own")] == [6, 2]
    assert spec.arms["again"].r == 3
    assert spec.roles.judge == "anthropic/claude-sonnet-4-5"
    settings = spec.bank.settings("both")
    assert (settings.consolidate, settings.profile.k, settings.profile.temperatures.judge) == (20, 3, 0.0)
    path.write_text(SPEC.replace("BANK", "{config: {matts: {enabled: false}}}"), encoding="utf-8")
    with pytest.raises(SpecFault, match=r"matts\.enabled: false"):
        load_evolve(path)
    path.write_text(SPEC.replace("BANK", "{config: {}, consolidate: 3}"), encoding="utf-8")
    with pytest.raises(SpecFault, match="config states all of a bank"):
        load_evolve(path)
    path.write_text(SPEC.replace("BANK", "{config: {retrieve: {kk: 1}}}"), encoding="utf-8")
    with pytest.raises(SpecFault, match=r"bank\.config\.retrieve\.kk"):
        load_evolve(path)
