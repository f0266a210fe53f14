"""Delivery proof: the memory text that was meant for each request, and whether it stood there."""

from collections.abc import Collection
from functools import lru_cache
from hashlib import sha256

from memtrial.agents.episode import Episode, Sent
from memtrial.delivery.text_delivery import DeliveryWord
from memtrial.ledger.rows import RequestEntry
from memtrial.runs.trials.trials import Trial


def prove(trial: Trial, episode: Episode) -> tuple[RequestEntry, ...]:
    """Delivery proof: for each request, in order, the memory text that was meant, and whether it stood there.

    What was meant follows from the design (the slot, how it is injected, which items fired when), never from
    what the injection or the agent loop says it did. Where none was meant, the request is verbatim. An agent
    that reports its own outcome decides which of its requests carry memory: see `_prove_handed`. Of an agent
    that acted and asked no model here, what it took is all that is known, as there.
    """
    if episode.reported:
        return _prove_handed(trial, episode)
    if episode.steps and not episode.sent:
        due = _meant(trial, episode, len(episode.steps), last=True)
        return (_entry("", due, bool(episode.handed)),) if due else ()
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


def name_delivery(trial: Trial, episode: Episode) -> DeliveryWord | None:
    """What became of the memory of an agent that asks its model by its own code; None where there was none to
    be given, or no request was seen."""
    shown = any(item.strip() for item in trial.shown.items)
    if not (episode.reported and shown and (episode.sent or episode.seen)):
        return None
    due = set(_due(trial, episode))
    given = {text for texts in _list_given(due, episode) for text in texts}
    if episode.asked is not None:
        return episode.asked.name_delivery(given)
    if not due:
        return None
    if given:
        return "given" if given == due else "given in part"
    return "never activated" if any(seen.announced for seen in episode.seen) else "never given"


def _prove_handed(trial: Trial, episode: Episode) -> tuple[RequestEntry, ...]:
    """The proof for an agent whose own code takes its memory and asks a model, or none, as it likes.

    Memory is delivered where each item stands in some request of the trial, the whole block at best; requests
    that a proxy saw count as those that were asked for here. Where
    the code asked no model here, what it was handed is all that is known, as an entry without a key, whose
    `verbatim` says that it took it. Code that took no look at memory that was there was never given it. Where
    the model was told of memory and did not ask for it, no request was to carry it.
    """
    due = _due(trial, episode)
    listed = _list_given(due, episode)
    proofs = [
        _entry(sent.key.hex(), texts, not texts or sent.verbatim, sent)
        for sent, texts in zip(episode.sent, listed[: len(episode.sent)], strict=True)
    ]
    proofs += [
        _entry(seen.digest, texts, True)
        for seen, texts in zip(episode.seen, listed[len(episode.sent) :], strict=True)
    ]
    if {*due} == {text for texts in listed for text in texts}:
        return tuple(proofs)
    if name_delivery(trial, episode) == "never activated":
        return tuple(proofs)
    if episode.handed and proofs:
        # it asked, and what it had taken stood in no request: the last one was to carry it
        last = episode.sent[-1] if episode.sent and not episode.seen else None
        return (*proofs[:-1], _entry(proofs[-1]["key"], due, False, last))
    return (*proofs, _entry("", due, bool(episode.handed)))


def _list_given(due: Collection[str], episode: Episode) -> list[tuple[str, ...]]:
    """Of each request, those asked for here before those that a proxy saw, the texts that stood in it."""
    contents = _texts_sent(episode)
    asked = [
        tuple(
            text for text in due if any(text in content for content in contents[sent.since : sent.messages])
        )
        for sent in episode.sent
    ]
    return [*asked, *(tuple(text for text in due if text in seen.texts) for seen in episode.seen)]


def _due(trial: Trial, episode: Episode) -> tuple[str, ...]:
    """The texts that have to reach the agent: the items, or those that came up where it has to ask."""
    if episode.asked is not None:
        return tuple(dict.fromkeys(episode.asked.texts))
    items = tuple(item.strip() for item in trial.shown.items if item.strip())
    if trial.arm.injection.by_trigger and episode.handed is not None:
        return episode.handed
    return items


def _texts_sent(episode: Episode) -> list[str]:
    """By message, what was sent: what the agent said is no delivery, it may repeat what was never shown."""
    return ["" if message.role == "assistant" else message.text for message in episode.conversation]


@lru_cache(maxsize=256)  # each request of an episode carries the same memory
def _digest_texts(texts: tuple[str, ...]) -> str:
    return sha256("\n\n".join(texts).encode()).hexdigest()


def _entry(key: str, texts: tuple[str, ...], verbatim: bool, sent: Sent | None = None) -> RequestEntry:
    """One entry; without a request it is of what was handed to the agent's own code."""
    entry: RequestEntry = {
        "key": key,
        "step": sent.step if sent else 0,
        "messages": sent.messages if sent else 0,
        "meant": _digest_texts(texts) if texts else "",
        "verbatim": verbatim,
    }
    if sent and sent.since:
        entry["since"] = sent.since
    if sent and sent.choices:
        entry["choices"] = list(sent.choices)
    return entry
