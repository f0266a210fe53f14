"""Whether damage moved what the agent did, beside how it ended: STATISTICS 6, a secondary outcome."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from memtrial.analysis.behaviour import course_distance as courses
from memtrial.analysis.behaviour import energy_distance as energy
from memtrial.analysis.behaviour.course_distance import Actions, canonical
from memtrial.analysis.behaviour.energy_distance import Divergence, PairedEpisodes, PooledEpisodes, Word
from memtrial.analysis.verdicts.facts import Place
from memtrial.ledger.random_streams import Stream, generator
from memtrial.ledger.rows import TrialRow
from memtrial.ledger.run_plan import RunPlan
from memtrial.outcomes.reserved_names import INTACT, NONE, PLACEBO
from memtrial.protocols import LedgerStore
from memtrial.views.computation import OpenRows
from memtrial.views.numbers import equation
from memtrial.views.rows.evidence_rows import DivergenceRow

Run = tuple[int, Actions]
"""(repeat, actions)."""

_NO_REPEATS = (
    "not measurable: an agent is told apart from itself by repeats, and fewer than two tasks have two or "
    "more episodes with intact and with damaged memory"
)


Measured = tuple[dict[Place, Divergence], tuple[DivergenceRow, ...]]
"""The divergence of every damaged cell, by place, and its rows: both in the plan's order."""


@dataclass(frozen=True, slots=True, eq=False)
class DivergenceTrials:
    """Trials whose actions are compared: those of damaged cells and of the intact ones beside them.

    Args:
        places: the damaged cells, in the plan's order.
        trials: of each its key, its place, its task and its repeat.
        alike: places and tasks whose text the damage left as it was.
    """

    places: tuple[Place, ...]
    trials: tuple[tuple[str, Place, str, int], ...]
    alike: frozenset[tuple[Place, str]]


@dataclass(frozen=True, slots=True, eq=False)
class PlayedActions:
    """What the agent did in all damaged cells that were played, in the plan's order, and in the intact ones.

    Args:
        episodes: of each place, in the same order.
    """

    places: tuple[Place, ...]
    episodes: PooledEpisodes


def read_divergence(rows: OpenRows, compared: DivergenceTrials, plan: RunPlan) -> Measured:
    """What the agent did in these trials, and how far damage moved it."""
    with rows() as ledger:
        played = read_actions(ledger, compared, plan)
    return measured_divergence(played, plan)


def read_actions(ledger: LedgerStore, compared: DivergenceTrials, plan: RunPlan) -> PlayedActions:
    """What divergence is measured of.

    Tasks whose text the damage left as it was (an empty slot) are left out: there the two cells are one.
    """
    episodes = _episodes(ledger, compared, plan)
    return PlayedActions(tuple(episodes), energy.pool_episodes(episodes.values()))


def measured_divergence(played: PlayedActions, plan: RunPlan) -> Measured:
    """The divergence of each of these places."""
    rng, paired = generator(plan.seed, Stream.DIVERGENCE), plan.draws > 1
    places, pooled = played.places, played.episodes
    measured = energy.measure(pooled, courses.edit_distances, rng, paired)
    measured_pairs = dict(zip(places, measured, strict=True))
    family = [
        place
        for place, paired_episodes in measured_pairs.items()
        if len(paired_episodes.tasks) >= energy.FEWEST
    ]
    p, adjusted = energy.permute_labels([measured_pairs[place] for place in family], plan.flips, rng)
    tests = {place: (float(p[number]), float(adjusted[number])) for number, place in enumerate(family)}
    names: dict[str, int] = {}
    tasks = sorted({task for paired_episodes in measured_pairs.values() for task in paired_episodes.tasks})
    units = {task: names.setdefault(plan.clusters.get(task) or task, len(names)) for task in tasks}
    divergences = {}
    for place, paired_episodes in measured_pairs.items():
        placebo = None if place[2] == PLACEBO else measured_pairs.get((*place[:2], PLACEBO))
        more = None if placebo is None else energy.beyond(paired_episodes, placebo, units, plan.flips, rng)
        divergences[place] = _divergence(paired_episodes, tests.get(place), more, plan)
    members = [number for number, place in enumerate(places) if place in set(family)]
    finer = replace(pooled, places=tuple(pooled.places[number] for number in members))
    divergences |= _finer({place: divergences[place] for place in family}, finer, plan)
    rows = (
        DivergenceRow(**asdict(divergence), backbone=place[0], arm=place[1], condition=place[2])
        for place, divergence in divergences.items()
    )
    return divergences, tuple(rows)


def _finer(
    divergences: Mapping[Place, Divergence], episodes: PooledEpisodes, plan: RunPlan
) -> dict[Place, Divergence]:
    """The measured places with the turn at which episodes part, and their first actions."""
    rng, paired = generator(plan.seed, Stream.DIVERGENCE, 1), plan.draws > 1
    kinds = (courses.parting_turns, courses.parting_distances, courses.first_action_distances)
    turns, left, first = (energy.measure(episodes, distance, rng, paired) for distance in kinds)
    p_left, p_first = (
        energy.permute_labels(measured_pairs, plan.flips, rng)[0] for measured_pairs in (left, first)
    )
    return {
        place: replace(
            divergence,
            parting=float(turns[number].across.mean()),
            parting_aa=float(turns[number].aa.mean()),
            parting_p=float(p_left[number]),
            first_delta=float(first[number].true.mean()),
            first_p=float(p_first[number]),
        )
        for number, (place, divergence) in enumerate(divergences.items())
    }


