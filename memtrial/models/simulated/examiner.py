"""Three judges with rates of their own.

The examiner answers closed questions about an item. It shares no lexicon with the scribe: it looks at form
alone (are there marked words, do they stand in the trace), so that gates do not win by construction. The
decider says what notes advise in a situation, by the reading that the participants share. The grader judges
success by the last thing that the world said.
"""

import json
import re
from dataclasses import dataclass

from memtrial.models.client.types import Message, ModelFault
from memtrial.models.simulated.advice import read
from memtrial.models.simulated.comparer import compare_texts, read_masked
from memtrial.models.simulated.participants import meant_actions
from memtrial.models.simulated.prompt import CUE, Scene, answer, given, look, wanted_fields
from memtrial.models.simulated.text import QUOTED, choice, content, list_quotes, stems, uniform
from memtrial.models.simulated.trajectory_text import turns

NOTHING = "nothing"
ELSEWHERE = ("wait", "look around", "go back")
"""What it says where it errs and no actions are listed."""
GAP = re.compile(r"<[\w -]{1,30}>")
MOST_QUOTES = 100
"""Marked words of an item that it looks for in the trace."""
SHORT = 6
"""A cue of fewer characters is found anywhere."""
LONG_CLAIM, THIN = 28, 0.4
"""Words of a claim, and the share of them that carry meaning, beyond and below which it is wordy."""
SENTENCE = re.compile(r"(?<=[.;()])")
NAME = re.compile(r"(?<=[\w,;)] )[A-Z][\w-]{2,}|(?<!\w)[^\W_]++_\w++")
"""An identifier, or a name inside a sentence."""
CLAIM = re.compile(r"^#+ *claim\b", re.IGNORECASE | re.MULTILINE)
RECORDED = re.compile(r"^(Action:[ \t]++)(\S.*)", re.MULTILINE)
"""Of a recorded step, the action is what it marks."""
COUNT = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|(?:thir|four|fif|six|seven|eigh|nine)teen|hundred)\b",
    re.IGNORECASE,
)
CUE_KINDS = content("check task state action")
"""Words of the form itself, which are about nothing."""
MOST_CLASSES = 2
"""A Scope that lists more classes than one more than this reaches too far."""


@dataclass(frozen=True, slots=True)
class Examiner:
    """A judge.

    Args:
        hit: the chance that it flags an item that is defective in the respect asked about.
        false_alarm: the chance that it flags one that is not.
        confidence: how far the confidence that it gives tells the one from the other, whatever it answers; 0:
            it gives none.
    """

    hit: float = 0.9
    false_alarm: float = 0.02
    confidence: float = 0.0

    def say(self, messages: tuple[Message, ...], seed: str, repeat: int) -> str:
        if "answer" not in wanted_fields(messages):
            raise ModelFault(
                "simulated/examiner answers closed questions about items; it was asked something else"
            )
        fields = given(messages)
        item, trace = fields.get("item", ""), fields.get("trajectory", "")
        parts = _split_parts(item)
        titled = re.search(r"^#+ *title\b", item, re.IGNORECASE | re.MULTILINE) is not None
        native = titled and not CLAIM.search(item)
        claim = parts[-1] if native and parts else (parts or [item])[0]
        bad = _is_defective(fields.get("question", ""), claim, parts or [item], trace)
        flagged = uniform(seed, repeat, "flag") < (self.hit if bad else self.false_alarm)
        verdict = ("fail" if bad else "warn") if flagged else "pass"
        quote, where = _find_evidence(parts or [item.strip()], trace, flagged)
        reason = "The passage does not hold up to the question." if flagged else "The passage bears this out."
        fields = {"answer": verdict, "quote": quote, "where": where, "reason": reason}
        if self.confidence:
            truth = self.confidence * (bad - 0.5) + 0.5
            fields["confidence"] = f"{(truth + uniform(seed, repeat, 'sure')) / 2:.2f}"
        return answer(fields)


def _split_parts(item: str) -> list[str]:
    """The fields; of an item with those of both schemas, the ones from the Claim on."""
    claim = CLAIM.search(item)
    item = item[claim.start() :] if claim else RECORDED.sub(r"\1`\2`", item)
    bodies = [body.strip() for body in re.split(r"^#+ *\w*", item, flags=re.MULTILINE)]
    return [body for body in bodies if body and not body.startswith("Item ")]


def _is_defective(question: str, claim: str, parts: list[str], trace: str) -> bool:
    """The truth the examiner goes by, from form alone; of most questions, that the claim marks no words."""
    failure = question.partition("\n")[0].lower()
    if "no mechanism" in failure:
        return not any(list_quotes(part) and len(stems(part)) > 4 for part in parts[2:3] or parts)
    if "recogni" in failure:
        cue = parts[1] if len(parts) > 1 else claim
        return (
            not any(list_quotes(part) for part in parts[:2]) or len(cue.partition(":")[2].strip(' "')) < SHORT
        )
    if "beyond" in failure:
        reach = (parts[3] if len(parts) > 3 else "").partition(".")[0]
        return reach.count(",") + reach.count(" and ") > MOST_CLASSES
    if "more words" in failure:
        spoken = claim.split()
        return len(spoken) > LONG_CLAIM and len(content(claim)) < THIN * len(spoken)
    if "it talks" in failure:
        return False  # it has no ear for tone
    bare = QUOTED.sub(" ", " ".join(text for text in SENTENCE.split(claim) if "example" not in text))
    named = any(name in trace for name in NAME.findall(bare))
    if "one source task" in failure:
        return named
    if "narrows the claim" in failure:
        return named or "," not in claim or COUNT.search(bare) is not None
    if "the check" in failure:
        return len(parts) > 4 and not content(parts[4]) & _find_subject(claim, parts, trace)
    whole = " ".join(trace.split())  # an item quotes on one line what a run may hold on several
    unfounded = not all(
        _stands_in_order(" ".join(span.split()), whole) for span in list_quotes(claim)[:MOST_QUOTES]
    )
    return not list_quotes(claim) or ("support the claim" in failure and unfounded)


