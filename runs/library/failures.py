"""How a run's agents fail with memory where they succeed without: cases, coders, table."""

import asyncio
import hashlib
import inspect
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType

from loadbearing.analysis.failures.agreement import agreement
from loadbearing.analysis.failures.correction import corrected
from loadbearing.episodes.trajectory import Step, Trajectory
from loadbearing.judges import failure_rules
from loadbearing.judges.failure_coder import INSTRUCTIONS, Case, Coding, ModelCoder, shown
from loadbearing.ledger.calls import spending
from loadbearing.ledger.json_values import Json
from loadbearing.ledger.lock_facts import plan_in_force
from loadbearing.ledger.random_streams import Stream, generator
from loadbearing.ledger.rows import EpisodeRow, TrialRow
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.ledger.store import Ledger
from loadbearing.models.client.cache import CallCache
from loadbearing.models.client.client import Caller, ModelClient
from loadbearing.models.client.keys import Keys, read_keys
from loadbearing.models.client.prices import shipped_prices
from loadbearing.models.client.transport import HaltFault, Transport
from loadbearing.models.client.types import ModelFault, provider_of
from loadbearing.models.providers.open import open_backend
from loadbearing.outcomes.count_words import how_many
from loadbearing.outcomes.failure_columns import Label, read_labels
from loadbearing.reports.base.numbers import dollars
from loadbearing.reports.evidence.failure_modes import FailedPair, failed_pairs, failure_modes
from loadbearing.reports.evidence.view import view_of
from loadbearing.reports.model.failure_rows import FailureModes
from loadbearing.runs.errors import RunFault, SpecFault
from loadbearing.runs.folder.open_run import alarm_of, going_on, reading
from loadbearing.runs.folder.run_folder import LEDGER, find_run
from loadbearing.runs.library.spec import without_loop
from loadbearing.runs.lock.freeze import beside_of
from loadbearing.runs.prepare.retry_once import two_rounds
from loadbearing.runs.progress.display import Display

PURPOSE = "failure coder"
ATTEMPTS = 2
"""Times a model is asked about a case where its answer cannot be read or quotes what is not there."""
AT_ONCE = 8
MOST_LOST = 0.05
RULES = "rules"


@dataclass(frozen=True, slots=True)
class FailureOptions:
    """How to code.

    Args:
        coder: a model, or `rules`; what it says is saved in the ledger. Unless given, who coded the run last,
            or else the rules, and nothing is saved.
        human: labels of people by case, against which the coder is held.
        base_urls: where a provider's requests go, URL or PROVIDER=URL.
    """

    coder: str | None = None
    human: Path | None = None
    base_urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Coded:
    """What a coder said of the cases, and what the rules say of the same."""

    name: str
    codes: Mapping[str, Json]
    rules: Mapping[str, Json]


def failures(
    run: str | Path, options: FailureOptions = FailureOptions(), display: Display | None = None
) -> FailureModes:
    """The failure-mode table of a run.

    Raises:
        SpecFault: no such run, it has no trial yet, or the coder cannot be had; nothing was sent.
        TableFault: the labels of people cannot be read.
        RunFault: a model gave no answer; what it answered is saved.
    """
    people = () if options.human is None else read_labels(options.human)
    if options.coder is not None:
        _code_and_save(find_run(Path(run)), options, display or Display("none"))
    with reading(Path(run)) as (folder, ledger):
        plan, trials = _viewed(folder, ledger)
        pairs = failed_pairs(trials)
        stored = ledger.codes()
        rules = _by_rules(ledger, pairs)
        name = _coder_name(options.coder) if options.coder else next(reversed(stored), rules_name())
        spent = [one for one in spending(ledger.connection) if one.purpose == PURPOSE]
        alarm = alarm_of(ledger.damage)
        coded = _Coded(name, stored.get(name, rules if name == rules_name() else {}), rules)
    found = failure_modes(trials, plan, coded.name, coded.codes)
    tasks = {pair.case: pair.failed.task for pair in pairs}
    cost = (f"Coding cost {how_many(one.calls, 'call')}, {dollars(one.usd)}." for one in spent)
    more = {"notes": (*found.notes, *cost), "alarm": alarm}
    return found.model_copy(update=_checked(coded, people, tasks, plan.seed) | more)


