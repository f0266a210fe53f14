"""Which trial is played next: whole blocks, in order, as far as the budget reaches."""

import asyncio
from collections import Counter, deque
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtrial.ledger.rows import TrialRow
from memtrial.runs.engine.frozen.ahead_costs import AheadCosts
from memtrial.runs.engine.run_limits import Limits
from memtrial.runs.engine.schedule import FEWEST, Ending, Opened, Schedule
from memtrial.runs.trials.trials import Block, Trial
from memtrial.worlds.world import Task

TASK = Task("t", "do it", "f", "", "test")


@dataclass
class Played:
    """What came of a schedule."""

    ending: Ending
    begun: list[int] = field(default_factory=list)
    ended: list[int] = field(default_factory=list)
    spent: float = 0.0
    begun_by_first_end: int = 0


def row(key: str, usd: float, error: bool) -> TrialRow:
    status: Any = "error" if error else "failure"
    score = None if error else 0.0
    cause = "no key" if error else ""
    return TrialRow(key, "b", "a", "intact", key, "f", 0, status, score, cause, "", False, "", usd=usd)


def play(
    costs: list[list[float]],
    limits: Limits | None = None,
    workers: int = 1,
    errors: frozenset[int] = frozenset(),
    stop_after: int | None = None,
    dearest: float | None = None,
    **more: Any,
) -> Played:
    """Blocks whose trials cost this much, in US dollars; the n-th trial that ends is an error in `errors`."""
    made = Played(Ending())

    async def all_of_them() -> None:
        blocks = deque(
            (
                cast(Block, SimpleNamespace(number=number, backbone="b", task=TASK, repeat=number)),
                tuple(cast(Trial, SimpleNamespace(usd=usd, key=f"{number}.{i}")) for i, usd in enumerate(of)),
            )
            for number, of in enumerate(costs)
        )
        limited = Limits(**{"spent": lambda: made.spent, **more})
        schedule = Schedule(blocks, limited, dearest)
        ended = 0

        async def work(name: int) -> None:
            nonlocal ended
            while (taken := await schedule.take()) is not None:
                opened, trial = cast(tuple[Opened, Any], taken)
                number = cast(Any, opened.block).number
                if number not in made.begun:
                    made.begun.append(number)
                for _ in range((name * 7 + number) % 3 + 1):
                    await asyncio.sleep(0)
                made.spent += trial.usd
                ended += 1
                opened.rows.append(row(trial.key, trial.usd, ended in errors))
                opened.left -= 1
                if not opened.left:
                    made.begun_by_first_end = made.begun_by_first_end or len(made.begun)
                    made.ended.append(number)
                    await schedule.close_block(opened)
                if ended == stop_after:
                    await schedule.stop(Ending("halted", "by hand"))

        async with asyncio.timeout(20), asyncio.TaskGroup() as group:
            for name in range(workers):
                group.create_task(work(name))
        made.ending = schedule.ending

    asyncio.run(all_of_them())
    return made


COSTS = st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=4), min_size=1, max_size=8)
WORKERS = st.integers(1, 6)


@settings(deadline=None, max_examples=40)
@given(costs=COSTS, workers=WORKERS)
def test_without_limits_every_block_is_played_in_order(costs, workers):
    played = play(costs, workers=workers)
    assert played.ending == Ending()
    assert played.begun == sorted(played.ended) == list(range(len(costs)))
    if workers == 1:
        assert played.ended == played.begun


@settings(deadline=None, max_examples=60)
@given(costs=COSTS, workers=WORKERS, budget=st.floats(0.01, 10), dearest=st.none() | st.floats(0, 3))
def test_a_budget_ends_at_a_whole_block_and_is_kept_wherever_it_can_be(costs, workers, budget, dearest):
    played = play(costs, workers=workers, max_usd=budget, dearest=dearest)
    assert sorted(played.ended) == played.begun == list(range(len(played.begun)))
    if len(played.begun) < len(costs):
        assert played.ending.how == "budget"
        assert "does not reach" in played.ending.why
    else:
        assert played.ending.how in ("done", "budget")
    totals = [sum(of) for of in costs]
    # a block costs at most what the dearest before it did, or it is the first of its cost that was met
    surprises = max((total for total in totals), default=0.0)
    assert played.spent <= budget + workers * surprises + 1e-9
    if len(set(totals)) == 1 and dearest in (None, totals[0]) and len(played.begun) > 1:
        assert played.spent <= budget + 1e-9


@pytest.mark.parametrize("workers", [1, 3, 8])
def test_blocks_of_one_cost_never_spend_more_than_the_budget(workers):
    played = play([[0.25] * 4] * 10, workers=workers, max_usd=3.5)
    assert (played.spent, len(played.ended), played.ending.how) == (3.0, 3, "budget")
    # the same again with what was learnt: nothing more is begun
    again = play([[0.25] * 4] * 7, workers=workers, max_usd=3.5, dearest=1.0, spent=lambda: 3.0)
    assert (again.begun, again.ending.how) == ([], "budget")
    assert "--" not in again.ending.why


