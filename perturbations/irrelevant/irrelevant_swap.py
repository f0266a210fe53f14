"""Somebody else's memory in the frame of this one: whole items of foreign records, never a cut sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice, permutations
from typing import TYPE_CHECKING, NamedTuple

from memtrial.agents.slot import Slot
from memtrial.memory.language.structure import parts, skeleton
from memtrial.perturbations.advice.phrase_exchange import domain_of
from memtrial.perturbations.aim import Aim, Declaration, Length
from memtrial.perturbations.damage_contract import DamageContext, Damaged, NotApplicable
from memtrial.perturbations.irrelevant.framed_texts import Text, texts_under
from memtrial.perturbations.language.whole_sentences import n_repeated, whole_sentences
from memtrial.perturbations.language.word_spans import count_content, nothing_to_damage, share_left

if TYPE_CHECKING:
    from numpy.random import Generator

MOST_LEFT = 0.30
LENGTH = (0.9, 1.1)
_MOST_ORDERS = 24  # of the items of one record
_MOST_STARTS = 40  # items from which a combination is begun
_MOST_CHECKED = 200  # choices that are written out
_CHOSEN_FROM = 5  # best ones, of which the seed takes one
_TYPED = ("trigger", "form", "title", "action")  # no sentences


@dataclass(frozen=True, slots=True)
class IrrelevantSwap:
    """Keep the cue, the headings and the number of items; put foreign items' texts under the same headings.

    Records of another domain come first. One foreign record, if one fits the length; else items of several;
    as a last resort whole sentences at the end of the longest text are left out.

    Source: the kind of Irrelevant in arXiv 2601.22436, appendix D.2, that shows another task's summary.
    """

    name: str = "irrelevant_swap"
    aim: Aim = Aim(
        (0.0, MOST_LEFT), Length(*LENGTH, unit="slot"), declared=Declaration("meaning", raw="also")
    )

    def apply(self, slot: Slot, rng: Generator, context: DamageContext) -> Damaged | NotApplicable:
        if reason := nothing_to_damage(slot):
            return NotApplicable(reason)
        if not context.donors:
            return NotApplicable("there is no other record to take a foreign text from")
        if all(donor.items == slot.items for donor in context.donors):
            return NotApplicable("every other record holds this very text, and there is no foreign one")
        donors = _in_order(*context.donors)
        domain = domain_of(slot.text)
        elsewhere = _of_other_domains(donors, domain) if domain else ()
        fits, reason = _fitting_slots(slot, elsewhere) if elsewhere else ((), "")
        if not fits:
            fits, reason = _fitting_slots(slot, donors)
        return Damaged(fits[int(rng.integers(len(fits)))]) if fits else NotApplicable(reason)


class _Choice(NamedTuple):
    """One text for each item, and the number of sentences left out."""

    texts: tuple[Text, ...]
    cut: int = 0


def _in_order(*donors: Slot) -> tuple[Slot, ...]:
    """Sorted, without repeats: each repeat of a trial sees the same order, whatever it drew."""
    return tuple(sorted(dict.fromkeys(donors), key=lambda donor: donor.items))


@lru_cache(maxsize=1024)  # each repeat of a trial asks again
def _of_other_domains(donors: tuple[Slot, ...], domain: str) -> tuple[Slot, ...]:
    return tuple(donor for donor in donors if domain_of(donor.text) != domain)


@lru_cache(maxsize=8192)
def _fitting_slots(slot: Slot, donors: tuple[Slot, ...]) -> tuple[tuple[Slot, ...], str]:
    """The best: whole ones of one record, else whole ones, else those that leave least out; or why none."""
    before = count_content(slot.items)
    wanted = Text("\n".join(slot.items))
    there = [item for donor in donors for item in donor.items if item.strip()]
    if not there:
        return ((), "no foreign record has an item")
    alike = {source: share_left(before, _content_of(source)) > MOST_LEFT for source in there}
    options = [_options(item, alike) for item in slot.items]
    if reason := _explain_lack(options):
        return ((), reason)
    unlike = [{source: text for source, text in texts_of.items() if text is not None} for texts_of in options]
    met: list[_Choice] = []
    seen: list[_Choice] = []
    for choices in (_of_records(unlike, donors), _combine(slot, unlike)):
        seen += (made := list(choices))
        near = [candidate for candidate in made if _near(wanted, candidate.texts)]
        near.sort(key=lambda candidate: sum(map(Text.distance, map(Text, slot.items), candidate.texts)))
        met += near
        if good := _good(slot, near, before):
            return (good, "")
    shorter = sorted(
        (less for candidate in seen if (less := _cut_sentences(wanted, candidate))),
        key=lambda candidate: candidate.cut,
    )
    if good := _good(slot, shorter, before):
        return (good, "")
    if met or shorter:
        return ((), f"foreign items of its length leave more than {MOST_LEFT:.0%} of its content words")
    return (
        (),
        _misfit(wanted.n_words, [sum(text.n_words for text in candidate.texts) for candidate in seen]),
    )


def _good(slot: Slot, choices: Iterable[_Choice], before: Counter[str]) -> tuple[Slot, ...]:
    slots = (
        Slot(slot.cue, tuple(text.raw for text in candidate.texts))
        for candidate in islice(choices, _MOST_CHECKED)
    )
    return tuple(islice((candidate for candidate in slots if _holds(slot, candidate, before)), _CHOSEN_FROM))


def _options(item: str, alike: Mapping[str, bool]) -> dict[str, Text | None]:
    """For each foreign item that has the same headings, its text under these; None where it is too alike."""
    put = texts_under(item)
    framed = ((source, put(source)) for source in alike)
    return {source: None if alike[source] else text for source, text in framed if text is not None}


@lru_cache(maxsize=8192)  # of one bank, for slot after slot
def _content_of(source: str) -> Counter[str]:
    """It is read, never changed."""
    return count_content((source,))


def _explain_lack(options: list[dict[str, Text | None]]) -> str:
    for number, of_item in enumerate(options, 1):
        if not of_item:
            return f"no foreign item has the headings, or as many steps, of item {number}"
        if not any(of_item.values()):
            return f"every foreign item leaves more than {MOST_LEFT:.0%} of the content words (too alike)"
    if len(set(chain.from_iterable(options))) < len(options):
        return f"there are fewer than {len(options)} foreign items"
    return ""


def _of_records(options: list[dict[str, Text]], donors: tuple[Slot, ...]) -> Iterator[_Choice]:
    for donor in donors:
        own = [item for item in dict.fromkeys(donor.items) if any(item in texts_of for texts_of in options)]
        for order in islice(permutations(own, len(options)), _MOST_ORDERS):
            if all(source in texts_of for source, texts_of in zip(order, options, strict=True)):
                yield _Choice(
                    tuple(texts_of[source] for source, texts_of in zip(order, options, strict=True))
                )


def _combine(slot: Slot, options: list[dict[str, Text]]) -> Iterator[_Choice]:
    """Items of any records: each next one makes up for the length of those before it."""
    items = [Text(item) for item in slot.items]
    starts = sorted(options[0].items(), key=lambda pair: items[0].distance(pair[1]))
    for first, text in starts[:_MOST_STARTS]:
        taken, texts = {first}, [text]
        words, signs = text.n_words - items[0].n_words, len(text.raw) - len(items[0].raw)
        for item, texts_of in zip(items[1:], options[1:], strict=True):
            free = [pair for pair in texts_of.items() if pair[0] not in taken]
            if not free:
                break
            source, text = min(free, key=lambda pair: item.distance(pair[1], words, signs))
            taken.add(source)
            texts.append(text)
            words, signs = words + text.n_words - item.n_words, signs + len(text.raw) - len(item.raw)
        else:
            yield _Choice(tuple(texts))


def _near(wanted: Text, texts: Iterable[Text]) -> bool:
    whole = Text("\n".join(text.raw for text in texts))
    ratios = (whole.n_words / max(1, wanted.n_words), len(whole.raw) / max(1, len(wanted.raw)))
    return all(LENGTH[0] <= ratio <= LENGTH[1] for ratio in ratios)


def _cut_sentences(wanted: Text, choice: _Choice) -> _Choice | None:
    """Sentences left out, always at the end of the longest text, until the length is met."""
    texts, n = list(choice.texts), 0
    while not _near(wanted, texts):
        if sum(len(text.raw) for text in texts) < LENGTH[0] * len(wanted.raw):
            return None
        longest = max(range(len(texts)), key=lambda longest: len(texts[longest].raw))
        shorter = shorten_item(texts[longest].raw)
        if shorter is None:
            return None
        texts[longest], n = Text(shorter), n + 1
    return _Choice(tuple(texts), n)


def _holds(slot: Slot, other: Slot, before: Counter[str]) -> bool:
    """Whether it reads as a memory of something else: the same headings, little left, no more repeated."""
    return (
        share_left(before, count_content(other.items)) <= MOST_LEFT
        and all(
            skeleton(own) == skeleton(foreign) for own, foreign in zip(slot.items, other.items, strict=True)
        )
        and n_repeated(other.items) <= n_repeated(slot.items)
    )


def _misfit(wanted: int, sizes: list[int]) -> str:
    if not sizes:
        return "no combination of foreign items has its headings"
    many = f"{min(sizes)} to {max(sizes)}"
    where = "too short" if max(sizes) < wanted else "too long" if min(sizes) > wanted else "not of its length"
    return f"the foreign items are {where}: {many} words for {wanted}, none within 10 % (characters, too)"


def shorten_item(item: str) -> str | None:
    """Without the last sentence of its longest text; None where no text has two."""
    cut = parts(item)
    for longest in sorted(range(len(cut)), key=lambda place: -len(cut[place].body)):
        if cut[longest].label not in _TYPED and (body := next(_shorter(cut[longest].body), None)) is not None:
            return "".join(part.head + (body if part is cut[longest] else part.body) for part in cut)
    return None


def _shorter(body: str) -> Iterator[str]:
    """The body less its last sentence, its last two, and so on; what announces something is not left last."""
    ends = [end for _, end in whole_sentences(body)]
    trail = body[len(body.rstrip()) :]
    for end in reversed(ends[:-1]):
        kept = body[:end].rstrip()
        if not kept.endswith((":", ",")) and kept.count("```") % 2 == 0:
            yield kept + trail
