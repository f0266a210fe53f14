"""The alarms of a run: changed rows, memory text that did not arrive, memory that knew test tasks."""

from collections import Counter
from collections.abc import Iterable

from memtrial.console.escape import brief
from memtrial.ledger.rows import CondensationRow, TrialRow
from memtrial.ledger.run_plan import LeakCount, RunPlan
from memtrial.ledger.sqlite.audit import Damage
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.reserved_names import INTACT
from memtrial.views.rows.play_rows import Delivery, UndeliveredTrial, Untrusted, UntrustedBlock

DORMANT = {"never activated", "nothing read"}
"""Words of trials in which the model was told of its memory, and none of it came up."""
MOST_BLOCKS, MOST_TRIALS = 5, 20
"""So many are named."""


def find_untrusted(damage: Damage) -> Untrusted:
    """Trials and blocks that are left out, and rows of other tables, by table."""
    blocks = tuple(
        UntrustedBlock(backbone=backbone, task=task, repeat=repeat, trials=count)
        for (backbone, task, repeat), count in damage.blocks.items()
    )
    return Untrusted(trials=sum(damage.blocks.values()), blocks=blocks, rows=dict(damage.rows))


def delivery(trials: Iterable[TrialRow]) -> Delivery:
    """How many requests were to carry memory, how many did not, and the first trials among these."""
    played = tuple(trials)
    lost = [trial for trial in played if trial.undelivered]
    names = UndeliveredTrial.model_fields
    first = ({name: getattr(trial, name) for name in names} for trial in lost[:MOST_TRIALS])
    return Delivery(
        carrying=sum(trial.carrying for trial in played),
        handed=sum(trial.handed for trial in played),
        unread=sum(bool(trial.handed and trial.undelivered) for trial in played),
        undelivered=sum(trial.undelivered for trial in lost),
        words=dict(Counter(trial.delivery for trial in played if trial.delivery)),
        trials=tuple(UndeliveredTrial(**place) for place in first),
    )


def lost_requests(trials: Iterable[TrialRow]) -> dict[tuple[str, str], int]:
    """Requests without the memory text they were to carry, by backbone and arm, where there are any."""
    lost: Counter[tuple[str, str]] = Counter()
    for trial in trials:
        if trial.undelivered and not trial.handed:
            lost[trial.backbone, trial.arm] += trial.undelivered
    return lost


def unread_trials(trials: Iterable[TrialRow]) -> dict[tuple[str, str], int]:
    """Trials whose agent took no look at memory that was there for it, by backbone and arm."""
    return Counter((trial.backbone, trial.arm) for trial in trials if trial.handed and trial.undelivered)


def dormant_trials(trials: Iterable[TrialRow]) -> dict[tuple[str, str], int]:
    """Trials whose model was told of its memory, by backbone and arm, of arms in which none of it ever came
    up: it did not ask, or asked for what memory does not hold."""
    words: dict[tuple[str, str], Counter[str]] = {}
    for trial in trials:
        if trial.delivery:
            words.setdefault((trial.backbone, trial.arm), Counter())[trial.delivery] += 1
    return {place: counts.total() for place, counts in words.items() if counts.keys() <= DORMANT}


def alarms(left_out: Untrusted | None, delivered: Delivery | None) -> tuple[str, ...]:
    """What stands above all else in a report, and ends a command with exit code 1."""
    return tuple(filter(None, (untrusted_alarm(left_out), delivery_alarm(delivered))))


def untrusted_alarm(changed: Untrusted | None) -> str:
    """What to say first where rows were changed; empty where all agree with their seals."""
    if changed is None or not (changed.blocks or changed.rows):
        return ""
    sentences = ["ROWS WERE CHANGED AFTER THEY WERE WRITTEN."]
    if changed.blocks:
        sentences.append(
            f"{how_many(changed.trials, 'trial')} of {how_many(len(changed.blocks), 'block')} cannot be"
            " trusted and are left out."
        )
    if changed.rows:
        by_table = ", ".join(f"{table} {count:,}" for table, count in changed.rows.items())
        sentences.append(f"Left out of costs and history: rows of {by_table}.")
    sentences.append("`memtrial run SPEC --clean` begins anew.")
    if changed.blocks:
        named = [
            f"{brief(block.backbone, 60)}, task {brief(block.task, 60)}, repeat {block.repeat}"
            for block in changed.blocks[:MOST_BLOCKS]
        ]
        more = f"; and {len(changed.blocks) - MOST_BLOCKS} more" if len(changed.blocks) > MOST_BLOCKS else ""
        sentences.append(f"Blocks: {'; '.join(named)}{more}.")
    return " ".join(sentences)


