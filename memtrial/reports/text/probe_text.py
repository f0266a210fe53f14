"""A probe in words: one sentence, the rows of its tables, and what its words do and do not mean."""

from collections.abc import Iterator

from memtrial.console.escape import brief
from memtrial.outcomes.count_words import how_many
from memtrial.reports.text.verdict_glossary import Tone
from memtrial.views.numbers import dollars, ends, probability, share, with_sign
from memtrial.views.rows.probe_rows import (
    ArmWord,
    ProbeArm,
    ProbeItem,
    ProbeOutcome,
    ProbeResults,
    ProbeRow,
    ShownWord,
)

DIRECT = "direct effect given the history"
HEAD = ("arm", "what is measured", "held against", "intact", "there", "effect", "interval", "p", "word")
ITEM_HEAD = (
    "arm",
    "item",
    "advises",
    "decisions",
    "with it",
    "without it",
    "effect",
    "interval",
    "word",
    "shift",
)
TELLING = ("Claim", "Content")
"""Headings of fields that advise."""
FEW = 2
"""Arms whose answers stand in one sentence."""
LONGEST = 60
"""Characters of an item in a table."""
LOOKS: dict[ShownWord, tuple[str, Tone]] = {
    "moves": ("o", "effect"),
    "still": ("s", "absence"),
    "reversed": ("v", "harm"),
    "inconclusive": ("o", "open"),
    "untestable": ("D", "open"),
}
"""The shape and the tone of each word in the figure."""
OUTCOMES: dict[ProbeOutcome, str] = {
    "advised": "what it advises",
    "other": "what `counter` advises",
    "mention": "named against not named",
    "shift": "shift of all actions",
}
ANSWERS: dict[ArmWord, str] = {
    "follows": "its advice is followed",
    "naming": "what it names is done, whatever it says of it",
    "ignores": "its advice is ignored",
    "defies": "its advice is done less where it is given",
    "inconclusive": "not settled whether its advice is followed",
    "untestable": "whether its advice is followed cannot be seen here",
}


def probe_sentence(results: ProbeResults) -> str:
    """The end in one sentence; of many arms, how many got each word."""
    if len(results.arms) <= FEW:
        return "; ".join(say_arm(results, arm) for arm in results.arms) + "."
    counted = []
    for word, answer in ANSWERS.items():
        named = [_name_arm(results, arm) for arm in results.arms if arm.word == word]
        if named:
            counted.append(f"{answer}: {len(named)} ({list_plainly(named)})")
    told = "; ".join(counted)
    return f"{len(results.arms)} arms. {told[:1].upper()}{told[1:]}."