def _find_subject(claim: str, parts: list[str], trace: str) -> frozenset[str]:
    """The words of the claim, the cue and the reason, and of what followed the marked actions."""
    acts = list_quotes(claim)[:MOST_QUOTES]
    after = [turn.after for turn in turns(trace)[1] if any(act in turn.action for act in acts)]
    return content(" ".join([*parts[:3], *after])) - CUE_KINDS


def _stands_in_order(span: str, text: str) -> bool:
    """All pieces of a quotation stand there in order; `<name>` is a gap between two."""
    start = 0
    for piece in GAP.split(span):
        place = text.find(piece, start)
        if place < 0:
            return False
        start = place + len(piece)
    return True


def _find_evidence(parts: list[str], trace: str, flagged: bool) -> tuple[str, str]:
    """A verbatim passage: of the trace where the item's marked words stand there, else of the item."""
    if not flagged:
        _, steps = turns(trace)
        for span in list_quotes(parts[0])[:MOST_QUOTES]:
            if any(span in turn.after or span in turn.action or span in turn.before for turn in steps):
                return span, "trace"
    return parts[0].splitlines()[0].strip() if parts[0] else "", "item"


@dataclass(frozen=True, slots=True)
class Decider:
    """A judge who reads notes, those with marks too, and compares what two of them advise.

    `hit` is the chance that it sees the advice that is there, else it answers `nothing`; `noise` the chance
    that it names something that they do not say.
    """

    hit: float = 0.95
    noise: float = 0.02

    def say(self, messages: tuple[Message, ...], seed: str, repeat: int) -> str:
        wanted = wanted_fields(messages)
        if "pairs" in wanted:
            fields = given(messages)
            texts = fields.get("first_text", ""), fields.get("second_text", "")
            return compare_texts(*texts, self.hit, self.noise, (seed, repeat))
        if wanted == ("pieces",):
            return read_masked(given(messages).get("text", ""), self.hit, (seed, repeat))
        if wanted != ("action", "quote"):
            raise ModelFault("simulated/decider says what notes advise; it was asked something else")
        fields = given(messages)
        notes = fields.get("notes", "")
        rules = Message("system", fields.get("rules", ""))
        scene = look((rules, Message("user", fields.get("situation", ""))))
        action, quote = _find_advice(notes, scene)
        if uniform(seed, repeat, "see") >= self.hit:
            action, quote = NOTHING, ""
        if uniform(seed, repeat, "err") < self.noise:
            action, quote = choice(scene.actions or ELSEWHERE, seed, repeat, "other"), _first_line(notes)
        return answer({"action": action, "quote": quote})


def _find_advice(notes: str, scene: Scene) -> tuple[str, str]:
    """The first action of the first advice that fits the scene, and the passage that names it."""
    for piece in read(CUE.sub("", notes)):
        if piece.do and piece.acts and piece.fits(scene.words):
            act = piece.acts[0]
            options = meant_actions(act, scene)
            # as the agent would have to word it; empty where it cannot be done here
            action = max(options, key=len, default="") if scene.actions else next(iter(options), "")
            if action:
                named = (text for text in (*act.spans, act.text) if text and text in notes)
                return action, next(named, _first_line(piece.item))
    return NOTHING, ""


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


LAST = "\nObservation: "
SOLVED = re.compile(r"\b(?:runs|accepted|completed|solved)\b", re.IGNORECASE)
FORMS = ("with one JSON object", "in two lines", "with one word")


@dataclass(frozen=True, slots=True)
class Grader:
    """A judge.

    Args:
        hit: the chance that it calls a success one.
        false_alarm: the chance that it calls a failure a success.
    """

    hit: float = 0.95
    false_alarm: float = 0.05

    def say(self, messages: tuple[Message, ...], seed: str, repeat: int) -> str:
        instruction, transcript = messages[0].text, messages[-1].text
        forms = (number for number, words in enumerate(FORMS) if f"Answer {words}" in instruction)
        form = next(forms, None)
        if form is None:
            raise ModelFault("simulated/grader judges whether tasks are solved; it was asked something else")
        solved = SOLVED.search(transcript.rpartition(LAST)[2]) is not None
        success = uniform(seed, repeat, "grade") < (self.hit if solved else self.false_alarm)
        word, why = "success" if success else "failure", "The last answer of the world decides."
        if form == 0:
            return json.dumps({"verdict": word, "confidence": 0.9, "reason": why})
        return f"Thoughts: {why}\nStatus: {word}" if form == 1 else "success" if success else "fail"
