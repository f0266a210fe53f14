"""What was played, by arm: trials that were lost, failures, cost, firings, and prompts that cells share."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import fsum
from statistics import fmean

from memtrial.call_purpose import PLAY, Purpose, read_purpose, write_purpose
from memtrial.console.escape import brief
from memtrial.ledger.accounts import Answering, Drawn, Spending
from memtrial.ledger.rows import TrialRow
from memtrial.ledger.run_plan import RunPlan
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.grouping import group_by
from memtrial.outcomes.reserved_names import WITHHOLD
from memtrial.protocols import LedgerStore
from memtrial.views.rows.play_rows import Attrition, Cost, FiringRow, PreparationCost

_MOST_CAUSES = 20
MOST_OF_ERROR = 300
"""Characters of an error that are repeated."""
_COUNTED = ("calls", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
_OF_ITEMS = ("broken", "withheld", "changed", "timed", "false_fires", "moments", "missed")
_DIGITS = 9  # a token costs no less than a thousandth of a millionth of a dollar


def attrition(trials: Iterable[TrialRow], plan: RunPlan, never: Mapping[str, int]) -> dict[str, Attrition]:
    """By arm: trials played, planned (less those `never` to be), lost, the share lost, and what lost them."""
    played, attrition = group_by(trials, lambda trial: trial.arm), {}
    for arm in plan.arms:
        own = played.get(arm, [])
        lost = [trial for trial in own if trial.status == "error"]
        causes = Counter(_name(fault_kind(trial)) for trial in lost)
        attrition[arm] = Attrition(
            trials=len(own),
            planned=plan.planned[arm] - never.get(arm, 0) if arm in plan.planned else None,
            errors=causes.total(),
            share=causes.total() / len(own) if own else None,
            causes=_most_common(causes),
            first=brief(lost[0].cause, MOST_OF_ERROR) if lost else "",
        )
    return attrition


def agent_failures(trials: Iterable[TrialRow], plan: RunPlan) -> dict[str, dict[str, dict[str, int]]]:
    """By arm and condition: how often the agent failed for each cause. None of these is an error."""
    failed = group_by(
        (t for t in trials if t.status == "failure"), lambda trial: (trial.arm, trial.condition)
    )
    causes_by: dict[str, dict[str, dict[str, int]]] = {arm: {} for arm in plan.arms}
    for (arm, condition), own in sorted(failed.items()):
        causes_by[arm][condition] = _most_common(Counter(_name(trial.cause) for trial in own))
    return causes_by


def fault_kind(trial: TrialRow) -> str:
    """What lost a trial, in a few words; of a row of before that was stated, its cause as it stands."""
    return trial.cause if trial.boundary is None else trial.fault


def _name(text: str) -> str:
    return brief(text, 120) or "no cause recorded"


def _most_common(causes: Counter[str]) -> dict[str, int]:
    """Causes by how often they came, and the rest together: a world's words may be many."""
    ranked = sorted(causes.items(), key=lambda entry: (-entry[1], entry[0]))
    named, rest = dict(ranked[:_MOST_CAUSES]), sum(count for _, count in ranked[_MOST_CAUSES:])
    if rest:
        named["other causes"] = named.get("other causes", 0) + rest
    return named


def cost_by_arm(trials: Iterable[TrialRow]) -> dict[str, Cost]:
    """Calls, tokens and US dollars of each arm, as if it had been played in one go.

    Calls answered from the call cache count too: how many those are depends on when a run was broken off.
    `usd` is None where the price of any trial is unknown.
    """
    return {
        arm: Cost(
            **{name: sum(getattr(trial, name) for trial in group) for name in _COUNTED},
            usd=_sum([trial.usd for trial in group]),
        )
        for arm, group in sorted(group_by(trials, lambda trial: trial.arm).items())
    }


def preparation_costs(spent: Iterable[Spending]) -> tuple[PreparationCost, ...]:
    """What was spent on all purposes but playing, sorted by purpose."""
    return tuple(
        PreparationCost(
            purpose=write_purpose(spending.purpose),
            **{name: getattr(spending, name) for name in _COUNTED},
            usd=_sum([spending.usd]),
        )
        for spending in spent
        if spending.purpose != PLAY
    )


def _sum(prices: Sequence[float | None]) -> float | None:
    """The exact sum, rounded, so that no order of the calls shows; None where one is unknown."""
    known = [price for price in prices if price is not None]
    return round(fsum(known), _DIGITS) if len(known) == len(prices) else None