def list_plainly(names: list[str], most: int = 4) -> str:
    """Names with commas, the first few of many."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _name_arm(results: ProbeResults, arm: ProbeArm) -> str:
    return arm.arm if len(results.models) == 1 else f"{arm.arm} on {arm.backbone}"


def say_arm(results: ProbeResults, arm: ProbeArm) -> str:
    """One arm in words."""
    name = _name_arm(results, arm)
    shown = next((row for row in _rows_of(results, arm, "advised") if row.condition == "counter"), None)
    shares = ""
    if shown is not None and arm.word != "untestable":
        shares = (
            f" (done at {share(shown.before)} of decisions with it, at {share(shown.after)} where other"
            " advice stands in its place)"
        )
    return f"{name}: {ANSWERS[arm.word]}{shares}"


def probe_mention(results: ProbeResults) -> Iterator[str]:
    """What being named does, beside what is said of it: a sentence for each arm."""
    for arm in results.arms:
        for row in _rows_of(results, arm, "mention"):
            turned = next(
                (each for each in _rows_of(results, arm, "advised") if each.condition == "corrupt_invert"),
                None,
            )
            said = "" if turned is None else (
                f" That it is advised and not advised against moves it by {with_sign(turned.estimate)}"
                f" {ends(turned.low, turned.high)}."
            )  # fmt: skip
            yield (
                f"{arm.arm} on {arm.backbone}: that an action is named, though advised against, moves its"
                f" share by {with_sign(row.estimate)} {ends(row.low, row.high)} against a text that names"
                f" another ({_say_word(row.word)}).{said}"
            )


def _say_word(word: ShownWord) -> str:
    return {
        "moves": "mention alone moves it",
        "still": "mention alone does not move it by the margin",
        "reversed": "mention alone moves it down",
        "inconclusive": "not settled",
        "untestable": "it could not be seen",
    }[word]


def probe_table(results: ProbeResults) -> Iterator[tuple[str, ...]]:
    """A line for each row, by arm, what is advised first."""
    for row in sorted(results.rows, key=lambda row: (row.backbone, row.arm)):
        yield (
            row.arm if len(results.models) == 1 else f"{row.arm} · {row.backbone}",
            OUTCOMES[row.outcome],
            name_condition(row),
            share(row.before),
            share(row.after),
            with_sign(row.estimate),
            ends(row.low, row.high),
            probability(row.p_adjusted),
            row.word,
        )


def name_condition(row: ProbeRow) -> str:
    """What the intact memory is held against, in words."""
    return "one item left out" if row.condition == "left out" else row.condition


def item_table(results: ProbeResults) -> Iterator[tuple[str, ...]]:
    """A line for each item."""
    for item in results.items:
        yield (
            item.arm if len(results.models) == 1 else f"{item.arm} · {item.backbone}",
            item_name(item),
            brief("; ".join(item.advice), LONGEST) or "none read that applies",
            f"{item.n_decisions:,}",
            share(item.present),
            share(item.absent),
            with_sign(item.estimate),
            ends(item.low, item.high),
            item.word if item.advice else "",
            f"{with_sign(item.shift)} {item.shift_word}",
        )


def item_name(item: ProbeItem) -> str:
    """The first words of an item: of what it claims, where headings say which words these are."""
    lines = [line.lstrip("# ").strip() for line in item.text.splitlines() if line.strip()]
    told = [line.partition(" ")[2] for line in lines if line.partition(" ")[0] in TELLING]
    return brief(" ".join(filter(None, told)) or " ".join(lines), LONGEST)


def probe_facts(results: ProbeResults) -> Iterator[tuple[str, str]]:
    """What was asked, by a term."""
    yield "Asked", ", ".join(results.models)
    units = f" in {results.n_clusters:,} clusters" if results.n_clusters != results.n_tasks else ""
    tasks = f"{how_many(results.n_decisions, 'decision')} of {how_many(results.n_tasks, 'task')}{units}"
    yield "Decisions", tasks
    how = (
        "shares of all choices"
        if results.exact
        else f"{how_many(results.samples, 'reply').replace('replys', 'replies')} a text"
    )
    yield "Read from", how if results.exact else f"{how}, twice as many of the intact memory"
    yield "Calls", f"{results.calls:,}"
    yield "Cost", dollars(results.usd)
    yield "Margin", f"{results.margin:.2f} of a share from 0 to 1"


def probe_next_step(results: ProbeResults) -> str:
    """What to do with it."""
    words = {arm.word for arm in results.arms}
    if "follows" in words:
        return "Whether what is followed helps, only whole episodes can tell: `memtrial run`."
    if words == {"untestable"}:
        return "Name what the items advise with --advised FILE, or probe decisions at which they apply."
    if words <= {"ignores", "untestable"}:
        return "What the next action ignores can hardly help later; see where it stands in the prompt."
    return "More calls (--calls) ask more decisions; kept answers are not paid again."


def probe_limits(results: ProbeResults) -> Iterator[str]:
    """What the words mean, and what they do not."""
    yield (
        f"Every number is a {DIRECT}: the conversation up to the decision is the recorded one, which the"
        " memory had a part in; only the memory in it is changed. What memory does over a whole episode is"
        " another question, which trials answer."
    )
    if results.n_echoed:
        yield (
            f"At {results.n_echoed:,} of {how_many(results.n_decisions, 'decision')} an earlier reply of the"
            " agent repeats words of the memory. They stay, and effects there are rather too small."
        )
    yield (
        "`moves`: the share of what is advised falls where the memory is changed (shift: what is done moves"
        f" {'by more than the margin' if results.exact else 'further than asking the same again moves it'}),"
        f" with an error of {results.alpha:g} over all rows of its kind. `still`: an effect of"
        f" {results.margin:.2f} or more is ruled out. `reversed`: the share rises. `inconclusive` is none of"
        " these, and no evidence of no effect. `untestable`: it could not have been seen."
    )
    yield (
        "`without` takes the whole block away, so that a block of any text may do as much. `corrupt_invert`"
        " still names the action, `counter` names another one: the difference is what being named does. That"
        " memory is followed is said only where each of two actions is done more where it is advised, and"
        " less where it is advised against."
    )
    if not results.exact:
        yield (
            "A shift is what lies beyond the distance between two halves of the intact replies: zero on"
            " average where the texts do the same, and rather too small elsewhere."
        )
    held = f"{1 - results.alpha:.0%}"
    yield f"Intervals of one kind hold together, with {held}; their unit is the {results.clustered}."


def _rows_of(results: ProbeResults, arm: ProbeArm, outcome: ProbeOutcome) -> list[ProbeRow]:
    return [
        row
        for row in results.rows
        if (row.backbone, row.arm, row.outcome) == (arm.backbone, arm.arm, outcome)
    ]