def delivery_alarm(delivery: Delivery | None) -> str:
    """What to say first where memory text was missing; empty where all is well or nothing is recorded."""
    if delivery is None or not delivery.undelivered:
        return ""
    lost, sentences = delivery.undelivered - delivery.unread, []
    if lost:
        sentences.append(
            f"MEMORY TEXT DID NOT REACH THE PROMPT: in {lost:,} of {delivery.carrying - delivery.handed:,} "
            "requests that were to carry memory it did not stand verbatim."
        )
    if delivery.unread:
        sentences.append(
            f"MEMORY WAS NEVER GIVEN: in {delivery.unread:,} of {delivery.handed:,} trials in which the"
            " agent's own code was to take it, it took no look at it."
        )
    sentences += _word_sentences(delivery)
    sentence = " ".join([*sentences, "The arms concerned are not judged."])
    first = [
        f"{trial.backbone}, {trial.arm}, {trial.condition}, task {brief(trial.task, 60)}, "
        f"repeat {trial.repeat} (trial {trial.key[:12]})"
        for trial in delivery.trials[:3]
    ]
    return f"{sentence} First trials: {'; '.join(first)}." if first else sentence


def delivery_sentence(delivery: Delivery | None) -> str:
    """The line where every request carried its text; empty otherwise."""
    if delivery is None or delivery.undelivered:
        return ""
    if not delivery.carrying and not delivery.words:
        return "No request was to carry memory."
    requests, sentences = delivery.carrying - delivery.handed, _word_sentences(delivery)
    if requests:
        sentences.append(f"In all {requests:,} requests that were to carry memory it stood verbatim.")
    if delivery.handed:
        sentences.append(
            f"In {delivery.handed:,} trials memory was handed to the agent's own code, and was not seen in a"
            " request: what became of it there is not known."
        )
    return " ".join(sentences)


def _word_sentences(delivery: Delivery) -> list[str]:
    """What the requests showed, where not all memory was given in each trial."""
    total = sum(delivery.words.values())
    if delivery.words.get("given", 0) == total:
        return []
    shares = [f"{word} in {count:,} ({count / total:.0%})" for word, count in sorted(delivery.words.items())]
    return [f"Of {how_many(total, 'trial')} with memory, by its requests: {', '.join(shares)}."]


ECHO, MATE = "memory echo", "template-mate"


def leak_rows(
    plan: RunPlan, condensations: Iterable[CondensationRow], trials: Iterable[TrialRow]
) -> tuple[LeakCount, ...]:
    """A row a kind; of a run that nobody looked at none. In mode stream, a kind that was found."""
    if plan.mode != "stream":
        return plan.leaks
    by_kind: dict[str, list[LeakCount]] = {}
    for row in condensations:
        for leak in row.body.get("leaks", ()):
            by_kind.setdefault(leak["kind"], []).append(LeakCount(count=1, **leak))
    for trial in trials:
        if trial.echoed and trial.condition == INTACT:
            text = f"{how_many(trial.echoed, 'word')} of its thoughts"
            by_kind.setdefault(ECHO, []).append(
                LeakCount(kind=ECHO, count=1, task=trial.task, memory=trial.arm, source=trial.task, text=text)
            )
    return tuple(rows[0].model_copy(update={"count": len(rows)}) for _, rows in sorted(by_kind.items()))


def leak_notes(plan: RunPlan, rows: Iterable[LeakCount]) -> list[str]:
    """What comes first in a report whose memory knew test tasks: such scores may be too good."""
    counted = [row for row in rows if row.count and row.kind not in (ECHO, MATE)]
    if plan.leakage != "count" or not counted:
        return []
    each = ", ".join(f"{row.kind} {row.count:,}" for row in counted)
    first = f"task {counted[0].task}, memory {counted[0].memory}: {counted[0].text!r}"
    return [f"MEMORY KNEW TEST TASKS, and leakage: count let it pass: {each}. First: {first}."]


def leak_lines(leakage: str, rows: Iterable[LeakCount]) -> tuple[str, ...]:
    """What the guard looked for and found."""
    if not leakage:
        return ()
    counted = [row for row in rows if row.count]
    sentences = [
        f"Leakage ({leakage}): {', '.join(f'{r.kind} {r.count:,}' for r in counted) or 'none found'}."
    ]
    means = {
        MATE: "Records of a task's own template were shown; `retrieval.leave_out: template` leaves them out."
    }
    if leakage == "refuse":
        means[ECHO] = "What thoughts repeated of the memory was cut out before they were condensed."
    return (*sentences, *(means[row.kind] for row in counted if row.kind in means))