def model_notes(answered: Sequence[Answering], drawn: Sequence[Drawn], plan: RunPlan) -> list[str]:
    """Where another temperature was sent than the plan asks for, by role; where a request was altered."""
    sent: dict[tuple[str, Purpose], Counter[float | None]] = {}
    stated = {read_purpose(text): temperature for text, temperature in plan.temperatures.items()}
    asked_for = {PLAY: plan.temperature, **stated}
    for call in drawn:
        # a plan states what is asked of all gates of a condenser
        purpose = replace(call.purpose, gate="")
        if purpose in asked_for:
            sent.setdefault((call.asked, purpose), Counter())[call.temperature] += call.calls
    notes = []
    for (model, purpose), counts in sent.items():
        wanted = asked_for[purpose]
        if wanted is None or set(counts) == {wanted}:
            continue
        others = ", ".join(
            f"{'none' if other is None else f'{other:g}'} in {n:,}"
            for other, n in counts.items()
            if other != wanted
        )
        notes.append(
            f"{model} as {_role(purpose)}: temperature {wanted:g} was asked for; sent was {others} of"
            f" {how_many(counts.total(), 'call')}"
        )
    return notes + [
        f"{model.asked}: in {model.altered} of {model.calls} calls a text did not stand verbatim"
        for model in answered
        if model.altered
    ]


def _role(purpose: Purpose) -> str:
    match purpose:
        case Purpose("play"):
            return "agent"
        case Purpose("collect"):
            return "agent (collecting)"
        case Purpose("condense", whose):
            return f"condenser {whose}"
        case Purpose("gate", whose):
            return f"judge of the gates of {whose}"
    return write_purpose(purpose)


def firing_rows(trials: Iterable[TrialRow]) -> tuple[FiringRow, ...]:
    """Share of each cell's trials with at least one firing, shown or only logged (shadow), and what came of
    the actions that its checks and Triggers speak of."""
    groups = group_by(trials, lambda trial: (trial.backbone, trial.arm, trial.condition))

    def mean_fired(group: Sequence[TrialRow], shown: bool) -> float:
        return round(fmean(any(bool(firing["shown"]) is shown for firing in t.firings) for t in group), 4)

    return tuple(
        FiringRow(
            backbone=backbone,
            arm=arm,
            condition=condition,
            shown=mean_fired(group, True),
            shadow=mean_fired(group, False),
            **{name: sum(getattr(trial, name) for trial in group) for name in _OF_ITEMS},
        )
        for (backbone, arm, condition), group in sorted(groups.items())
    )


def shared_cells(trials: Sequence[TrialRow], plan: RunPlan) -> list[str]:
    """Sentences on the cells that answer from the same prompts."""
    sentences = ["'none' and 'without' are one cell, shared by every arm."]
    waiting = [t for t in trials if plan.waits(t.arm) and not t.empty_slot]
    silent = sum(not any(firing["shown"] for firing in trial.firings) for trial in waiting)
    if silent:
        sentences.append(
            f"In {silent} of {len(waiting)} trials with injection by trigger no item came up; they share the"
            " prompts and answers of 'without'."
        )
    empty = Counter(trial.arm for trial in trials if trial.empty_slot)
    sentences += [
        f"{how_many(count, 'trial')} of arm '{arm}' had an empty slot: no word of memory stood in a prompt."
        for arm, count in sorted(empty.items())
    ]
    own = {arm for arm, injection in plan.injections.items() if injection != WITHHOLD}
    whole = (t for t in trials if t.arm in own and not plan.waits(t.arm) and not t.empty_slot)
    blocks = group_by(whole, lambda trial: (trial.backbone, trial.task, trial.repeat, trial.slot)).values()
    cells = (sorted(f"{trial.arm}/{trial.condition}" for trial in block) for block in blocks)
    pairs = Counter(" and ".join(names) for names in cells if len(names) > 1)
    return sentences + [
        f"{names} showed the same text in {count} blocks." for names, count in sorted(pairs.items())
    ]


def history(ledger: LedgerStore) -> tuple[str, ...]:
    """A sentence on each session of a run, and on its requests."""
    sessions, requests = ledger.sessions(), ledger.accounts.network_use()
    sentences = []
    for session in sessions:
        end = f"ended {session.ended}: {session.end_text}"
        if not session.ended:
            running = "it is still running, or " if session is sessions[-1] else ""
            end = f"has no end: {running}its process was killed"
        sentences.append(f"Session {session.number} began {session.begun} and {end}.")
    if not requests.sent:
        return (*sentences, "No request went over a network.")
    sentences.append(f"{how_many(requests.sent, 'request')} sent, {requests.answered:,} answered.")
    if lost := sum(requests.faults.values()):
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in sorted(requests.faults.items()))
        sentences.append(f"{lost:,} ended in a fault: {kinds}.")
    if requests.open > 0:
        was, it = ("request was", "it") if requests.open == 1 else ("requests were", "they")
        in_flight = f"{requests.open:,} {was} in flight when a process ended"
        sentences.append(f"{in_flight}; {it} may have been paid without an answer.")
    dates = sorted(
        {str(session.settings["price_table"]) for session in sessions if session.settings.get("price_table")}
    )
    return (*sentences, *([f"Dollars are by the price table of {', then '.join(dates)}."] if dates else []))
