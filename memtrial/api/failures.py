"""How a run's agents fail with memory where they succeed without: cases, coders, table."""

import asyncio
import inspect
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from functools import partial
from hashlib import sha256
from pathlib import Path

from memtrial.agents.trajectory import Step, Trajectory
from memtrial.analysis.failures.agreement import agreement
from memtrial.analysis.failures.shares import correct_shares
from memtrial.call_purpose import Purpose
from memtrial.console.display import Display, progress_of
from memtrial.faults import RunFault, SpecFault, refused
from memtrial.judges import failure_rules
from memtrial.judges.failure_coder import INSTRUCTIONS, Coding, FailureCase, ModelCoder, show_run
from memtrial.ledger.open_ledger import open_ledger
from memtrial.ledger.random_streams import Stream, generator
from memtrial.ledger.rows import Json
from memtrial.ledger.run_plan import plan_in_force
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import Caller, ModelClient
from memtrial.models.client.keys import Keys, read_keys
from memtrial.models.client.prices import shipped_prices
from memtrial.models.client.transport import HaltFault, Transport
from memtrial.models.client.types import ModelFault, provider_of
from memtrial.models.providers.open import open_backend
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.failure_columns import NOT_ASKED, Label, read_labels
from memtrial.outcomes.given_path import path_of
from memtrial.protocol.masked_view import View, view_of
from memtrial.protocols import LedgerStore
from memtrial.runs.preparation.retry_once import two_rounds
from memtrial.runs.run_folder.folder import LEDGER, alarm_of, going_on, open_for_reading
from memtrial.runs.run_folder.lock_surroundings import beside_of
from memtrial.runs.run_folder.unmasked_look import note_raw
from memtrial.runs.setup.event_loop import without_loop
from memtrial.runs.setup.model_roles import RULES
from memtrial.transcripts.log_formats import say_for_items
from memtrial.views.evidence.harm import coded_by
from memtrial.views.evidence.mode_rates import FailedPair, failed_pairs
from memtrial.views.numbers import dollars
from memtrial.views.rows.failure_rows import FailureModes

PURPOSE = Purpose("failure coder")
ATTEMPTS = 2
"""Times a model is asked about a case where its answer cannot be read or quotes what is not there."""
AT_ONCE = 8
MOST_LOST = 0.05


def failures(
    run: str | Path,
    coder: str | None = None,
    human: Path | None = None,
    display: Display | None = None,
    columns: Mapping[str, str] = NOT_ASKED,
) -> FailureModes:
    """The failure-mode table of a run.

    Args:
        coder: a model, or `rules`; what it says is saved in the ledger, and not asked again. Unless given,
            who coded the run last; else the spec's `roles.coder`; else the rules, and nothing is saved.
        human: labels of people by case, against which the coder is held.
        columns: of these labels, the column of a meaning (`mode`, `rater` …) where several could be it.

    Raises:
        SpecFault: no such run, it has no trial yet, or the coder cannot be had; nothing was sent.
        TableFault: the labels of people cannot be read.
        RunFault: a model gave no answer; what it answered is saved.
    """
    given = path_of(run, "a run folder", SpecFault)
    if given.is_file():
        looks = say_for_items(given) or "beside a run there are --counts and --labels"
        raise SpecFault(f"failures compares trials of a run, which is a folder; {given} is a file: {looks}")
    noticed: list[str] = []
    people = () if human is None else read_labels(human, columns, noticed.append)
    coder = coder or _stated_coder(given)
    if coder is not None:
        _code_and_save(given, coder, progress_of(display))
    with open_for_reading(given) as (folder, ledger):
        view, stored = _view(folder, ledger), ledger.codes()
        pairs, alarm = failed_pairs(view.trials), alarm_of(ledger.damage)
        by_rules = _by_rules(ledger, pairs)
        name = _name(coder) if coder else next(reversed(stored), _name(RULES))
        codes = stored.get(name, by_rules if name == _name(RULES) else {})
        cost = [entry for entry in ledger.accounts.spending_by_purpose() if entry.purpose == PURPOSE]
        found = coded_by(name, codes, ledger, view)
    notes = (f"Coding cost {how_many(entry.calls, 'call')}, {dollars(entry.usd)}." for entry in cost)
    tasks = {pair.case: pair.failed.task for pair in pairs}
    coded = {
        rater: {case: str(entry["mode"]) for case, entry in of.items() if entry.get("mode") and case in tasks}
        for rater, of in ((name, codes), (_name(RULES), by_rules))
    }
    checked = _check_coder(
        name, coded, [entry for entry in people if entry.case in tasks], tasks, view.plan.seed
    )
    if people and "corrected" not in checked:
        raise SpecFault(
            "labels of this run's cases are needed; the file names none of them (see --label-file)"
        )
    return found.model_copy(update=checked | {"notes": (*found.notes, *notes, *noticed), "alarm": alarm})


def blind_cases(run: str | Path) -> Iterator[dict[str, str]]:
    """The cases of a run for people to label, in an order that says nothing of arm or condition."""
    with open_for_reading(path_of(run, "a run folder", SpecFault)) as (folder, ledger):
        note_raw(folder, ledger, "failures")
        for pair in sorted(failed_pairs(_view(folder, ledger).trials), key=lambda entry: entry.case):
            case = case_of(ledger, pair)
            about = {"case": case.name, "task": pair.failed.task, "items": case.items}
            runs = {"solved": show_run(case.solved), "failed": show_run(case.failed)}
            yield {**about, **runs, "mode": "", "rater": ""}


