"""The plan of a consolidation: contradictions before duplicates, and the edges of each threshold."""

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.memory.bank.bank_item import BankItem, ItemUses
from memtrial.memory.bank.consolidation.advice_polarity import measure_opposition
from memtrial.memory.bank.consolidation.consolidation_plan import ConsolidationPlan, show_planned
from memtrial.memory.bank.consolidation.consolidation_policy import (
    BankHistory,
    Citation,
    ConsolidationPolicy,
    KnownLink,
)
from memtrial.memory.bank.consolidation.consolidator import list_pairs, plan_consolidation
from memtrial.memory.bank.consolidation.contradiction import AnsweredPairs, Contradicts
from memtrial.memory.bank.consolidation.near_items import UnitRows, find_leaders, find_near_pairs
from memtrial.models.embeddings.embedding import HashingEmbedder
from tests.support.bank_examples import DAY, NOW, make_item

NONE = BankHistory()


def never(first: BankItem, second: BankItem) -> float:
    return 0.0


def at_cosine(*cosines: float) -> np.ndarray:
    """A first row along the axis, and others of these cosines to it, each in a plane of its own."""
    rows = np.zeros((len(cosines) + 1, len(cosines) + 1))
    rows[0, 0] = 1.0
    for place, cosine in enumerate(cosines, 1):
        rows[place, 0], rows[place, place] = cosine, (1 - cosine**2) ** 0.5
    return rows


def plan(
    items: Sequence[BankItem],
    vectors: np.ndarray,
    contradicts: Contradicts = never,
    history: BankHistory = NONE,
    policy: ConsolidationPolicy = ConsolidationPolicy(),
) -> ConsolidationPlan:
    return plan_consolidation(items, vectors, contradicts, history, NOW, policy)


def merged(made: ConsolidationPlan) -> dict[str, str]:
    return {link.source: link.target for link in made.links if link.relation == "duplicate_of"}


def cite(name: str, number: int, days: float = 1.0, won: bool = True) -> list[Citation]:
    return [Citation(name, f"task {place}", NOW - days * DAY, won) for place in range(number)]


def test_three_paraphrases_become_one_active_item_and_two_duplicates() -> None:
    texts = (
        "Always fetch the CSRF token and include the token before each POST request.",
        "Always fetch the CSRF token, and include the token before each POST request!",
        "Always fetch the CSRF token and include the token before every POST request.",
    )
    items = [make_item(f"{place}", text, 0.7 + place / 100) for place, text in enumerate(texts)]
    made = plan(items, HashingEmbedder().vectors(texts), measure_opposition)
    after = show_planned(items, made)
    assert merged(made) == {"0": "2", "1": "2"}
    assert [item.standing for item in after] == ["duplicate", "duplicate", "active"]
    assert [item.version for item in after] == [2, 2, 1]


def test_ascending_and_descending_are_linked_and_never_merged() -> None:
    texts = (
        "Sort the rows of the table descending by price.",
        "Sort the rows of the table ascending by price.",
    )
    items = [make_item("a", texts[0], days=9.0), make_item("b", texts[1], days=3.0)]
    made = plan(items, at_cosine(0.91), measure_opposition)
    assert not merged(made)
    assert not made.changes
    assert [(link.source, link.target, link.relation, link.weight) for link in made.links] == [
        ("b", "a", "contradicts", 1.0)
    ]
    assert merged(plan(items, at_cosine(0.91), never)) == {"b": "a"}


@pytest.mark.parametrize(
    ("cosine", "is_in"), [(0.87, True), (0.8701, True), (0.8699, False), (1.0, True), (0.0, False)]
)
@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_the_threshold_itself_is_in(cosine: float, is_in: bool, precision: type) -> None:
    made = plan([make_item("a"), make_item("b", "Write it.")], at_cosine(cosine).astype(precision))
    assert bool(merged(made)) is is_in
    if is_in:
        assert made.links[0].weight == pytest.approx(cosine, abs=1e-6)


@pytest.mark.parametrize(
    ("confidences", "wins", "leader"),
    [((0.7, 0.8, 0.6), (9, 0, 9), "b"), ((0.7, 0.7, 0.7), (0, 1, 2), "c"), ((0.7, 0.7, 0.7), (1, 1, 1), "a")],
)
def test_the_leader_is_first_in_confidence_then_support_then_id(
    confidences: tuple[float, ...], wins: tuple[int, ...], leader: str
) -> None:
    items = [
        make_item(name, name, confidence, uses=ItemUses(wins=won))
        for name, confidence, won in zip("abc", confidences, wins, strict=True)
    ]
    for order in itertools.permutations(items):
        assert merged(plan(order, np.ones((3, 2)))) == {name: leader for name in "abc" if name != leader}


