"""The shipped profiles, a profile of one's own, and that every switch changes what is shown or logged."""

import pytest

from memtrial.faults import SpecFault
from memtrial.memory.bank.bank_item import BankItem, ItemDetails, ItemOrigin, ItemUses
from memtrial.memory.bank.ranking.item_key import key_text, record_of
from memtrial.memory.bank.ranking.own_profile import read_profile, write_profile
from memtrial.memory.bank.ranking.ranked_items import rank_items
from memtrial.memory.bank.ranking.ranking_profile import RankingProfile
from memtrial.memory.bank.ranking.shipped_profiles import PROFILES, SEED001, profile_named
from memtrial.memory.item import AdditiveItem, NativeItem, ProseItem, TheoryItem
from tests.support.ranked import NOW, axis, bank_item, pool_of

SHIPPED = {
    # name: unit, k, key, similarity, recency, confidence, recency's kind, confidence's kind, diversity, form
    "upstream": ("record", 1, "query", 1.0, 0.0, 0.0, "half_life", "stored", 0.0, "markdown"),
    "paper": ("item", 3, "query", 1.0, 0.0, 0.0, "half_life", "stored", 0.0, "markdown"),
    "seed000": ("item", 3, "query", 0.5, 0.2, 0.3, "half_life", "log_odds", 0.1, "strategies"),
    "seed001": ("item", 3, "title_desc", 1.0, 0.0, 0.0, "half_life", "stored", 0.0, "strategies"),
    "seed003": ("item", 3, "item", 0.65, 0.15, 0.2, "efold", "stored", 0.1, "strategies"),
}


def test_the_profiles_have_the_figures_of_their_documents() -> None:
    assert {
        profile.name: (
            profile.unit, profile.k, profile.key,
            profile.weights.similarity, profile.weights.recency, profile.weights.confidence,
            profile.recency.kind, profile.confidence.kind, profile.diversity.weight, profile.preamble,
        )
        for profile in PROFILES
    } == SHIPPED  # fmt: skip
    assert {profile.recency.days for profile in PROFILES} == {45.0}
    assert {profile.confidence.decay_days for profile in PROFILES} == {None}
    assert {profile.diversity.kind for profile in PROFILES} == {"penalty"}
    assert [profile.name for profile in PROFILES if profile.least_confidence or profile.budget] == ["seed001"]
    assert SEED001.least_confidence.words == "above 0.7"
    assert SEED001.budget.words == "fewer than 500 tokens (cl100k_base)"
    assert not any(profile.probation for profile in PROFILES)
    temperatures = {profile.name: tuple(profile.temperatures.model_dump().values()) for profile in PROFILES}
    assert temperatures == {
        "upstream": (0.0, 1.0, None),
        "paper": (0.0, 0.0, 0.7),
        "seed000": (None, None, None),
        "seed001": (None, None, None),
        "seed003": (0.0, None, None),
    }


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_a_profile_is_written_and_read_whole(profile: RankingProfile) -> None:
    assert profile_named(profile.name) == profile
    assert read_profile(write_profile(profile)) == profile
    other = "upstream" if profile.name != "upstream" else "seed001"
    assert read_profile(f"base: {other}\n{write_profile(profile)}") == profile


def test_a_switch_inside_another_changes_that_alone() -> None:
    mine = read_profile("base: seed001\nname: mine\nbudget: {tokens: 90}\nrecency: {days: 7}\n")
    assert (mine.budget.tokens, mine.budget.strict, mine.budget.tokenizer) == (90, True, "cl100k_base")
    assert (mine.recency.days, mine.recency.kind) == (7, "half_life")
    assert read_profile("base: seed001\nbudget: null\n").budget is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("kk: 5", "'kk' is no switch; there are base, name, unit, k, key"),
        ("recency: {day: 3}", "'recency.day' is no switch"),
        ("k: -1", "k: Input should be greater than or equal to 0; got -1"),
        ("k: 2.5", "k: Input should be a valid integer; got 2.5"),
        ("k: true", "k: Input should be a valid integer; got True"),
        ("weights: {similarity: .nan}", "weights.similarity: Input should be a finite number; got nan"),
        ("weights: {similarity: 0.5}", "recency and confidence sum to 1; here they sum to 0.85"),
        ("weights: {similarity: -0.5}", "weights.similarity: Input should be greater than or equal to 0"),
        ("diversity: {weight: 1.5}", "diversity.weight: Input should be less than or equal to 1; got 1.5"),
        ("recency: {days: 0}", "recency.days: Input should be greater than 0; got 0"),
        ("base: seed004", "upstream, paper, seed000, seed001, seed003; got 'seed004'"),
        ("probation: true", "below least_confidence; there is no least_confidence"),
        ("{base: seed001, k: 1, probation: true}", "below least_confidence; there is k = 1"),
        ("[k, 5]", "a mapping of a profile's switches is needed, as in `k: 3`; got '[k, 5]'"),
        ("", "a mapping of a profile's switches is needed"),
        ("k: [", "a mapping of a profile's switches is needed; "),
        ("k: 1\nk: 2", "stands twice"),
    ],
)  # fmt: skip
def test_a_fault_is_one_line(text: str, line: str) -> None:
    with pytest.raises(SpecFault) as caught:
        read_profile(text)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def scene() -> list[BankItem]:
    """Items that differ in all that a profile can look at."""
    return [
        bank_item("a", 90, 0.9, ItemUses(cited=2, wins=0, losses=2), task_id="t1", text="Wait. " * 30),
        bank_item("b", 0, 0.65, ItemUses(cited=9, wins=9, losses=0), task_id="t1"),
        bank_item("c", 30, 0.75, ItemUses(), "failure", task_id="t2"),
        bank_item("d", 10, 0.7, ItemUses(cited=40, wins=10, losses=30), task_id="t3"),
        bank_item("e", 200, 0.95, ItemUses(cited=1, wins=1, last_cited=NOW), task_id="t4"),
    ]


