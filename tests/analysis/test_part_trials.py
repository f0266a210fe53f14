"""The two stages on files whose truth is set: what matters comes out, what does not stays out."""

import numpy as np
import pytest

from memtrial.analysis.screening.half_fractions import draw_halves, lay_out_few
from memtrial.analysis.screening.made_up_parts import MadeUpParts, make_up_parts, play_stages
from memtrial.analysis.screening.part_confirmation import ConfirmedPart, confirm
from memtrial.analysis.screening.part_screening import ScreeningRules, choose, screen
from memtrial.analysis.screening.part_words import judge, step_down
from memtrial.analysis.screening.stage_sizes import StageSizes
from memtrial.analysis_rules import AnalysisRules

RULES, SCREENING, SIZE = AnalysisRules(), ScreeningRules(), StageSizes()
MATTERS = {3: 0.25, 8: 0.25}


def words_of(seed: int, effects: dict[int, float], n_parts: int = 12, n_tasks: int = 24) -> list[str]:
    rng = np.random.default_rng(seed)
    means = [effects.get(part, 0.0) for part in range(n_parts)]
    tasks = make_up_parts(n_tasks, means, 0.15, rng)
    return [part.word for part in play_stages(tasks, SIZE, SCREENING, RULES, rng)]


def test_two_of_twelve_are_found_and_hardly_ever_a_third() -> None:
    both = falsely = 0
    for seed in range(20):
        words = words_of(seed, MATTERS)
        both += all(words[part] == "helps" for part in MATTERS)
        falsely += any(word in ("helps", "harms") for part, word in enumerate(words) if part not in MATTERS)
        assert "can go" not in [words[part] for part in MATTERS]
    assert both >= 18
    assert falsely <= 1


def test_where_nothing_matters_hardly_anything_is_said_to() -> None:
    shown = [set(words_of(seed, {})) & {"helps", "harms"} for seed in range(40)]
    assert sum(map(bool, shown)) <= 4


def test_what_harms_is_called_so_and_few_parts_are_confirmed_at_once() -> None:
    trials = [words_of(seed, {1: -0.3}, n_parts=4) for seed in range(10)]
    assert sum(words[1] == "harms" for words in trials) >= 9
    assert not any("helps" in words for words in trials)


def test_a_part_at_the_margin_is_not_let_go_even_where_trials_abound() -> None:
    rng = np.random.default_rng(7)
    gone = absent = 0
    for _ in range(40):
        tasks = make_up_parts(150, [0.1, *[0.0] * 7], 0.0, rng)
        words = [part.word for part in play_stages(tasks, StageSizes(3), SCREENING, RULES, rng)]
        gone += words[0] == "can go"
        absent += words.count("can go")
    assert gone <= 4
    assert absent > 40 * 5, "what does nothing is let go"


def test_parts_of_no_effect_at_all_can_go_and_none_where_there_is_no_room() -> None:
    sure = MadeUpParts(np.zeros((24, 12)), np.ones(24))
    words = [part.word for part in play_stages(sure, SIZE, SCREENING, RULES, np.random.default_rng(0))]
    assert set(words) == {"can go"}
    halves = draw_halves(24, 4, 12, np.random.default_rng(0))
    nothing = screen(halves, np.zeros((24, 4, 2)))
    assert {part.word for part in judge(nothing, {}, 6, False, RULES)} == {"not settled"}


def test_the_likeliest_are_chosen_up_to_the_threshold_and_the_cap() -> None:
    halves = draw_halves(24, 4, 12, np.random.default_rng(1))
    tasks = MadeUpParts(np.tile(np.array([0.4, 0.3, 0.2, *[0.0] * 9]), (24, 1)), np.full(24, 0.05))
    chances = tasks.chance(np.stack([halves, ~halves], axis=2))
    screened = screen(halves, (np.random.default_rng(2).random(chances.shape) < chances).astype(float))
    assert screened is not None
    assert choose(screened, ScreeningRules(threshold=0.001, most=2)) == (0, 1)
    assert choose(screened, ScreeningRules(threshold=0.0)) == ()


def test_the_confirmation_reads_each_part_within_a_task_and_leaves_a_broken_task_out() -> None:
    first, n = lay_out_few(3), 12
    texts = np.stack([first, ~first], axis=1)
    scores = np.tile(texts @ np.array([0.5, 0.0, -0.25]) + 0.3, (n, 1, 1))
    scores[0, 1, 0] = np.nan
    made = confirm(first, scores, 2, 6, RULES)
    assert [round(part.effect, 9) for part in made] == [0.5, 0.0, -0.25]
    assert made[0].p < 1e-3 < made[1].p
    assert confirm(first, scores[:1], 2, 6, RULES) == ()


def test_words_keep_their_error_over_all_that_may_be_chosen() -> None:
    close = {part: ConfirmedPart(0.2, 0.0, 0.4, p, 1.0) for part, p in ((0, 0.009), (1, 0.011))}
    judged = judge(None, close, 5, True, RULES)
    assert [part.p for part in judged] == pytest.approx([0.045, 0.045])
    assert {part.word for part in judged} == {"helps"}
    assert {part.word for part in judge(None, close, 6, True, RULES)} == {"not settled"}
    equal = {part: ConfirmedPart(0.0, -0.1, 0.1, 1.0, 0.01) for part in range(2)}
    assert [part.p_equivalence for part in judge(None, equal, 2, True, RULES)] == pytest.approx([0.04, 0.04])
    assert step_down([0.01, 0.04, 0.03]).tolist() == pytest.approx([0.03, 0.06, 0.06])


def test_the_confirmation_takes_no_more_trials_for_more_parts() -> None:
    trials = [SIZE.fresh_trials(few) for few in range(1, 7)]
    assert trials == sorted(trials, reverse=True)
    assert trials == [24, 20, 18, 18, 17, 17]
    assert SIZE.screening_trials == 9
