"""A perturber for the offline path: it damages the notes that the scribe and the workshop write."""

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from memtrial.models.client.types import Message, ModelFault
from memtrial.models.simulated.prompt import answer, given, wanted_fields
from memtrial.models.simulated.text import choice, uniform

ADVICE = re.compile(r", (?P<verb>do|avoid) (?=`)")
PLAIN = re.compile(r"(?P<when>\bWhen [^,.`\"\n]{1,200}, )(?P<act>[a-z][^,.`\"\n]{0,200})")
ADVISED = re.compile(r"(?:, do |, then )`([^`\n]{1,200})`")
AVOIDED = re.compile(r", avoid `([^`\n]{1,200})`")
TRIGGER = re.compile(r"^(## Trigger .*)$", re.MULTILINE)


@cache
def exchanges(name: str) -> tuple[tuple[str, str], ...]:
    """What stands in the place of what, by the section `turned` or `reworded` of perturber.txt."""
    text = (files("memtrial.models.simulated") / "perturber.txt").read_text(encoding="utf-8")
    lines = text.partition(f"[{name}]\n")[2].partition("\n\n")[0].splitlines()
    return tuple((old, new) for old, new in (line.removesuffix("|").split(" => ") for line in lines))


@dataclass(frozen=True, slots=True)
class Perturber:
    """A writer of damage; `hit` is the chance that it does as told, else the notes stay as they are."""

    hit: float = 0.9

    def say(self, messages: tuple[Message, ...], seed: str, repeat: int) -> str:
        if wanted_fields(messages) != ("rewritten",):
            raise ModelFault("simulated/perturber writes damage; it was asked something else")
        fields = given(messages)
        notes = [str(note) for note in json.loads(fields["notes"])]
        if uniform(seed, repeat, "hit") < self.hit:
            if "accepted" in fields:
                notes = _exchange_actions(notes, tuple(json.loads(fields["accepted"])), seed, repeat)
            else:
                inverts = "opposite" in messages[0].text
                notes = [
                    _invert(note) if inverts else _replace_all(note, exchanges("reworded")) for note in notes
                ]
        return answer({"rewritten": json.dumps(notes, ensure_ascii=False)})


def _invert(text: str) -> str:
    if ADVICE.search(text):
        text = ADVICE.sub(lambda advice: ", avoid " if advice["verb"] == "do" else ", do ", text)
    else:
        text = PLAIN.sub(r"\g<when>never \g<act>", text)
    return _replace_all(text, exchanges("turned"))


def _replace_all(text: str, pairs: tuple[tuple[str, str], ...]) -> str:
    for old, new in pairs:
        text = text.replace(old, new)
    return text


def _list_actions(note: str) -> list[str]:
    """The actions that it tells to do; where it tells none, those that it tells to avoid."""
    actions = [*ADVISED.findall(note), *(advice["act"] for advice in PLAIN.finditer(note))]
    return actions or AVOIDED.findall(note)


def _exchange_actions(notes: list[str], accepted: tuple[str, ...], seed: str, repeat: int) -> list[str]:
    """Each of these actions replaced by an accepted one, everywhere but in Triggers."""
    actions = dict.fromkeys(act for note in notes for act in _list_actions(note))
    chosen: dict[str, str] = {}
    for act in actions:
        if left := tuple(action for action in accepted if action not in chosen.values()):
            chosen[act] = choice(left, seed, repeat, act)
    longest_first = sorted(chosen, key=len, reverse=True)
    marks = tuple((act, f"\x00{number}\x00") for number, act in enumerate(longest_first))
    new = tuple((mark, chosen[act]) for act, mark in marks)
    return [
        "".join(
            part if TRIGGER.match(part) else _replace_all(_replace_all(part, marks), new)
            for part in TRIGGER.split(note)
        )
        for note in notes
    ]
