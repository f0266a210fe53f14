"""A perturber for the offline path: it damages the notes that the scribe and the workshop write."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from memtrial.models.client.types import Message, ModelFault
from memtrial.models.simulated.advice import ITEM_HEADING
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
    """A writer of damage.

    Args:
        hit: the chance that it does as told, else the notes stay as they are.
        sloppy: the chance that a draft is done as told, but carelessly: in a code fence, with a remark, a
            sentence twice or one too few.
        cheat: the chance that a draft only seems to do as told: half of it, or the old advice in other words.
    """

    hit: float = 0.9
    sloppy: float = 0.0
    cheat: float = 0.0

    def say(self, messages: tuple[Message, ...], seed: str, repeat: int) -> str:
        if wanted_fields(messages) != ("rewritten",):
            raise ModelFault("simulated/perturber writes damage; it was asked something else")
        fields = given(messages)
        notes = [str(note) for note in json.loads(fields["notes"])]
        if uniform(seed, repeat, "hit") < self.hit:
            write = _writer_of(messages[0].text, fields, (seed, repeat))
            if uniform(seed, repeat, "cheat") < self.cheat:
                notes = _cheat(notes, write(notes))
            else:
                notes = write(notes)
            if uniform(seed, repeat, "sloppy") < self.sloppy:
                way = choice(tuple(SLOPPY), seed, repeat, "way")
                notes = [*map(SLOPPY[way], notes)]
        return answer({"rewritten": json.dumps(notes, ensure_ascii=False)})


def _writer_of(
    instruction: str, fields: Mapping[str, str], draw: tuple[str, int]
) -> Callable[[list[str]], list[str]]:
    """How the notes are written again, by what is asked for."""
    if "accepted" in fields:
        accepted = tuple(json.loads(fields["accepted"]))
        return lambda notes: _exchange_actions(notes, accepted, *draw)
    if "words" in fields:
        return lambda notes: _make_odd(notes, int(fields["words"]), json.loads(fields["negations"]))
    if BLANK in instruction:
        return _blank_actions
    if "opposite" in instruction:
        return lambda notes: [_invert(note) for note in notes]
    return lambda notes: [_reword(note) for note in notes]


BLANK = "[XXXX]"
LETTERS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
STOCK = ("ring the bell", "open the hatch", "turn the knob", "lift the crate", "count the tiles")
"""Actions that it takes where it is told of none that are accepted."""
MORE = (
    "hang the lamp over the door",
    "fold the map along its edge",
    "wipe the slate with a cloth",
    "leave the key on the hook",
    "stack the boxes by their colour",
)
"""Those that it takes where there are more actions than that."""
SENTENCE = re.compile(r"(?<=[.!?])[^\S\n]+(?=[A-Z])")
SLOPPY: Mapping[str, Callable[[str], str]] = {
    "fence": lambda text: f"```markdown\n{text}\n```",
    "lead-in": lambda text: f"Here is the rewritten note:\n\n{text}",
    "remark behind": lambda text: f"{text}\n\n(Note: I changed the advice and kept all the rest.)",
    "remark inside": lambda text: f"{text} (changed as asked)",
    "twice": lambda text: f"{text} {SENTENCE.split(text)[-1]}",
    "last sentence lost": lambda text: text[: text.rstrip(". ").rfind(".") + 1] or text[: len(text) // 2],
}
"""What a careless writer does to a text."""


def _cheat(notes: list[str], written: list[str]) -> list[str]:
    """Only reasons are changed: all lines that advise are the old ones."""
    return [_keep_advice(note, text) for note, text in zip(notes, written, strict=True)]


def _keep_advice(note: str, text: str) -> str:
    old, new = note.split("\n"), text.split("\n")
    if len(old) != len(new):
        return note
    kept = [
        was if ADVICE.search(was) or PLAIN.search(was) else now for was, now in zip(old, new, strict=True)
    ]
    return "\n".join(kept) if kept != old else note.replace("When ", "Whenever ")


WORD = re.compile(r"(?<![\w`\"])[a-z]{4,}(?![\w`\"])")
NEGATION = re.compile(r"(?i)\b(?:never|not|avoid|unless)\b")
ODD_FIELDS = ("## Mechanism", "## Description")
ODD_WORDS = ("pear", "kite", "otter", "marble", "walnut", "trumpet", "lantern", "umbrella")


def _make_odd(notes: list[str], words: int, negations: list[int]) -> list[str]:
    """So many words of what explains, each replaced by one that does not belong there; the first of each
    note by as many a `never` as it lacks."""
    lacks = [max(0, n - len(NEGATION.findall(note))) for note, n in zip(notes, negations, strict=True)]
    left = words - sum(lacks)

    def write(note: str, lack: int) -> str:
        def replace(word: re.Match[str]) -> str:
            nonlocal left, lack
            if lack > 0:
                lack -= 1
                return "never"
            if left <= 0:
                return word[0]
            left -= 1
            return min(ODD_WORDS, key=lambda odd: abs(len(odd) - len(word[0])))

        return "\n".join(
            WORD.sub(replace, line) if line.startswith(ODD_FIELDS) else line for line in note.split("\n")
        )

    return [write(note, lack) for note, lack in zip(notes, lacks, strict=True)]


def _invert(text: str) -> str:
    if ADVICE.search(text):
        text = ADVICE.sub(lambda advice: ", avoid " if advice["verb"] == "do" else ", do ", text)
    else:
        text = PLAIN.sub(r"\g<when>never \g<act>", text)
    return _replace_all(text, exchanges("turned"))


def _reword(text: str) -> str:
    if not ITEM_HEADING.match(text):
        # prose: the condition moves behind what is to be done
        text = PLAIN.sub(_move_condition, text)
    return _replace_all(text, exchanges("reworded"))


def _move_condition(advice: re.Match[str]) -> str:
    act, when = advice["act"], advice["when"].removeprefix("When ").removesuffix(", ")
    return f"{act[:1].upper()}{act[1:]} once {when}"


def _replace_all(text: str, pairs: tuple[tuple[str, str], ...]) -> str:
    for old, new in pairs:
        text = text.replace(old, new)
    return text


def _blank_actions(notes: list[str]) -> list[str]:
    """The words of all actions that are told, in all places."""
    actions = {act for note in notes for pattern in (ADVISED, AVOIDED) for act in pattern.findall(note)}
    actions |= {advice["act"] for note in notes for advice in PLAIN.finditer(note)}
    blanks = tuple((act, LETTERS.sub(BLANK, act)) for act in sorted(actions, key=len, reverse=True))
    return [_replace_all(note, blanks) for note in notes]


def _list_actions(note: str) -> list[str]:
    """The actions that it tells to do; where it tells none, those that it tells to avoid."""
    actions = [*ADVISED.findall(note), *(advice["act"] for advice in PLAIN.finditer(note))]
    return actions or AVOIDED.findall(note)


def _exchange_actions(notes: list[str], accepted: tuple[str, ...], seed: str, repeat: int) -> list[str]:
    """Each of these actions replaced by an accepted one, everywhere but in Triggers; by one of its own stock
    where none is told."""
    stocks = (accepted,) if accepted else (STOCK, MORE)
    actions = dict.fromkeys(act for note in notes for act in _list_actions(note))
    chosen: dict[str, str] = {}
    for act in actions:
        for stock in stocks:
            if left := tuple(action for action in stock if action not in chosen.values()):
                chosen[act] = choice(left, seed, repeat, act)
                break
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
