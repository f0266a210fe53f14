"""Delivery proof: the memory text that was meant for each request, and whether it stood there."""

from hashlib import sha256

from memtrial.agents.episode import Episode, Sent
from memtrial.ledger.rows import RequestEntry
from memtrial.runs.trials.trials import Trial


def prove(trial: Trial, episode: Episode) -> tuple[RequestEntry, ...]:
    """Delivery proof: for each request, in order, the memory text that was meant, and whether it stood there.

    What was meant follows from the design (the slot, how it is injected, which items fired when), never from
    what the injection or the agent loop says it did. Where none was meant, the request is verbatim. An agent
    that reports its own outcome decides which of its requests carry memory: see `_prove_handed`.
    """
    if episode.reported:
        return _prove_handed(trial, episode)
    last_of = {sent.step: number for number, sent in enumerate(episode.sent)}
    contents = _texts_sent(episode)
    proofs: list[RequestEntry] = []
    for number, sent in enumerate(episode.sent):
        last = number == last_of[sent.step]
        texts = _meant(trial, episode, sent.step, last)
        stood = all(
            any(text in content for content in contents[sent.since : sent.messages]) for text in texts
        )
        # the text of an item whose executed check the proposed action broke stands in that very request
        broken = [
            check.item for check in episode.broken if check.withheld and check.step == sent.step and last
        ]
        stood = stood and all(trial.shown.items[item] in contents[sent.messages - 1] for item in broken)
        proofs.append(_entry(sent.key.hex(), texts, not texts or (stood and sent.verbatim), sent))
    return tuple(proofs)


def _meant(trial: Trial, episode: Episode, step: int, last: bool) -> tuple[str, ...]:
    """The texts that must stand in a request of this turn; an item that fired on the proposed action enters
    only in the turn's last one."""
    shown = trial.shown
    if not trial.arm.injection.by_trigger:
        return (shown.text,) if shown.text else ()
    entered = [
        firing.item for firing in episode.firings if firing.step < step or (firing.step == step and last)
    ]
    texts = tuple(shown.items[item] for item in entered if item < len(shown.items) and shown.items[item])
    # the cue line enters with every item: an instruction to follow them stands in it
    return (shown.cue, *texts) if texts and shown.cue else texts


def _prove_handed(trial: Trial, episode: Episode) -> tuple[RequestEntry, ...]:
    """The proof for an agent whose own code takes its memory and asks a model, or none, as it likes.

    Memory is delivered where each item stands in some request of the trial, the whole block at best; requests
    that a proxy saw count as those that were asked for here. Where
    the code asked no model here, what it was handed is all that is known, as an entry without a key, whose
    `verbatim` says that it took it. Code that took no look at memory that was there was never given it.
    """
    due, contents = _due(trial, episode), _texts_sent(episode)
    proofs: list[RequestEntry] = []
    missing = set(due)
    for sent in episode.sent:
        own = contents[sent.since : sent.messages]
        texts = tuple(text for text in due if any(text in content for content in own))
        missing -= set(texts)
        proofs.append(_entry(sent.key.hex(), texts, not texts or sent.verbatim, sent))
    for seen in episode.seen:
        texts = tuple(text for text in due if text in seen.texts)
        missing -= set(texts)
        proofs.append(_entry(seen.digest, texts, True))
    if not missing:
        return tuple(proofs)
    if episode.handed and proofs:
        # it asked, and what it had taken stood in no request: the last one was to carry it
        last = episode.sent[-1] if episode.sent and not episode.seen else None
        return (*proofs[:-1], _entry(proofs[-1]["key"], due, False, last))
    return (*proofs, _entry("", due, bool(episode.handed)))


def _due(trial: Trial, episode: Episode) -> tuple[str, ...]:
    """The texts that have to reach the agent: the items, or those that came up where it has to ask."""
    if episode.asked_for is not None:
        return tuple(dict.fromkeys(episode.asked_for))
    items = tuple(item.strip() for item in trial.shown.items if item.strip())
    if trial.arm.injection.by_trigger and episode.handed is not None:
        return episode.handed
    return items


def _texts_sent(episode: Episode) -> list[str]:
    """By message, what was sent: what the agent said is no delivery, it may repeat what was never shown."""
    return ["" if message.role == "assistant" else message.text for message in episode.conversation]


def _entry(key: str, texts: tuple[str, ...], verbatim: bool, sent: Sent | None = None) -> RequestEntry:
    """One entry; without a request it is of what was handed to the agent's own code."""
    entry: RequestEntry = {
        "key": key,
        "step": sent.step if sent else 0,
        "messages": sent.messages if sent else 0,
        "meant": sha256("\n\n".join(texts).encode()).hexdigest() if texts else "",
        "verbatim": verbatim,
    }
    return {**entry, "since": sent.since} if sent and sent.since else entry
