"""Delivery proof: for each request, the memory text that was meant, and whether it stood there.

What was meant follows from the design (the slot, how it is injected, which items fired when), never from what
the injection or the agent loop says it did.
"""

from __future__ import annotations

from hashlib import sha256

from loadbearing.episodes.react import Episode
from loadbearing.ledger.rows import RequestEntry
from loadbearing.runs.trials.trials import Trial


def prove(trial: Trial, episode: Episode) -> tuple[RequestEntry, ...]:
    """One entry for each request of the episode, in order; one that no memory was meant for is verbatim."""
    last_of = {sent.step: number for number, sent in enumerate(episode.sent)}
    # what the agent said is no delivery: it may repeat a note that was never shown
    contents = ["" if one.role == "assistant" else one.content for one in episode.conversation]
    proofs: list[RequestEntry] = []
    for number, sent in enumerate(episode.sent):
        texts = _meant(trial, episode, sent.step, number == last_of[sent.step])
        stood = all(any(text in content for content in contents[: sent.messages]) for text in texts)
        proofs.append(
            {
                "key": sent.key.hex(),
                "step": sent.step,
                "messages": sent.messages,
                "meant": sha256("\n\n".join(texts).encode()).hexdigest() if texts else "",
                "verbatim": not texts or (stood and sent.verbatim),
            }
        )
    return tuple(proofs)


def _meant(trial: Trial, episode: Episode, step: int, last: bool) -> tuple[str, ...]:
    """The texts that must stand in a request of this turn.

    Args:
        last: it is the turn's last request. An item that fired on the proposed action enters only there.
    """
    shown = trial.shown
    if not trial.arm.injection.watches:
        return (shown.text,) if shown.text else ()
    entered = [
        firing.item for firing in episode.firings if firing.step < step or (firing.step == step and last)
    ]
    texts = tuple(shown.items[item] for item in entered if item < len(shown.items) and shown.items[item])
    # the cue line enters with every item: an instruction to follow them stands in it
    return (shown.cue, *texts) if texts and shown.cue else texts