VECTORS = [[0.9, 0.435, 0.0], [0.88, 0.475, 0.0], [0.7, 0.0, 0.714], [0.5, 0.866, 0.0], [0.3, 0.0, 0.954]]
SWITCHES = {
    "unit": "unit: record",
    "k": "k: 1",
    "weights": "weights: {similarity: 0.1, recency: 0.7, confidence: 0.2}",
    "recency": "recency: {kind: half_life}",
    "recency.days": "recency: {days: 400}",
    "confidence": "confidence: {kind: log_odds}",
    "confidence.wins_prior": "confidence: {kind: log_odds, wins_prior: 50}",
    "confidence.losses_prior": "confidence: {kind: log_odds, losses_prior: 50}",
    "confidence.usage": "confidence: {kind: usage}",
    "confidence.boosted": "confidence: {kind: boosted}",
    "confidence.decay_days": "confidence: {decay_days: 90}",
    "diversity": "diversity: {weight: 0.9}",
    "diversity.kind": "diversity: {kind: lambda, weight: 0.7}",
    "least_confidence": "least_confidence: {least: 0.7}",
    "least_confidence.strict": "least_confidence: {least: 0.7, strict: true}",
    "least_similarity": "least_similarity: {least: 0.8}",
    "budget": "budget: {tokens: 60}",
    "budget.tokenizer": "budget: {tokens: 60, tokenizer: words}",
    "probation": "{least_confidence: {least: 0.72}, probation: true}",
    "preamble": "preamble: experiences",
    "name": "name: mine",
}


def test_each_switch_changes_what_is_decided() -> None:
    pool = pool_of(scene(), VECTORS)
    profiles = {"none": read_profile("base: seed003")} | {
        switch: read_profile(f"{text}") for switch, text in SWITCHES.items()
    }
    decided = {switch: rank_items(pool, axis(3), profile, NOW) for switch, profile in profiles.items()}
    for switch, ranking in decided.items():
        same = [other for other, another in decided.items() if another == ranking and other != switch]
        assert same == [], (switch, same)
    # temperatures and the key decide outside of a ranking: of what is asked, and of which texts are embedded
    assert {switch.partition(".")[0] for switch in SWITCHES} == set(RankingProfile.model_fields) - {
        "key",
        "temperatures",
    }


ORIGIN = ItemOrigin("t", "Buy soap", "success", trajectory_id="run-1/t")
THEORY = TheoryItem("In a shop, ask first", 'state: "shop"', "Staff know.", "Not online.", "heuristic")
ADDITIVE = AdditiveItem("Ask", "On shops", "Ask staff", *(getattr(THEORY, name) for name in THEORY.__slots__))


FIVE = 'In a shop, ask first\nstate: "shop"\nStaff know.\nNot online.\nheuristic'
STATED, TYPED = "in a shop\nlost", 'state: "shop"'


@pytest.mark.parametrize(
    ("item", "whole", "title_desc", "trigger"),
    [
        (NativeItem("Ask", "On shops", "Ask staff"), "Ask\nOn shops\nAsk staff", "Ask\nOn shops", STATED),
        (NativeItem("Ask", "", "Ask staff"), "Ask\nAsk staff", "Ask", STATED),
        (ProseItem("Ask staff"), "Ask staff", "Ask staff", STATED),
        (THEORY, FIVE, "In a shop, ask first", TYPED),
        (ADDITIVE, f"Ask\nOn shops\nAsk staff\n{FIVE}", "Ask\nOn shops", TYPED),
    ],
)
def test_the_text_by_which_an_item_is_found(item, whole: str, title_desc: str, trigger: str) -> None:
    held = BankItem("x", 1, item, ORIGIN, NOW, 0.8, ItemDetails(preconditions=("in a shop", "lost")))
    keys = [key_text(held, key) for key in ("query", "item", "title_desc", "trigger")]
    assert keys == ["Buy soap", whole, title_desc, trigger]


def test_a_record_is_a_trajectory_a_task_or_an_item_alone() -> None:
    made = BankItem("x", 1, ProseItem("p"), ORIGIN, NOW, 0.8)
    assert record_of(made) == "run-1/t"
    assert record_of(BankItem("x", 1, ProseItem("p"), ItemOrigin("t", "", "success"), NOW, 0.8)) == "t"
    assert record_of(BankItem("x", 1, ProseItem("p"), ItemOrigin("", "", "success"), NOW, 0.8)) == "x"