def blind_cases(run: str | Path) -> Iterator[dict[str, str]]:
    """The cases of a run for people to label, in an order that says nothing of arm or condition."""
    with reading(Path(run)) as (folder, ledger):
        for pair in sorted(failed_pairs(_viewed(folder, ledger)[1]), key=lambda one: one.case):
            case = case_of(ledger, pair)
            about = {"case": case.name, "task": pair.failed.task, "items": case.items}
            yield about | {
                "solved": shown(case.solved),
                "failed": shown(case.failed),
                "mode": "",
                "rater": "",
            }


def case_of(ledger: Ledger, pair: FailedPair) -> Case:
    """What those who code are shown of one pair of trials."""
    solved, failed = ledger.episode(pair.solved.key), ledger.episode(pair.failed.key)
    told = [one["content"] for one in solved.conversation if one["role"] != "assistant"] if solved else []
    # the task as it was put to an agent without memory
    query = told[1].removeprefix("Task: ").partition("\n\nObservation: ")[0] if len(told) > 1 else ""
    first, second = _trajectory(pair.solved, solved, query), _trajectory(pair.failed, failed, query)
    return Case(pair.case, first, second, ledger.slot(pair.failed.slot) or "", "\n".join(told))


def rules_name() -> str:
    """The rules, and the digest of their source."""
    return f"{RULES} {hashlib.sha256(inspect.getsource(failure_rules).encode()).hexdigest()[:8]}"


def _coder_name(coder: str) -> str:
    return rules_name() if coder == RULES else f"{coder} {INSTRUCTIONS.digest[:8]}"


def _viewed(folder: Path, ledger: Ledger) -> tuple[RunPlan, Sequence[TrialRow]]:
    """Plan and trials, under masked names where a lock is not complete."""
    if plan_in_force(ledger) is None:
        raise SpecFault(f"{folder} has not come as far as its first trial; run its spec again")
    view = view_of(ledger, beside_of(folder, ledger))
    return view.plan, view.trials


def _trajectory(row: TrialRow, episode: EpisodeRow | None, query: str) -> Trajectory:
    steps = () if episode is None else episode.steps
    # the outcome's reason may tell the arm
    return Trajectory(
        trace_id=row.task, task_id=row.task, query=query,
        outcome="success" if row.status == "success" else "failure",
        steps=tuple(Step(one["thought"], one["action"], one["observation"], one["fault"]) for one in steps),
        start="" if episode is None else episode.start,
    )  # fmt: skip


def _by_rules(ledger: Ledger, pairs: Iterable[FailedPair]) -> dict[str, Json]:
    return {pair.case: asdict(failure_rules.code_by_rules(case_of(ledger, pair))) for pair in pairs}


def _code_and_save(folder: Path, options: FailureOptions, display: Display) -> None:
    """Code what this coder has not coded yet. One who is asked twice answers from the ledger."""
    coder = options.coder or RULES
    keys = None if coder == RULES else _checked_model(coder, options.base_urls)
    with reading(folder) as (_, seen):
        pairs = failed_pairs(_viewed(folder, seen)[1])
        done = seen.codes().get(_coder_name(coder), {})
    if going_on(folder):
        raise SpecFault(f"failures are coded when a run has ended; {folder} is being carried out now")
    waiting = [pair for pair in pairs if pair.case not in done]
    if not waiting:
        return
    ledger = Ledger(folder / LEDGER)
    try:
        if keys is None:
            ledger.add_codes(_coder_name(coder), _by_rules(ledger, waiting))
        else:
            without_loop(lambda: asyncio.run(_ask_model(ledger, coder, keys, waiting, display)))
    finally:
        ledger.close()