def test_an_item_joins_the_first_leader_that_is_near_and_no_chain_is_formed() -> None:
    # b is near a, c is near b and not near a: c leads itself
    angles = np.deg2rad([0.0, 25.0, 50.0])
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    items = [make_item(name, name, 0.9 - place / 10) for place, name in enumerate("abc")]
    assert merged(plan(items, rows)) == {"b": "a"}


def test_leaders_are_those_of_a_plain_loop_over_many_items() -> None:
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(40, 4))[rng.integers(0, 40, 1_100)] + 0.2 * rng.normal(size=(1_100, 4))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    similar, leaders, plain = rows @ rows.T, list[int](), dict[int, int]()
    for row in range(len(rows)):
        leader = next((other for other in leaders if similar[row, other] >= 0.87), None)
        if leader is None:
            leaders.append(row)
        else:
            plain[row] = leader
    assert 20 < len(leaders) < 500
    assert find_leaders(UnitRows.of(rows), range(len(rows)), 0.87, lambda row, leader: True) == plain
    ranked = np.argsort(-np.where(np.eye(len(rows)), -2.0, similar), axis=1)[:, :3]
    nearest = {
        (min(row, int(other)), max(row, int(other))) for row in range(len(rows)) for other in ranked[row]
    }
    assert find_near_pairs(UnitRows.of(rows), -1.0, 3) == sorted(nearest)


OLD, NEW = make_item("old", days=50.0), make_item("new", "Never read it.", days=1.0)
OPPOSED = AnsweredPairs({("new", "old"): 0.9})


def filled(n: int) -> list[BankItem]:
    return [make_item(f"other {place}", f"Lesson {place}.") for place in range(n)]


def spread(n: int) -> np.ndarray:
    """Two rows that are near each other, and others that are near nothing."""
    return np.vstack([np.eye(n)[0], np.eye(n)[0] + 0.5 * np.eye(n)[1], np.eye(n)[2:]])


@pytest.mark.parametrize(
    ("citations", "quarantined"),
    [
        (cite("old", 5), True),
        (cite("old", 4), False),
        (cite("old", 5, days=90.0), True),
        (cite("old", 4) + cite("old", 1, days=90.001), False),
        (cite("old", 5, days=-1.0), False),
        # four items: the top quarter is one of them, and those that tie with it
        (cite("old", 5) + cite("other 0", 5), True),
        (cite("old", 5) + cite("other 0", 6), False),
        (cite("old", 5, won=False), True),
    ],
)
def test_the_newcomer_is_quarantined_where_the_old_one_is_frequently_used(
    citations: list[Citation], quarantined: bool
) -> None:
    items = [OLD, NEW, *filled(2)]
    made = plan(items, spread(4), OPPOSED, BankHistory(tuple(citations)))
    assert [(link.source, link.target, link.weight) for link in made.links] == [("new", "old", 0.9)]
    assert [(change.id, change.after) for change in made.quarantines] == [
        ("new", "quarantined")
    ] * quarantined
    after = show_planned(items, made)
    assert after[0].confidence == OLD.confidence
    assert after[0].standing == "active"


@pytest.mark.parametrize(
    ("strength", "related", "linked"),
    [(0.6, 0.95, False), (0.61, 0.95, True), (0.9, 0.5, True), (0.9, 0.49, False), (None, 0.95, False)],
)
def test_a_contradiction_is_stronger_than_its_threshold_and_of_related_items(
    strength: float | None, related: float, linked: bool
) -> None:
    made = plan([OLD, NEW], at_cosine(related), lambda first, second: strength)
    assert bool([link for link in made.links if link.relation == "contradicts"]) is linked


def test_what_nobody_can_say_is_not_merged_but_the_same_words_are() -> None:
    made = plan([OLD, NEW], np.ones((2, 2)), AnsweredPairs({}))
    assert (made.links, made.n_compared, made.n_unread) == ((), 1, 1)
    same = plan([OLD, replace(OLD, id="copy")], np.ones((2, 2)), AnsweredPairs({}))
    assert merged(same) == {"old": "copy"}
    assert same.n_compared == 0


def test_a_quarantined_item_leads_nobody_and_is_nobodys_duplicate() -> None:
    items = [OLD, replace(NEW, confidence=0.9), make_item("third", "Read it now.", 0.5)]
    made = plan(items, np.ones((3, 3)), OPPOSED, BankHistory(tuple(cite("old", 5))))
    # of three items of one direction the third is asked about both
    assert [change.id for change in made.quarantines] == ["new"]
    assert merged(made) == {}
    answers = AnsweredPairs({("new", "old"): 0.9, ("new", "third"): 0.0, ("old", "third"): 0.0})
    made = plan(items, np.ones((3, 3)), answers, BankHistory(tuple(cite("old", 5))))
    assert merged(made) == {"third": "old"}