def case_of(ledger: LedgerStore, pair: FailedPair) -> FailureCase:
    """What those who code are shown of one pair of trials."""
    episodes = [ledger.episode(entry.key) for entry in (pair.solved, pair.failed)]
    conversation = () if episodes[0] is None else episodes[0].conversation
    told = [entry["content"] for entry in conversation if entry["role"] != "assistant"]
    # the task as it was put to an agent without memory
    query = told[1].removeprefix("Task: ").partition("\n\nObservation: ")[0] if len(told) > 1 else ""
    runs = [
        Trajectory(
            trace_id=pair.case, task_id=pair.failed.task, query=query, outcome="failure" if at else "success",
            steps=tuple(
                Step(entry["thought"], entry["action"], entry["observation"], entry["fault"])
                for entry in (episode.steps if episode else ())
            ),
            start=episode.start if episode else "",
        )
        for at, episode in enumerate(episodes)
    ]  # fmt: skip
    return FailureCase(pair.case, runs[0], runs[1], ledger.slot(pair.failed.slot) or "", "\n".join(told))


def _name(coder: str) -> str:
    """A model and the digest of its prompt; of the rules, that of their source."""
    if coder == RULES:
        return f"{RULES} {sha256(inspect.getsource(failure_rules).encode()).hexdigest()[:8]}"
    return f"{coder} {INSTRUCTIONS.digest[:8]}"


def _stated_coder(run: Path) -> str | None:
    """The spec's coder, where nobody has coded the run yet."""
    with open_for_reading(run) as (_, ledger):
        plan = plan_in_force(ledger)
        return (plan.coder or None) if plan is not None and not ledger.codes() else None


def _view(folder: Path, ledger: LedgerStore) -> View:
    """Plan and trials, under masked names where a lock is not complete."""
    if plan_in_force(ledger) is None:
        raise SpecFault(f"{folder} has not come as far as its first trial; run its spec again")
    return view_of(ledger, beside_of(folder, ledger))


def _by_rules(ledger: LedgerStore, pairs: Iterable[FailedPair]) -> dict[str, Json]:
    return {pair.case: asdict(failure_rules.code_by_rules(case_of(ledger, pair))) for pair in pairs}


def _code_and_save(run: Path, coder: str, display: Display) -> None:
    """Code what this coder has not coded yet."""
    if provider_of(coder) == "simulated":
        raise SpecFault(
            f"--coder needs a model that reads, or rules; no simulated participant codes: {coder}"
        )
    with open_for_reading(run) as (folder, seen):
        done = seen.codes().get(_name(coder), {})
        waiting = [pair for pair in failed_pairs(_view(folder, seen).trials) if pair.case not in done]
    if not waiting:
        return
    if going_on(folder):
        raise SpecFault(f"failures are coded when a run has ended; {folder} is being carried out now")
    with refused(ModelFault):
        keys = Keys() if coder == RULES else read_keys(os.environ, Path.cwd(), ())
        if coder != RULES:
            open_backend(coder, keys)
    with closing(open_ledger(folder / LEDGER)) as ledger:
        if coder == RULES:
            ledger.add_codes(_name(coder), _by_rules(ledger, waiting))
        else:
            without_loop(asyncio.run)(_ask_model(ledger, coder, keys, waiting, display))


async def _ask_model(
    ledger: LedgerStore, coder: str, keys: Keys, pairs: Sequence[FailedPair], display: Display
) -> None:
    opened, transport = partial(open_backend, keys=keys), Transport(prices=shipped_prices())
    client = ModelClient(CallCache(ledger.calls), opened, transport)
    by_name = {pair.case: pair for pair in pairs}
    with display.phase("code failures", len(pairs)) as tick:

        async def ask(name: str) -> None:
            case, said = case_of(ledger, by_name[name]), Coding("", fault="not asked")
            for attempt in range(ATTEMPTS):
                said = await ModelCoder(Caller(client, coder, repeat=attempt, purpose=PURPOSE))(case)
                if not said.fault:
                    break
            client.cache.flush()
            ledger.add_codes(_name(coder), {name: asdict(said)})
            tick()

        try:
            lost = await two_rounds(tuple(by_name), ask, AT_ONCE, int(len(pairs) * MOST_LOST), client.forgive)
        except (ModelFault, HaltFault) as fault:
            raise RunFault(f"{coder} gave no answer; what it answered is saved: {fault}") from fault
        finally:
            await client.close()
    if lost:
        raise RunFault(f"{coder} gave no answer to {len(lost)} of {len(pairs)} cases; try again")


def _check_coder(
    name: str,
    coded: Mapping[str, Mapping[str, str]],
    people: Iterable[Label],
    tasks: Mapping[str, str],
    seed: int,
) -> dict[str, object]:
    """How far the coder agrees with the rules, where they decide, and with people, who correct its shares."""
    rng = generator(seed, Stream.FAILURE_MODES, 1)
    found = [agreement(coded, tasks, rng)] if len(coded) > 1 else []
    raters: dict[str, dict[str, str]] = defaultdict(dict)
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for entry in people:
        raters[entry.rater][entry.case] = entry.mode
        votes[entry.case][entry.mode] += 1
    if not votes:
        return {"agreement": tuple(found)}
    # a case on which people are split is left out
    top = {case: [*count.most_common(2), ("", 0)] for case, count in votes.items()}
    agreed = {case: first[0] for case, (first, second, *_) in top.items() if first[1] > second[1]}
    found += [agreement(raters, tasks, rng)] if len(raters) > 1 else []
    said = coded[name]
    found.append(agreement({"people": agreed, name: said}, tasks, rng))
    both = [(mode, said[case]) for case, mode in agreed.items() if case in said]
    return {"agreement": tuple(found), "corrected": correct_shares(tuple(said.values()), both)}