def _checked_model(coder: str, base_urls: tuple[str, ...]) -> Keys:
    """The keys with which a model can be had. Raises SpecFault where it cannot, or does something else."""
    if provider_of(coder) == "simulated":
        raise SpecFault(
            f"--coder needs a model that reads, or rules; no simulated participant codes: {coder}"
        )
    try:
        keys = read_keys(os.environ, Path.cwd(), base_urls)
        open_backend(coder, keys)
    except ModelFault as fault:
        raise SpecFault(str(fault)) from fault
    return keys


async def _ask_model(
    ledger: Ledger, coder: str, keys: Keys, pairs: Sequence[FailedPair], display: Display
) -> None:
    transport = Transport(prices=shipped_prices())
    client = ModelClient(CallCache(ledger.connection), partial(open_backend, keys=keys), transport)
    with display.phase("code failures", len(pairs)) as tick:

        async def ask(pair: FailedPair) -> None:
            case, said = case_of(ledger, pair), Coding("", fault="not asked")
            for attempt in range(ATTEMPTS):
                caller = Caller(client, coder, repeat=attempt, purpose=PURPOSE)
                said = await ModelCoder(caller)(case)
                if not said.fault:
                    break
            client.cache.flush()
            ledger.add_codes(_coder_name(coder), {pair.case: asdict(said)})
            tick()

        try:
            lost = await two_rounds(pairs, ask, AT_ONCE, int(len(pairs) * MOST_LOST), client.forgive)
        except (ModelFault, HaltFault) as fault:
            raise RunFault(f"{coder} gave no answer; what it answered is saved: {fault}") from fault
        finally:
            await client.close()
    if lost:
        raise RunFault(
            f"{coder} gave no answer to {len(lost)} of {len(pairs)} cases; run the same command again"
        )


def _checked(
    coded: _Coded, people: Sequence[Label], tasks: Mapping[str, str], seed: int
) -> dict[str, object]:
    """How far the coder agrees with the rules, where they decide, and with people, who correct its shares."""
    said = {case: str(one["mode"]) for case, one in coded.codes.items() if one.get("mode") and case in tasks}
    rng, found = generator(seed, Stream.FAILURE_MODES, 1), []
    if coded.name != rules_name():
        rules = {case: str(one["mode"]) for case, one in coded.rules.items() if one["mode"]}
        found.append(agreement({RULES: rules, coded.name: said}, tasks, rng))
    by_rater: dict[str, dict[str, str]] = defaultdict(dict)
    for one in people:
        if one.case in tasks:
            by_rater[one.rater][one.case] = one.mode
    if people and not by_rater:
        raise SpecFault(
            "labels of this run's cases are needed; the file names none of them (see --label-file)"
        )
    if len(by_rater) > 1:
        found.append(agreement(by_rater, tasks, rng))
    agreed = _majority(by_rater)
    if agreed:
        found.append(agreement({"people": agreed, coded.name: said}, tasks, rng))
    both = [(mode, said[case]) for case, mode in agreed.items() if case in said]
    return {"agreement": tuple(found), "corrected": corrected(tuple(said.values()), both)}


def _majority(by_rater: Mapping[str, Mapping[str, str]]) -> Mapping[str, str]:
    """The mode that most people chose; cases on which they are split are left out."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for labels in by_rater.values():
        for case, mode in labels.items():
            votes[case][mode] += 1
    first = {case: count.most_common(2) for case, count in votes.items()}
    return MappingProxyType(
        {case: top[0][0] for case, top in first.items() if len(top) == 1 or top[0][1] > top[1][1]}
    )


def label_lines(run: str | Path) -> tuple[str, ...]:
    """The cases as JSON lines."""
    return tuple(json.dumps(one, ensure_ascii=False) for one in blind_cases(run))
