"""Logs of Reflexion on HotpotQA: trials, and in each the agents that were right, wrong or halted.

A block is the prompt of an agent at its end, with what it was given of earlier trials, and the right answer.
What stands there of earlier trials is memory, and no step. An agent that halted and is listed twice in a
trial is one run.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from memtrial.transcripts.log_question import LogQuestion
from memtrial.transcripts.log_text import texts_of
from memtrial.transcripts.logged_run import LoggedRun, LoggedTurn, LogReading, LogRemainder, StatedOutcome

_SECTION = re.compile(r"-{3,20} BEGIN (CORRECT|INCORRECT|HALTED) AGENTS -")
_TRIAL = re.compile(r"BEGIN TRIAL (\d{1,9})\s*$")
_SUMMARY = re.compile(r"(Correct|Incorrect|Halted): (\d{1,9})")
_PART = re.compile(r"(Thought|Action|Observation)(?: \d{1,9})?:[ \t]?")
_QUESTION, _ANSWER, _QUOTED = "Question:", "Correct answer:", "(END PREVIOUS TRIAL"
_EARLIER = ("You have attempted to answer ", "Reflections:", "The following reflection(s)")
_OUTCOME: dict[str, StatedOutcome] = {"CORRECT": "success", "INCORRECT": "failure", "HALTED": "failure"}


def sniff(head: str) -> bool:
    """The beginning of a log."""
    return any(_SECTION.match(line) for line in head.split("\n"))


@dataclass
class _Place:
    trial: str = ""
    section: str = ""
    block: list[str] = field(default_factory=list)
    listed: dict[tuple[str, str], int] = field(default_factory=dict)
    stated: dict[tuple[str, str], int] = field(default_factory=dict)


def read(path: Path, asked: LogQuestion) -> LogReading:  # noqa: ARG001
    """A run for each agent and trial."""
    left, place, runs = LogRemainder(), _Place(), list[LoggedRun]()
    seen = dict[tuple[str, str, tuple[LoggedTurn, ...]], str]()
    for line, block in _blocks(path, place):
        left.records += 1
        run = _run_of(block, place, line, left)
        if run is None:
            left.note("agents without a step")
            continue
        twin = place.trial, run.query, run.turns
        if twin in seen:
            left.note(
                f"agents that a trial lists twice, as {seen[twin].lower()} and as {place.section.lower()}"
            )
            continue
        seen[twin] = place.section
        runs.append(replace(run, name=f"{path.stem}/{run.name}"))
    for (trial, section), many in place.stated.items():
        if (listed := place.listed.get((trial, section), 0)) != many:
            left.note(
                f"heading of trial {trial} that says {many} {section.lower()} where {listed} are listed"
            )
    return LogReading(tuple(runs), left.records, left.counts)


def _blocks(path: Path, place: _Place) -> Iterator[tuple[int, list[str]]]:
    """The lines of each agent, with the number of the last: up to its right answer, where one is given."""
    answers = any(line.startswith(_ANSWER) for _, line in texts_of(path))
    number = 0
    for number, (_, line) in enumerate(texts_of(path), 1):
        section, trial = _SECTION.match(line), _TRIAL.match(line)
        ends = line.startswith(_ANSWER) if answers else line.startswith(_QUESTION)
        if section or trial or ends:
            if place.section and any(_QUESTION in given for given in place.block):
                key = place.trial, place.section
                place.listed[key] = place.listed.get(key, 0) + 1
                yield number, place.block
            place.block = []
        if section:
            place.section = section[1]
        elif trial:
            place.trial, place.section = trial[1], ""
        elif line.startswith("Trial summary:"):
            for word, many in _SUMMARY.findall(line):
                place.stated[place.trial, word.upper()] = int(many)
        elif not line.startswith(_ANSWER):
            place.block.append(line)
    if place.section and any(_QUESTION in given for given in place.block):
        place.listed[place.trial, place.section] = place.listed.get((place.trial, place.section), 0) + 1
        yield number + 1, place.block


def _run_of(block: list[str], place: _Place, line: int, left: LogRemainder) -> LoggedRun | None:
    quoted = [at for at, given in enumerate(block) if given.startswith(_QUOTED)]
    first = quoted[-1] + 1 if quoted else 0
    asked = next((at for at in range(first, len(block)) if block[at].startswith(_QUESTION)), None)
    if asked is None:
        asked = next((at for at in range(first, len(block)) if f" {_QUESTION}" in block[at]), None)
    if asked is None:
        return None
    before, _, query = block[asked].rpartition(_QUESTION)
    if quoted or any(mark in given for given in block for mark in _EARLIER):
        left.note("texts of earlier trials that an agent was shown")
    for mark in _EARLIER:
        query = query.partition(mark)[0]
    turns = tuple(_turns(block[asked + 1 :]))
    if not turns:
        return None
    context = "\n".join([*block[first:asked], before]).strip()
    context = context.removeprefix("Context:").strip() if context.startswith("Context:") else ""
    return LoggedRun(
        f"{place.trial or '1'}/{line}", "", query.strip(), turns, _OUTCOME[place.section],
        f"section {place.section}", start=context,
    )  # fmt: skip


def _turns(lines: list[str]) -> Iterator[LoggedTurn]:
    """A turn for each thought, with the action and the observation that follow it."""
    parts: dict[str, list[str]] = {}
    now: list[str] | None = None
    for line in lines:
        match = _PART.match(line)
        if match is None:
            if line.startswith(_EARLIER):
                if "Observation" in parts:
                    break  # what follows its end is the trial before it
                now = None
            elif now is not None:
                now.append(line)
            continue
        if (match[1] == "Thought" and parts) or (match[1] == "Action" and "Observation" in parts):
            yield _close(parts)
            parts = {}
        now = parts.setdefault(match[1], [])
        now.append(line[match.end() :])
    if parts:
        yield _close(parts)


def _close(parts: dict[str, list[str]]) -> LoggedTurn:
    texts = {name: "\n".join(lines).strip() for name, lines in parts.items()}
    return LoggedTurn(texts.get("Thought", ""), texts.get("Action", ""), texts.get("Observation", ""))