@pytest.mark.parametrize("workers", [1, 4])
def test_too_many_errors_stop_it_and_open_blocks_stay_open(workers):
    costs = [[0.0] * 5] * 40
    many = play(costs, workers=workers, errors=frozenset(range(1, 200, 3)), max_error_share=0.2)
    assert many.ending.how == "errors"
    assert "max_error_share 0.2" in many.ending.why
    assert many.ending.why.endswith("one was: no key")
    assert FEWEST <= 5 * len(many.ended) < FEWEST + 5 * (workers + 1)
    assert set(many.ended) <= set(many.begun)
    assert len(many.begun) - len(many.ended) <= workers
    few = play(costs, workers=workers, errors=frozenset(range(1, 200, 6)), max_error_share=0.2)
    assert few.ending == Ending()
    assert len(few.ended) == 40
    # also where it shows only when nothing is left to begin
    last = play([[0.0] * 25], workers=workers, errors=frozenset(range(1, 8)), max_error_share=0.2)
    assert last.ending.how == "errors"


def test_a_session_that_was_halted_begins_nothing():
    halted = play([[0.0]] * 3, halted=lambda: "interrupted")
    assert (halted.begun, halted.ending) == ([], Ending("interrupted", "interrupted"))


@pytest.mark.parametrize("workers", [1, 4])
def test_the_first_reason_to_stop_is_the_one_that_is_told_and_nothing_new_is_begun(workers):
    stopped = play([[0.0] * 4] * 10, workers=workers, stop_after=6)
    assert stopped.ending == Ending("halted", "by hand")
    assert len(stopped.begun) <= 2 + workers


@pytest.mark.parametrize(
    ("ahead", "begun"),
    [
        (AheadCosts(4), 1),  # nothing was played ahead
        (AheadCosts(4, usd=0.25, ended=3), 1),  # fewer trials than a block has
        (AheadCosts(4, usd=0.25, ended=4), 2),
        (AheadCosts(4, usd=0.5, ended=4), 1),  # two blocks of twice as much, three times over, are too much
    ],
)
def test_the_first_block_is_alone_unless_its_cost_is_foreseen(ahead: AheadCosts, begun: int) -> None:
    played = play([[0.25] * 4] * 3, workers=8, max_usd=8.0, ahead=ahead)
    assert played.begun_by_first_end == begun
    # what was foreseen counts no more once a block is over
    assert len(played.ended) == 3


def test_requests_for_trials_played_ahead_count_with_their_block() -> None:
    ahead = AheadCosts(1, sent=Counter({("b", "t", 0): 5}))
    played = play([[0.0]] * 6, max_calls=20, sent=lambda: 13, ahead=ahead)
    # 13 were sent, and the longest block took five
    assert (len(played.ended), played.ending.how) == (1, "budget")
    assert "the longest block took 5" in played.ending.why


@pytest.mark.parametrize(
    ("limits", "beside", "may"),
    [
        (Limits(ahead=AheadCosts(4)), 100, True),  # nothing is bounded
        (Limits(max_usd=1.0, ahead=AheadCosts(4)), 3, True),
        (Limits(max_usd=1.0, ahead=AheadCosts(4)), 4, False),  # as many as a block has
        (Limits(max_calls=9, ahead=AheadCosts(4, calls=9, ended=2)), 1, True),
        (Limits(max_calls=9, ahead=AheadCosts(4, calls=9, ended=2)), 2, False),
        (Limits(max_usd=7.0, spent=lambda: 1.0, ahead=AheadCosts(4, usd=1.0, ended=4)), 1, True),
        (Limits(max_usd=7.0, spent=lambda: 1.0, ahead=AheadCosts(4, usd=1.0, ended=4)), 2, False),
        (Limits(max_calls=70, sent=lambda: 10, ahead=AheadCosts(4, calls=10, ended=4)), 1, True),
        (Limits(max_calls=70, sent=lambda: 10, ahead=AheadCosts(4, calls=10, ended=4)), 2, False),
        (Limits(halted=lambda: "interrupted"), 0, False),
        (Limits(used_up=lambda: "budget.max_hours 1 is reached"), 0, False),
    ],
)
def test_a_trial_is_played_ahead_where_all_under_way_are_paid_for(limits: Limits, beside: int, may: bool):
    assert limits.may_play_ahead(beside) == may


def test_half_of_a_budget_is_kept_for_what_comes_before_trials() -> None:
    ahead = AheadCosts(4, usd=0.5, calls=5, ended=4)
    # a block may cost two dollars and ask 20 times; half as much again is reserved
    for limits in (Limits(max_usd=60.0, ahead=ahead), Limits(max_calls=600, ahead=ahead)):
        assert limits.reaches_ahead(10)
        assert not limits.reaches_ahead(11)
    assert Limits(ahead=ahead).reaches_ahead(10**9)
