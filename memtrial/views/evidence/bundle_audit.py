"""The bundle audit: in what the requests of two arms differ besides the memory text, which is the treatment.

What stands in every memory of an arm, whatever the task, is no memory of anything but an instruction: a cue
line, or a sentence that a condenser or a memory system adds to each of its texts.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate
from statistics import fmean

from memtrial.console.escape import shorten
from memtrial.ledger.rows import TrialRow
from memtrial.ledger.run_plan import RunPlan
from memtrial.outcomes.reserved_names import INTACT, NONE, WITHHOLD, WITHOUT
from memtrial.protocols import LedgerStore
from memtrial.views.rows.evidence_rows import AuditRow

MEMORY, PLACE = "memory text", "place of the memory"
FEW = 4
"""Words of a sentence that may stand in every memory by chance: a heading, the name of a form."""
SEEN = 5
"""Different memories from which one can tell what stands in all of them; with fewer, only the cue is told."""
MOST = 240
"""Characters of an excerpt."""
SHOWN = 100
"""Those of them in a sentence."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
Block = tuple[str, int]
"""Task and repeat."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """The first request of one trial, taken apart.

    Args:
        texts: by name the parts of the request, the memory left out.
        memory: the text of the slot; empty where there is none.
        place: where the memory stands, or will; empty where there is none.
        settings: what the request asks for beside its texts.
    """

    texts: Mapping[str, str]
    memory: str
    place: str
    settings: str = ""


def bundle(messages: Sequence[Mapping[str, str]], memory: str, waits: bool, settings: str = "") -> Bundle:
    """Take a request apart: each message without the memory, and how many words stand before that.

    Args:
        waits: items enter in user turns, each once its moment comes: any of them may stand there.
    """
    texts: dict[str, str] = {}
    place = "user turn, once its moment comes" if memory and waits else ""
    paragraphs = set(memory.split("\n\n")) if waits else set()
    for number, message in enumerate(messages):
        name = "system prompt" if message["role"] == "system" else f"message {number}"
        rest = "\n\n".join(part for part in message["content"].split("\n\n") if part not in paragraphs)
        before, within, after = rest.partition(memory) if memory else (rest, "", "")
        texts[name] = "\n\n".join(part for part in (before.strip(), after.strip()) if part)
        if within and not place:
            place = f"{name}, {'at its end' if not after.strip() else f'after {len(before.split())} words'}"
    return Bundle(texts, memory, place, settings)


def audit(
    backbone: str, arms: tuple[str, str], first: Mapping[Block, Bundle], second: Mapping[Block, Bundle]
) -> tuple[AuditRow, ...]:
    """Everything in which the bundles of two arms differ, the memory text first; blocks that both have."""
    blocks = [block for block in first if block in second]
    pairs = [(first[block], second[block]) for block in blocks]
    if not pairs:
        return ()

    def row(what: str, only_in: str, size: tuple[float, float], n: int, excerpt: str) -> AuditRow:
        words, characters = (round(number, 1) for number in size)
        quoted = shorten(excerpt, MOST)
        return AuditRow(backbone, *arms, what, only_in, words, characters, n, len(pairs), quoted)

    rows = []
    if unlike := sum(a.memory != b.memory for a, b in pairs):
        rows.append(row(MEMORY, "", _more([(a.memory, b.memory) for a, b in pairs]), unlike, ""))
    memories = [[pair[side].memory for pair in pairs] for side in (0, 1)]
    always = [_constant(memories[side], memories[1 - side]) for side in (0, 1)]
    for side, arm in enumerate(arms):
        own = {text: cue for text, cue in always[side].items() if text not in always[1 - side]}
        for what, cue in (("cue line", True), ("in every memory", False)):
            sentences = " ".join(text for text, is_cue in own.items() if is_cue == cue)
            if sentences:
                rows.append(row(what, arm, (_n_words(sentences), len(sentences)), len(pairs), sentences))
    for name in dict.fromkeys(name for pair in pairs for side in pair for name in side.texts):
        apart = [(a.texts.get(name, ""), b.texts.get(name, "")) for a, b in pairs]
        apart = [(a, b) for a, b in apart if a != b]
        if apart:
            only_in, excerpt = _excerpt(arms, *apart[0])
            rows.append(row(name, only_in, _more(apart), len(apart), excerpt))
    for what, values in (
        (PLACE, [(a.place, b.place) for a, b in pairs]),
        ("settings", [(a.settings, b.settings) for a, b in pairs]),
    ):
        apart = [pair for pair in values if pair[0] != pair[1] and (what == "settings" or all(pair))]
        if apart:
            rows.append(row(what, "", (0.0, 0.0), len(apart), f"{apart[0][0]} / {apart[0][1]}"))
    return tuple(rows)


def _n_words(text: str) -> int:
    return len(text.split())


def _more(pairs: Sequence[tuple[str, str]]) -> tuple[float, float]:
    """Words and characters that the first of two texts has more, in the mean."""
    words, characters = ([count(a) - count(b) for a, b in pairs] for count in (_n_words, len))
    return fmean(words), fmean(characters)


def _constant(memories: Sequence[str], others: Sequence[str]) -> dict[str, bool]:
    """Sentences that stand in every memory, and whether they stand in its first paragraph.

    Of few memories one can tell only where nothing else is unlike the other arm's, block by block.
    """
    different = [*dict.fromkeys(text for text in memories if text)] or [""]
    first = set(_sentences(different[0].partition("\n\n")[0]))
    shared = list(_sentences(different[0]))
    for text in different[1:]:
        there = set(_sentences(text))
        shared = [text for text in shared if text in there]
    alike = all(
        _remove_gone(mine, shared) == _remove_gone(other, shared)
        for mine, other in zip(memories, others, strict=True)
        if mine
    )
    apart = len(different) > 1 and alike
    return {text: text in first for text in shared if text in first or apart or len(different) >= SEEN}


def _remove_gone(text: str, gone: Sequence[str]) -> list[str]:
    return [sentence for sentence in _sentences(text) if sentence not in gone]


def _sentences(text: str) -> Iterator[str]:
    for piece in _SENTENCE.split(text):
        sentence = " ".join(piece.lstrip("# \t").split())
        if _n_words(sentence) >= FEW:
            yield sentence


def _excerpt(arms: tuple[str, str], first: str, second: str) -> tuple[str, str]:
    """The words that only one of two texts has, and whose they are; of both where each has some."""
    own, theirs = first.split(), second.split()
    changes = stretches(own, theirs)
    if changes is None:
        return "", f"{first} / {second}"
    went = " … ".join(" ".join(own[here]) for changed, here, _ in changes if changed and own[here])
    came = " … ".join(" ".join(theirs[there]) for changed, _, there in changes if changed and theirs[there])
    if went and came:
        return "", f"{went} / {came}"
    return (arms[0], went) if went else (arms[1], came)


def sentence(rows: Sequence[AuditRow], arms: tuple[str, str]) -> str:
    """In what two arms differ, in one sentence; empty where nothing was looked at."""
    own = [row for row in rows if (row.arm, row.versus) == arms]
    # the same on every backbone is said once
    others = dict.fromkeys(_describe_row(row) for row in own if row.what != MEMORY)
    texts = [row for row in own if row.what == MEMORY]
    sizes = dict.fromkeys("not written yet" if r.words is None else f"{r.words:+g} words" for r in texts)
    differ = f"{MEMORY} ({' and '.join(sizes)})" if texts else "no memory text"
    rest = f", and also in: {'; '.join(others)}." if others else " and in nothing else."
    return f"{arms[0]} vs {arms[1]} differ in {differ}{rest}"


def pair_sentences(rows: Sequence[AuditRow], pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    """A sentence on each of these pairs, and on all other arms that differ in more than their memories."""
    for arms in dict.fromkeys((row.arm, row.versus) for row in rows):
        # what shows memory differs from `none`; what withholds it may not
        apart = NONE in arms and any((row.arm, row.versus, row.what) == (*arms, MEMORY) for row in rows)
        if arms in pairs or (differs_unseen(rows, arms) and not apart):
            yield sentence(rows, arms)


def differs_unseen(rows: Sequence[AuditRow], arms: tuple[str, str]) -> bool:
    """Whether two arms differ in more than their memories and the place of these."""
    return any((row.arm, row.versus) == arms and row.what not in (MEMORY, PLACE) for row in rows)


def _describe_row(row: AuditRow) -> str:
    size = f"{row.only_in} alone, {abs(row.words):g} words: " if row.only_in and row.words else ""
    return f"{row.what} ({size}{shorten(row.excerpt, SHOWN)})"


MOST_PAIRS = 10_000_000
"""Pairs of equal words that are looked at; to compare two texts may take the cube of their words."""

Stretch = tuple[bool, slice, slice]
"""Whether two stretches differ, and where they stand in the one text and in the other."""


def stretches(
    first: Sequence[str], second: Sequence[str], most_pairs: int = MOST_PAIRS
) -> list[Stretch] | None:
    """What both have in common and what they have not, in order; None where it takes too long to find."""
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    # a search for the longest stretch looks at every pair of equal words
    times = Counter(second)
    costs = [0, *accumulate(1 + times[word] for word in first)]
    regions, blocks, looked_at = [(0, len(first), 0, len(second))], [(len(first), len(second), 0)], 0
    while regions:
        a, b, c, d = regions.pop()
        looked_at += costs[b] - costs[a]
        if looked_at > most_pairs:
            return None
        i, j, size = matcher.find_longest_match(a, b, c, d)
        if size:
            blocks.append((i, j, size))
            sides = (a, i, c, j), (i + size, b, j + size, d)
            regions += [side for side in sides if side[0] < side[1] and side[2] < side[3]]
    pieces: list[Stretch] = []
    start = to = 0
    for i, j, size in sorted(blocks):
        if (start, to) != (i, j):
            pieces.append((True, slice(start, i), slice(to, j)))
        if size:
            pieces.append((False, slice(i, i + size), slice(j, j + size)))
        start, to = i + size, j + size
    return pieces


MOST_BLOCKS = 8
"""So many blocks are looked at, spread over all: their requests are read whole."""


def audited_pairs(
    pairs: Sequence[tuple[str, str]], arms: Sequence[str], withheld: Collection[str] = ()
) -> Iterator[tuple[str, str]]:
    """The pairs whose drops are compared, every other arm beside the same control, and one beside none, as is
    every arm whose memory is withheld."""
    yield from pairs
    yield from ((arm, NONE) for arm in arms if arm in withheld)
    with_memory = [arm for arm in arms if arm != NONE and arm not in withheld]
    control = pairs[0][1] if pairs else next(iter(with_memory), NONE)
    compared = {control, *(treatment for treatment, _ in pairs)}
    yield from ((arm, control) for arm in with_memory if arm not in compared)
    if control != NONE:
        yield (control, NONE)


def audit_rows(ledger: LedgerStore, trials: Sequence[TrialRow], plan: RunPlan) -> tuple[AuditRow, ...]:
    """What the intact trials of two arms were sent, block by block."""
    played = {
        (trial.backbone, trial.arm, trial.task, trial.repeat): trial
        for trial in trials
        if trial.status != "error" and trial.condition in (INTACT, WITHOUT)
    }
    every = sorted({(task, repeat) for _, _, task, repeat in played})
    blocks = every[:: max(1, -(-len(every) // MOST_BLOCKS))]
    rows: list[AuditRow] = []
    for backbone in plan.backbones:
        read: dict[str, dict[Block, Bundle]] = {}
        for arm in plan.arms:
            own = ((block, played.get((backbone, arm, *block))) for block in blocks)
            bundles = (
                (block, _read_bundle(ledger, plan, trial)) for block, trial in own if trial is not None
            )
            read[arm] = {block: bundle for block, bundle in bundles if bundle is not None}
        arms = [arm for arm in plan.arms if arm != plan.positive_control]
        withheld = {arm for arm in arms if plan.injections.get(arm) == WITHHOLD}
        for pair in audited_pairs((*plan.pairs, *plan.channel_pairs), arms, withheld):
            rows += audit(backbone, pair, *(read.get(arm, {}) for arm in pair))
    return tuple(rows)


def _read_bundle(ledger: LedgerStore, plan: RunPlan, trial: TrialRow) -> Bundle | None:
    episode = ledger.episode(trial.key)
    if episode is None or not episode.calls:
        return None
    first, waits = episode.calls[0], plan.waits(trial.arm)
    messages = episode.conversation[: first["messages"]]
    settings = ledger.accounts.settings_of(bytes.fromhex(first["key"]))
    return bundle(messages, ledger.slot(trial.slot) or "", waits, settings)