def test_items_of_two_projects_and_items_that_are_not_active_are_not_compared() -> None:
    items = [make_item("a", project="org/one"), make_item("b", project="org/two")]
    assert not plan(items, np.ones((2, 2))).links
    for standing in ("quarantined", "duplicate", "archived"):
        assert not plan([OLD, replace(NEW, standing=standing)], np.ones((2, 2))).links  # type: ignore[arg-type]
    assert not list_pairs(items, np.ones((2, 2)))


def test_a_zero_vector_is_near_nothing() -> None:
    assert not plan([OLD, NEW], np.zeros((2, 3))).links


def test_what_somebody_has_undone_is_not_proposed_again() -> None:
    linked = BankHistory(tuple(cite("old", 5)), frozenset({KnownLink("new", "old", "contradicts")}))
    again = plan([OLD, NEW], at_cosine(0.91), OPPOSED, linked)
    assert (again.links, again.quarantines, again.duplicates) == ((), (), ())
    undone = BankHistory((), frozenset({KnownLink("old", "new", "duplicate_of")}))
    assert not plan([OLD, NEW], np.ones((2, 2)), never, undone).changes


def test_a_judge_is_asked_about_the_pairs_that_are_compared() -> None:
    asked: list[tuple[str, str]] = []

    def note(first: BankItem, second: BankItem) -> float:
        asked.append((first.id, second.id))
        return 0.0

    items = [OLD, NEW, *filled(2)]
    plan(items, spread(4), note)
    assert [(old.id, new.id) for old, new in list_pairs(items, spread(4))] == [("old", "new")]
    assert asked == [("new", "old")]


@pytest.mark.parametrize(
    ("vectors", "clock", "words"),
    [
        (np.ones((3, 2)), NOW, "one vector an item is needed; got 3 for 2 items"),
        (np.array([[1.0, np.nan], [1.0, 0.0]]), NOW, "finite"),
        (np.ones(2), NOW, "shape"),
        (np.ones((2, 2)), float("nan"), "clock"),
    ],
)
def test_bad_input_is_refused_in_a_line(vectors: np.ndarray, clock: float, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        plan_consolidation([OLD, NEW], vectors, never, NONE, clock)
    with pytest.raises(ValueError, match="twice"):
        plan([OLD, OLD], np.ones((2, 2)))


def test_a_plan_of_another_version_is_refused() -> None:
    made = plan([OLD, NEW], np.ones((2, 2)))
    with pytest.raises(ValueError, match="make the plan anew"):
        show_planned([replace(OLD, version=2), replace(NEW, version=2)], made)


TEXTS = st.sampled_from(
    ("Sort it ascending.", "Sort it descending.", "Never sort it.", "Sort it.", "Read it.")
)


@st.composite
def banks(draw: st.DrawFn) -> tuple[list[BankItem], np.ndarray, BankHistory]:
    n = draw(st.integers(0, 7))
    items = [
        make_item(
            f"{place:02}",
            draw(TEXTS),
            draw(st.sampled_from((0.2, 0.7, 0.9))),
            draw(st.sampled_from((1.0, 180.0, 200.0, 400.0))),
            draw(st.sampled_from(("success", "failure"))),
            project=draw(st.sampled_from(("", "org"))),
        )
        for place in range(n)
    ]
    angles = np.deg2rad(draw(st.lists(st.sampled_from((0, 10, 25, 29, 80)), min_size=n, max_size=n)))
    cited = [entry for item in items for entry in cite(item.id, draw(st.integers(0, 6)))]
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1) if n else np.zeros((0, 2))
    return items, rows, BankHistory(tuple(cited))


@given(banks(), st.randoms(use_true_random=False))
def test_the_order_of_the_items_does_not_matter(
    bank: tuple[list[BankItem], np.ndarray, BankHistory], order: object
) -> None:
    items, rows, history = bank
    places = list(range(len(items)))
    order.shuffle(places)  # type: ignore[attr-defined]
    made = plan(items, rows, measure_opposition, history)
    assert plan([items[place] for place in places], rows[places], measure_opposition, history) == made


@given(banks())
def test_a_plan_changes_an_item_once_and_after_it_nothing_is_left_to_do(
    bank: tuple[list[BankItem], np.ndarray, BankHistory],
) -> None:
    items, rows, history = bank
    made = plan(items, rows, measure_opposition, history)
    changed = [change.id for change in made.changes]
    assert len(changed) == len(set(changed))
    assert all(change.reason for change in made.changes)
    for link in made.links:
        assert 0.0 <= link.weight <= 1.0
    known = {KnownLink(link.source, link.target, link.relation) for link in made.links}
    again = plan(
        show_planned(items, made), rows, measure_opposition, replace(history, links=frozenset(known))
    )
    assert not again.links
    assert not again.changes
