"""A perturber for the offline path: it damages the notes that the scribe and the workshop write."""

import json
import re
from dataclasses import dataclass

from loadbearing.models.client.types import Message, ModelFault
from loadbearing.models.simulated.chance import choice, uniform
from loadbearing.models.simulated.structured import answer, given, wanted

ADVICE = re.compile(r", (?P<verb>do|avoid) (?=`)")
PLAIN = re.compile(r"(?P<when>\bWhen [^,.`\"\n]{1,200}, )(?P<act>[a-z][^,.`\"\n]{0,200})")
TOLD = re.compile(r"(?:, do |, then )`([^`\n]{1,200})`")
AVOIDED = re.compile(r", avoid `([^`\n]{1,200})`")
TRIGGER = re.compile(r"^(## Trigger .*)$", re.MULTILINE)
TURNED = (
    ("ecause then ", "ecause without it "),
    ("because that leads to", "because leaving it leads to"),
    (" comes of it", " comes without it"),
    ("because it ends in", "because leaving it ends in"),
    ("It is `", "It is not `"),
    ("the situation stays", "the situation changes"),
    ("` causes ", "` prevents "),
    ("Only `", "Anything but `"),
    (" appeared once `", " appeared before `"),
    ("It just works", "It never works"),
)
"""Of reasons, so that they speak for the new advice."""
REWORDED = (
    ("When ", "Whenever "),
    ('## Claim In "', '## Claim Whenever "'),
    ("Useful at times.", "Of use now and then."),
    (', because "', ', since "'),
    (", because ", ", since "),
    ("Because then ", "Since then "),
    ("that leads to", "this brings about"),
    ("it ends in", "it finishes with"),
    (" comes of it", " follows from it"),
    ("A step taken once and what came of it.", "A step once taken, and what followed from it."),
    ("For whoever meets something similar.", "For anyone who encounters something similar."),
    ("Learned from an earlier attempt.", "Taken from an attempt made earlier."),
    ("Worth knowing beforehand.", "Good to know beforehand."),
    ("A heuristic for this", "One heuristic for any such"),
    ("Cases like this.", "Cases of this kind."),
    ("Near relatives of that task.", "Tasks nearly related to that one."),
    ("Wherever these words return.", "In every place where these words return."),
    (", and nothing else was seen to.", "; nothing else was ever seen to."),
    ("the situation stays", "that situation stays as is"),
    ("Only `", "It was only `"),
    ("` made the difference", "` that made the difference"),
    (" appeared once `", " appeared as soon as `"),
)


@dataclass(frozen=True, slots=True)
class Perturber:
    """A writer of damage.

    Args:
        hit: the chance that it does as it is told; else it gives the notes back as they are.
    """

    hit: float = 0.9

    def say(self, messages: tuple[Message, ...], seed: str, repeat: int) -> str:
        if wanted(messages) != ("rewritten",):
            raise ModelFault("simulated/perturber writes damage; it was asked something else")
        fields = given(messages)
        notes = [str(one) for one in json.loads(fields["notes"])]
        if uniform(seed, repeat, "hit") < self.hit:
            if "accepted" in fields:
                notes = _exchanged(notes, tuple(json.loads(fields["accepted"])), seed, repeat)
            else:
                inverts = "opposite" in messages[0].content
                notes = [_inverted(one) if inverts else _replaced(one, REWORDED) for one in notes]
        return answer({"rewritten": json.dumps(notes, ensure_ascii=False)})


def _inverted(text: str) -> str:
    if ADVICE.search(text):
        text = ADVICE.sub(lambda one: ", avoid " if one["verb"] == "do" else ", do ", text)
    else:
        text = PLAIN.sub(r"\g<when>never \g<act>", text)
    return _replaced(text, TURNED)


def _replaced(text: str, pairs: tuple[tuple[str, str], ...]) -> str:
    for old, new in pairs:
        text = text.replace(old, new)
    return text


def _told(note: str) -> list[str]:
    """The actions that it tells to do; where it tells none, those that it tells to avoid."""
    told = [*TOLD.findall(note), *(one["act"] for one in PLAIN.finditer(note))]
    return told or AVOIDED.findall(note)


def _exchanged(notes: list[str], accepted: tuple[str, ...], seed: str, repeat: int) -> list[str]:
    """Each of these actions replaced by an accepted one, everywhere but in Triggers."""
    told = dict.fromkeys(act for note in notes for act in _told(note))
    chosen: dict[str, str] = {}
    for act in told:
        if left := tuple(one for one in accepted if one not in chosen.values()):
            chosen[act] = choice(left, seed, repeat, act)
    longest_first = sorted(chosen, key=len, reverse=True)
    marks = tuple((act, f"\x00{at}\x00") for at, act in enumerate(longest_first))
    new = tuple((mark, chosen[act]) for act, mark in marks)
    return [
        "".join(
            part if TRIGGER.match(part) else _replaced(_replaced(part, marks), new)
            for part in TRIGGER.split(note)
        )
        for note in notes
    ]
