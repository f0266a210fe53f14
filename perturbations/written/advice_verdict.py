"""Whether what a judge read in an intact and a damaged text is what the kind of damage claims."""

from collections.abc import Iterator, Sequence

from memtrial.judges.advice_comparison import AdviceComparison, AdvicePair, AdvicePiece
from memtrial.perturbations.written.claims import Claim

LONG_ENOUGH = 3
"""Words of a passage that does not stand in another text by chance."""


def explain_refusal(claim: Claim, compared: AdviceComparison, after: str) -> str:
    """What of the claim the reading does not bear out, as a sentence for the writer; empty where nothing.

    Args:
        compared: the intact text is the first.
        after: the damaged text.
    """
    if compared.fault:
        return compared.fault
    return next(_misses(claim, compared, after), "")


def _misses(claim: Claim, compared: AdviceComparison, after: str) -> Iterator[str]:
    if claim == "turned":
        yield from _not_turned(compared)
    elif claim == "exchanged":
        yield from _not_exchanged(compared, after)
    elif claim == "hidden":
        yield from _not_hidden(compared)
        return
    else:
        yield from _not_kept(compared)
        if claim == "spared":
            yield from _not_verbatim(compared, after)
    if compared.second_contradicts and not compared.first_contradicts:
        yield "it contradicts itself: one place speaks against what another advises"


def _not_turned(compared: AdviceComparison) -> Iterator[str]:
    for pair in compared.pairs:
        was, now = _pieces(compared, pair)
        if pair.relation == "same" and was and now:
            yield f"{_say(was)} is still advised: {_quote(now)}"
        elif pair.relation == "another action" and was and now:
            yield f"{_say(was)} became other advice and not its opposite: {_quote(now)}"
        elif was and not now:
            yield f"{_say(was)} is gone, where its opposite was to be advised"
        elif now and not was:
            yield f"it advises something new: {_quote(now)}"


def _not_exchanged(compared: AdviceComparison, after: str) -> Iterator[str]:
    # in an item that only says what to avoid, that is what gets another action
    only_avoids = all(piece.polarity == "avoid" for piece in compared.first)
    lost, new = _find_unpaired(compared)
    for pair in compared.pairs:
        was, now = _pieces(compared, pair)
        if was and now and pair.relation == "same":
            yield f"{_say(was)} is still advised: {_quote(now)}"
        elif was and now and pair.relation == "opposite":
            yield f"{_say(was)} became its opposite and not another action: {_quote(now)}"
        elif was and now and was.polarity != now.polarity and (was.polarity == "do" or only_avoids):
            yield f"{_say(was)} was to become another action to {was.polarity}: {_quote(now)}"
    for piece in lost:
        # the old advice is not there, and other advice of its kind that is new stands in its field
        instead = next((other for other in new if _in_place(piece, other)), None)
        if instead is not None:
            new.remove(instead)
        elif piece.polarity == "do" or only_avoids:
            yield f"{_say(piece)} is gone, where another action was to be advised"
    flat = " ".join(after.split())
    for piece in compared.first:
        if piece.polarity == "do" or only_avoids:
            passage = " ".join(piece.quote.split())
            if len(passage.split()) >= LONG_ENOUGH and passage in flat:
                yield f"the old advice still stands there: {_quote(piece)}"


def _not_hidden(compared: AdviceComparison) -> Iterator[str]:
    if not compared.readable:
        yield "the judge was not asked what can still be told"
    for pair in compared.pairs:
        was, left = _pieces(compared, pair)
        # who only gets wrong whether it is to be done or avoided has recovered the action
        if was and left and pair.relation in ("same", "opposite"):
            yield f"{_say(was)} can still be told: a reader makes out {_quote(left)}"


def _not_kept(compared: AdviceComparison) -> Iterator[str]:
    for pair in compared.pairs:
        was, now = _pieces(compared, pair)
        if was and now and pair.relation != "same":
            yield f"{_say(was)} became other advice: {_quote(now)}"
        elif was and not now:
            yield f"{_say(was)} is gone"
        elif now and not was:
            yield f"it advises something new: {_quote(now)}"


def _not_verbatim(compared: AdviceComparison, after: str) -> Iterator[str]:
    flat = " ".join(after.split())
    for piece in compared.first:
        if " ".join(piece.quote.split()) not in flat:
            yield f"the advice was to stay letter by letter: {_quote(piece)}"


def _pieces(compared: AdviceComparison, pair: AdvicePair) -> tuple[AdvicePiece | None, AdvicePiece | None]:
    return (
        compared.first[pair.first - 1] if pair.first else None,
        compared.second[pair.second - 1] if pair.second else None,
    )


def _find_unpaired(compared: AdviceComparison) -> tuple[list[AdvicePiece], list[AdvicePiece]]:
    """Pieces of each text without a counterpart."""
    absent = [pair for pair in compared.pairs if pair.relation == "not there"]
    lost = [compared.first[pair.first - 1] for pair in absent if pair.first]
    return lost, [compared.second[pair.second - 1] for pair in absent if pair.second]


def _in_place(piece: AdvicePiece, other: AdvicePiece) -> bool:
    return piece.field.casefold() == other.field.casefold() and piece.polarity == other.polarity


def _say(piece: AdvicePiece) -> str:
    action = piece.action if piece.polarity == "do" else f"to avoid: {piece.action}"
    return f"what the {piece.field} advised ({_short(action)})"


def _quote(piece: AdvicePiece) -> str:
    return repr(_short(piece.quote))


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 120 else f"{flat[:117]}..."


def pair_actions(compared: Sequence[AdviceComparison]) -> tuple[str, str]:
    """The actions that were advised before and after, where one was put for another; with semicolons."""
    both = [
        (was.action, now.action)
        for comparison in compared
        for was, now in (_pieces(comparison, pair) for pair in comparison.pairs)
        if was and now
    ]
    return "; ".join(was for was, _ in both), "; ".join(now for _, now in both)
