"""What rules can say of how a run failed. They decide few cases: where none holds, or several do, none.

Each follows the definition of its mode, and looks at the step where the two runs part: what is done there, or
in at least half of the steps from there on, is taken for the way in which the run failed.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

from memtrial.agents.trajectory import Moment, Step, Trajectory
from memtrial.judges.failure_coder import Coding, FailureCase
from memtrial.memory.item import AdditiveItem, NativeItem, TypedItem
from memtrial.memory.markdown import parse_all, split_items
from memtrial.memory.trigger import Trigger, TriggerFault, compile_trigger
from memtrial.memory.words import POLARITY, content_words, folded_words
from memtrial.prompts.templates import cue_line

MOST_STEPS = 1_000
MOST_TEXT = 20_000
"""Characters of memory text that are read."""
MOST_SEEN = 400_000
"""Characters of all observations of a run; of a long run each is cut, but none below 2,000."""
_VERIFYING = "check verify inspect test confirm review examine compare validate recheck ensure"
VERIFYING = frozenset(_VERIFYING.split())
"""Verbs of a step that establishes something and changes nothing."""
_CLOSING = "answer finish stop submit done end complete conclude report sign hand deliver send exit"
CLOSING = frozenset(_CLOSING.split())
"""Verbs of a step after which nothing more can be done."""
_SENTENCE = re.compile(r"(?<=[.!?])\s|\n")
_WHEN = re.compile(r"\b(?:when|whenever|if|where|while|once|in|on)\s([^,.;:]{3,200})", re.IGNORECASE)
_SIGNS = re.compile(r"[`\"'“”‘’*]")


@dataclass(frozen=True, slots=True)
class _AdviceSentence:
    """A sentence of an item, canonical, and what must hold for it: a Trigger, or the words of a condition."""

    text: str
    trigger: Trigger | None
    condition: frozenset[str]

    def advises(self, action: str) -> bool:
        """The sentence names the action, and does not warn of it."""
        if " " not in action or len(action) > len(self.text):
            return False  # many texts hold any one word
        before, named, _ = f" {self.text} ".partition(f" {action} ")
        return bool(named) and not POLARITY.intersection(folded_words(before)) - {"do", "does"}

    def holds(self, moment: Moment, seen: frozenset[str]) -> bool:
        """What it asks for is so; a sentence that asks for nothing always holds."""
        return self.condition <= seen if self.trigger is None else self.trigger.holds(moment)


def code_by_rules(case: FailureCase) -> Coding:
    """The mode, where exactly one rule holds."""
    if not case.items.strip():
        return Coding("other", reason="the run was shown no item")
    coded = [
        coding for coding in (_reliance(case), _distraction(case), _premature(case)) if coding is not None
    ]
    if len(coded) == 1:
        return coded[0]
    several = " and ".join(coding.mode for coding in coded)
    return Coding("", reason=f"the rules for {several} hold" if coded else "no rule holds")


def _reliance(case: FailureCase) -> Coding | None:
    """An action copied from an item whose Trigger does not hold, nor held before."""
    advice, most = _advice(case.items[:MOST_TEXT]), _most_characters(case.failed)
    own = {_canonical(step.action) for step in case.solved.steps}
    held: set[_AdviceSentence] = set()
    copied: dict[int, bool] = {}
    naming: dict[str, list[_AdviceSentence]] = {}
    for turn, moment in enumerate(case.failed.moments()):
        if turn >= min(len(case.failed.steps), MOST_STEPS):
            break
        action = _canonical(moment.action)
        if action not in naming:
            naming[action] = [sentence for sentence in advice if sentence.advises(action)]
        short = Moment(moment.task[:MOST_TEXT], moment.state[:most], moment.action[:most])
        seen = frozenset(content_words(f"{short.task} {short.state}"))
        held.update(sentence for sentence in advice if sentence not in held and sentence.holds(short, seen))
        copied[turn] = bool(naming[action]) and action not in own and held.isdisjoint(naming[action])
    step = _at_fault(case, lambda position, _: copied.get(position, False))
    reason = "the action is copied from an item whose trigger does not hold"
    return None if step is None else Coding("reliance", _counterpart(case), step.action, reason)


def _distraction(case: FailureCase) -> Coding | None:
    """Goal words replaced by an item's: what is acted on stands in an item, and not in the task's world."""
    goal = set(content_words(case.failed.query[:MOST_TEXT]))
    world = {*goal, *content_words(case.surroundings[:MOST_SEEN]), *content_words(cue_line())}
    for run in (case.solved, case.failed):
        most = _most_characters(run)
        world.update(content_words(run.start[:most]))
        for step in run.steps[:MOST_STEPS]:
            # a world may repeat what it was asked for
            words = set(content_words(step.action[:most]))
            seen = set(content_words(step.observation[:most]))
            world |= seen - words if run is case.failed else seen | words
    foreign = {word for text in split_items(case.items[:MOST_TEXT]) for word in content_words(text)} - world
    advice = _advice(case.items[:MOST_TEXT])

    def strays(_: int, step: Step) -> bool:
        action = _canonical(step.action[:MOST_TEXT])
        words = set(content_words(action))
        return (
            bool(words & foreign)
            and not words & goal
            and not any(sentence.advises(action) for sentence in advice)
        )

    strayed = _at_fault(case, strays)
    reason = "the action is about what an item names and the task does not"
    return None if strayed is None else Coding("distraction", _counterpart(case), strayed.action, reason)


def _premature(case: FailureCase) -> Coding | None:
    """The run closes without a step that establishes something, which the other made before it closed."""
    solved, failed = case.solved.steps, case.failed.steps
    if not solved or not failed:
        return None
    last, other_last = _canonical(failed[-1].action), _canonical(solved[-1].action)
    verb = content_words(last)[:1]
    if last != other_last and not CLOSING.intersection(folded_words(last)[:1] + verb):
        return None
    done = {_canonical(step.action) for step in failed}
    for step in solved[:-1]:
        begins = {*folded_words(_canonical(step.action))[:1]}
        if VERIFYING & begins and _canonical(step.action) not in done:
            reason = "the run closes without a check that the other one made"
            return Coding("premature", step.action, failed[-1].action, reason)
    return None


def _at_fault(case: FailureCase, bad: Callable[[int, Step], bool]) -> Step | None:
    """The step where the runs part, if it is bad; else the first bad one, if half of the rest are."""
    start = case.parting
    rest = list(enumerate(case.failed.steps[:MOST_STEPS]))[start:]
    faulty = [
        (turn, step) for turn, step in rest if step.fault not in ("format", "refusal") and bad(turn, step)
    ]
    if faulty and (faulty[0][0] == start or 2 * len(faulty) >= len(rest)):
        return faulty[0][1]
    return None


def _most_characters(run: Trajectory) -> int:
    """Characters of each observation that are read."""
    return max(2_000, MOST_SEEN // max(len(run.steps), 1))


def _counterpart(case: FailureCase) -> str:
    """What the solved run did where the two part."""
    return next((step.action for step in case.solved.steps[case.parting :]), "")


@lru_cache(maxsize=64)
def _advice(items: str) -> tuple[_AdviceSentence, ...]:
    """The sentences of all items that may advise an action."""
    sentences = []
    for text in split_items(items):
        parsed = parse_all(text)
        item = parsed[0] if parsed else None
        advice_text = item.content if isinstance(item, NativeItem) else text
        trigger = None
        if isinstance(item, TypedItem):
            content = item.content if isinstance(item, AdditiveItem) else ""
            advice_text = f"{item.claim} {content}".strip()
            with suppress(TriggerFault):  # of one that does not compile, the claim's words say when it holds
                trigger = compile_trigger(item.trigger)
        for sentence in _SENTENCE.split(advice_text):
            when = _WHEN.search(_SIGNS.sub(" ", sentence))
            condition = frozenset(content_words(when[1])) if when and trigger is None else frozenset()
            sentences.append(_AdviceSentence(_canonical(sentence), trigger, condition))
    return tuple(sentences)


def _canonical(text: str) -> str:
    """In lower case, without quotation marks and the signs that end a clause, with single spaces."""
    return " ".join(re.sub(r"[,.;:!?]", " ", _SIGNS.sub(" ", text.casefold())).split())
