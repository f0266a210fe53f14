"""One question with what only the world knows of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from memtrial.worlds.world import Proposition, Split, Truth

AnswerKind = Literal["number", "maths", "choice", "label", "text", "equation", "pattern"]
KINDS: tuple[AnswerKind, ...] = get_args(AnswerKind)
ASKED: Mapping[AnswerKind, str] = MappingProxyType(
    {
        "number": "a number",
        "maths": "a mathematical expression, such as \\frac{1}{2}",
        "choice": "the letter of one choice",
        "label": "one word or phrase of the list, as it stands there",
        "text": "a few words, without a sentence around them",
        "equation": "the whole equation, with an operator in the place of each question mark",
        "pattern": "a short text",
    }
)
"""What an answer of each kind is, in words for whoever has to give one."""


@dataclass(frozen=True, slots=True)
class PosedQuestion:
    """A question, its right answers, and where it belongs.

    Args:
        text: what is asked.
        kind: how an answer is read and compared: `number` exactly, `maths` by equivalence, `choice` by its
            letter, `label` as a text of a closed list, `text` by normalised words, `equation` by carrying it
            out, `pattern` by a regular expression that the whole answer matches.
        answers: the right ones, one at least; of `choice` the letter, of `equation` the target value.
        options: of `choice` the texts of the choices in the order of their letters, of `label` the list.
        material: what is shown beside the question, such as passages; may be empty.
        lesson: how it is solved, where the set says so.
        rule, others: the rule that it calls for, and the further ones of its family, where they are known.
        template: what it has in common with questions that differ in names; empty: its text without numbers.
        split: what the set itself says; None where it says nothing.
    """

    id: str
    text: str
    kind: AnswerKind
    answers: tuple[str, ...]
    options: tuple[str, ...] = ()
    material: str = ""
    family: str = ""
    template: str = ""
    lesson: str = ""
    rule: Proposition | None = None
    others: tuple[Proposition, ...] = ()
    split: Split | None = None

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters of its choices; none where it is no multiple choice."""
        return tuple(chr(ord("A") + place) for place in range(len(self.options) * (self.kind == "choice")))

    @property
    def admissible(self) -> tuple[str, ...] | None:
        """The answers that there are, where they form a closed list."""
        return (self.letters or self.options) or None

    @property
    def shown(self) -> str:
        """What the world shows at the beginning: the material, the choices, and what an answer is."""
        choices = "\n".join(
            f"{letter}. {option}" for letter, option in zip(self.letters, self.options, strict=False)
        )
        asked = f"Your next action is your final answer: {ASKED[self.kind]}."
        return "\n\n".join(filter(None, (self.material, choices, asked)))

    @property
    def truth(self) -> Truth:
        """The way to the answer, and the answer: of a choice its text, as letters say nothing elsewhere."""
        first = self.answers[0]
        told = self.options[self.letters.index(first)] if self.letters else first
        lesson = self.lesson or f'When the question is "{self.text[:200]}", answer "{told}".'
        if told not in lesson:
            lesson = f'{lesson}\nSo the answer is "{told}".'
        return Truth(
            lesson, (first,), self.rule, self.others, tuple(self.answers) if not self.letters else (told,)
        )