def against_inert(divergences: Mapping[Place, Divergence]) -> dict[Place, str]:
    """Why the agent's actions speak against `inert`, for the places where they do."""
    return {
        place: divergence.reason
        for place, divergence in divergences.items()
        if divergence.word == "above A/A"
    }


def compare_trials(trials: Sequence[TrialRow], plan: RunPlan) -> DivergenceTrials:
    """The trials that are compared, of all that were played."""
    places = _places(trials, plan)
    # a place is one object, so that another process is sent it once
    known: dict[Place, Place] = {place: place for place in places}
    known |= {whole: whole for whole in ((*place[:2], INTACT) for place in places)}
    compared: list[tuple[str, Place, str, int]] = []
    texts: dict[Place, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for trial in trials:
        place = known.get((trial.backbone, trial.arm, trial.condition))
        if place is not None and trial.status != "error":
            compared.append((trial.key, place, trial.task, trial.repeat))
            texts[place][trial.task].add(trial.slot)
    alike = {
        (place, task)
        for place in places
        for task, slots in texts[place].items()
        if slots == texts[known[*place[:2], INTACT]].get(task)
    }
    return DivergenceTrials(tuple(places), tuple(compared), frozenset(alike))


def _episodes(
    ledger: LedgerStore, compared: DivergenceTrials, plan: RunPlan
) -> dict[Place, dict[str, energy.Sides]]:
    """Episodes with intact and with damaged memory, by place and task."""
    played = {key: (place, task, repeat) for key, place, task, repeat in compared.trials}
    runs: dict[Place, dict[str, list[Run]]] = defaultdict(lambda: defaultdict(list))
    known: dict[Actions, Actions] = {}
    for key, done in actions(ledger):
        if key in played:
            place, task, repeat = played[key]
            # equal courses are one object: most comparisons end there
            runs[place][task].append((repeat, known.setdefault(done, done)))
    episodes: dict[Place, dict[str, energy.Sides]] = {}
    for place in compared.places:
        whole = runs[*place[:2], INTACT]
        episodes[place] = {
            task: _sides(whole[task], damaged, paired=plan.draws > 1)
            for task, damaged in runs[place].items()
            if task in whole and (place, task) not in compared.alike
        }
    return episodes


def _places(trials: Iterable[TrialRow], plan: RunPlan) -> list[Place]:
    """Damaged cells that were played, in the plan's order.

    Composite conditions are left out: what their second part did is not seen against the intact text.
    """
    listed = (*plan.backbones, *plan.arms, *plan.conditions)
    seen = {
        (trial.backbone, trial.arm, trial.condition)
        for trial in trials
        if trial.arm != NONE and trial.condition != INTACT and "+" not in trial.condition
    }
    rank = {name: number for number, name in enumerate(listed)}
    return sorted(seen, key=lambda place: tuple(rank.get(name, len(rank)) for name in place))


def _sides(intact: Sequence[Run], damaged: Sequence[Run], paired: bool) -> energy.Sides:
    """By repeat, since blocks end in any order; where they are pairs, only repeats that both sides have.

    Repeats with banks of their own are pairs: the intact and the damaged episode belong together.
    """
    both = {repeat for repeat, _ in intact} & {repeat for repeat, _ in damaged}
    first, second = (
        tuple(actions_done for repeat, actions_done in sorted(runs) if repeat in both or not paired)
        for runs in (intact, damaged)
    )
    return first, second


def _divergence(
    measured_pairs: PairedEpisodes,
    test: tuple[float, float] | None,
    placebo: tuple[float, float, float | None] | None,
    plan: RunPlan,
) -> Divergence:
    if test is None:
        nothing = (None,) * 7
        return Divergence(len(measured_pairs.tasks), *nothing, "not measurable", _NO_REPEATS)
    delta, across, aa = (
        float(values.mean()) for values in (measured_pairs.true, measured_pairs.across, measured_pairs.aa)
    )
    word: Word = "above A/A" if test[1] <= plan.alpha else "not above A/A"
    distances = f"{across:.2f} between intact and damaged, {aa:.2f} among intact episodes"
    alone, together = (equation(p, plan.flips) for p in test)
    figures = f"edit distance of actions {distances}; {alone}, among all places {together}"
    reason = f"the damage changed what the agent did by no more than it differs from itself ({figures})"
    if word == "above A/A":
        reason = f"the damage changed what the agent did ({figures}); for better or worse, this does not say"
    more, less, least = placebo or (None, None, None)
    divergence = Divergence(len(measured_pairs.tasks), delta, across, aa, *test, more, less, word, reason)
    return replace(divergence, least_p=1 / (plan.flips + 1), placebo_least_p=least)


def actions(ledger: LedgerStore) -> Iterator[tuple[str, Actions]]:
    """Key and actions, in order, of every trial whose last attempt was not an error.

    A reply without a readable action counts as the action that stands in its step, which may be empty.
    """
    compared: dict[str, str] = {}
    for key, steps in ledger.steps():
        done = [str(step.get("action", "")) for step in steps]
        for action in done:
            if action not in compared:
                compared[action] = canonical(action)
        yield key, tuple(compared[action] for action in done)
