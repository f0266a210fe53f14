"""Outcomes by a model that judges success, where no log and no file states one.

Every answer is a line of a file, so that nothing is asked or paid twice. Beside the runs without an outcome
the judge is asked about some that have one: that is all that is known of its errors. A verdict that cannot
be read is an error, and never a failure.
"""

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import IO

from pydantic import BaseModel, JsonValue, ValidationError

from memtrial.agents.trajectory import Trajectory, Verdict
from memtrial.api.given_spec import client_of, done_by
from memtrial.call_purpose import Purpose
from memtrial.console.display import Display, progress_of
from memtrial.faults import RunFault, SpecFault
from memtrial.judges.success import ANSWERS, PROMPTS, SuccessJudge, transcript
from memtrial.judges.verdict_words import Label
from memtrial.models.client.client import Caller, ModelClient
from memtrial.models.client.prices import shipped_prices
from memtrial.models.client.types import ModelFault, provider_of
from memtrial.outcomes.count_words import how_many
from memtrial.private_file import private, read_private
from memtrial.runs.setup.context import AT_ONCE
from memtrial.runs.setup.event_loop import without_loop
from memtrial.views.numbers import dollars

AUDITED = 20
"""Runs of each stated outcome, at most, about which the judge is asked as well."""
MOST_LOST = 0.2
"""The share of the runs that may stay without an answer of the provider."""
PURPOSE = Purpose("other", "outcome judge")
VERDICTS: tuple[Verdict, ...] = ("success", "failure")


class Judgement(BaseModel):
    """What the judge answered about one run, a line of its file.

    Args:
        key: of all that decides the answer: the model, its prompt and what it was shown.
        verdict: empty with a fault.
        stated: the outcome that a log or a file states; empty where none does. The judge is not told.
        usd: None where the price is not known.
    """

    trace_id: str
    key: str
    judge: str
    verdict: Label
    confidence: float | None = None
    reason: str = ""
    fault: str = ""
    stated: Label = ""
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = None


@dataclass(frozen=True, slots=True)
class JudgedRuns:
    """What a judge said of runs.

    Args:
        by_name: its answers, by trace.
        fresh: those that were asked for now; the others stood in the file.
        unanswered: runs of which the provider gave no answer; they are asked about again next time.
    """

    model: str
    by_name: dict[str, Judgement] = field(default_factory=dict)
    fresh: tuple[Judgement, ...] = ()
    unanswered: int = 0

    @property
    def judge(self) -> str:
        """The model, and that it is none where that is so."""
        return f"{self.model} (simulated)" if provider_of(self.model) == "simulated" else self.model

    def audited(self, stated: Verdict) -> tuple[Judgement, ...]:
        """Readable answers about runs with this outcome."""
        return tuple(row for row in self.by_name.values() if row.stated == stated and row.verdict)

    @property
    def unread(self) -> int:
        """Answers that cannot be read."""
        return sum(not row.verdict for row in self.by_name.values())

    @property
    def usd(self) -> float | None:
        """What the fresh answers cost, in US dollars; None where a price is not known."""
        costs = [row.usd for row in self.fresh]
        return None if None in costs else sum(cost for cost in costs if cost is not None)

    def lines(self) -> tuple[str, ...]:
        """What it was asked and said, how often it errs where that can be seen, and what it cost."""
        open_ones = [row for row in self.by_name.values() if not row.stated]
        counts = [f"{sum(row.verdict == word for row in open_ones):,} {word}" for word in VERDICTS]
        if self.unread:
            counts.append(f"{how_many(self.unread, 'verdict')} that cannot be read")
        if self.unanswered:
            counts.append(f"{self.unanswered:,} without an answer")
        lines = [f"the judge {self.judge} on {how_many(len(open_ones), 'run')} without a stated outcome: "]
        lines[0] += ", ".join(counts)
        bad, good = self.audited("failure"), self.audited("success")
        if bad or good:
            wrong, missed = self.errors()
            lines.append(
                f"  on {how_many(len(bad) + len(good), 'run')} with one it agrees"
                f" {len(bad) + len(good) - wrong - missed:,} times: it took {wrong:,} of {len(bad):,} that"
                f" failed for a success, and {missed:,} of {len(good):,} that succeeded for a failure"
            )
        else:
            lines.append("  no run states an outcome to hold it against: its errors are not known")
        tokens = sum(row.input_tokens + row.output_tokens for row in self.fresh)
        lines.append(
            f"  {how_many(len(self.fresh), 'call')} now, {tokens:,} tokens, {dollars(self.usd)};"
            f" {len(self.by_name) - len(self.fresh):,} answers were kept from before"
        )
        return tuple(lines)

    def errors(self) -> tuple[int, int]:
        """Stated failures that it took for a success, and stated successes that it took for a failure."""
        wrong = sum(row.verdict == "success" for row in self.audited("failure"))
        return wrong, sum(row.verdict == "failure" for row in self.audited("success"))

    def to_json(self) -> dict[str, JsonValue]:
        """The account as an object."""
        wrong, missed = self.errors()
        return {
            "model": self.model,
            "simulated": provider_of(self.model) == "simulated",
            "unreadable": self.unread,
            "unanswered": self.unanswered,
            "stated_failures": len(self.audited("failure")),
            "of_these_judged_success": wrong,
            "stated_successes": len(self.audited("success")),
            "of_these_judged_failure": missed,
            "calls": len(self.fresh),
            "kept_from_before": len(self.by_name) - len(self.fresh),
            "usd": self.usd,
        }


def pick_judged(stated: Sequence[Trajectory], waiting: Sequence[Trajectory]) -> tuple[Trajectory, ...]:
    """All runs without an outcome, and the same few of each outcome whenever they are picked."""
    ordered = sorted(stated, key=lambda run: sha256(run.trace_id.encode()).digest())
    audited = [
        run for outcome in VERDICTS for run in [run for run in ordered if run.outcome == outcome][:AUDITED]
    ]
    return (*waiting, *audited)


@without_loop
def judge_runs(
    model: str,
    runs: Sequence[Trajectory],
    stated: frozenset[str],
    kept: Path,
    base_urls: Sequence[str] = (),
    display: Display | None = None,
) -> JudgedRuns:
    """Ask about each run that the file has no answer to, and write each answer into it as it comes.

    Args:
        stated: names of the runs whose outcome is stated.

    Raises:
        SpecFault: no such model, or the file cannot be read or written; nothing was sent.
        RunFault: too few answers came; those that came are in the file.
    """
    shown = progress_of(display)
    client = client_of((("grade", model),), base_urls, say=shown.say)
    client.transport.prices = shipped_prices()
    known, whole = _read_kept(kept)
    keys = {run.trace_id: _key_of(model, run) for run in runs}
    outcomes: dict[str, Label] = {run.trace_id: run.outcome for run in runs if run.trace_id in stated}
    by_name = {
        name: known[key].model_copy(update={"stated": outcomes.get(name, "")})
        for name, key in keys.items()
        if key in known
    }
    asked = [run for run in runs if run.trace_id not in by_name]
    fresh, lost = list[Judgement](), list[str]()
    with _open_kept(kept, whole) as file, shown.phase(f"judge by {model}", len(asked)) as tick:
        ready = asyncio.Semaphore(AT_ONCE)

        async def judge(run: Trajectory) -> None:
            name = run.trace_id
            async with ready:
                try:
                    row = await _ask(client, model, run, keys[name], outcomes.get(name, ""))
                except ModelFault as fault:
                    lost.append(str(fault))
                else:
                    file.write(row.model_dump_json().encode() + b"\n")
                    file.flush()
                    fresh.append(row)
            tick()

        async def work() -> None:
            await asyncio.gather(*(judge(run) for run in asked))

        done_by(client, work, lambda: f"the judge could not be had after {len(fresh)} of {len(asked)} runs")
    if len(lost) > MOST_LOST * len(asked):
        raise RunFault(f"the judge did not answer about {len(lost)} of {len(asked)} runs: {lost[0]}")
    by_name |= {row.trace_id: row for row in fresh}
    return JudgedRuns(model, by_name, tuple(fresh), len(lost))


async def _ask(client: ModelClient, model: str, run: Trajectory, key: str, stated: Label) -> Judgement:
    caller = Caller(client, model, purpose=PURPOSE)
    grade = await SuccessJudge(caller)(run)
    used = caller.meter
    return Judgement(
        trace_id=run.trace_id, key=key, judge=model, verdict=grade.label, confidence=grade.confidence,
        reason=grade.reason, fault=grade.fault, stated=stated, input_tokens=used.input_tokens,
        output_tokens=used.output_tokens, usd=used.usd,
    )  # fmt: skip


def _key_of(model: str, run: Trajectory) -> str:
    prompts = [PROMPTS[0].digest, ANSWERS["json"].digest]
    return sha256(json.dumps([model, prompts, run.trace_id, transcript(run)]).encode()).hexdigest()


def _read_kept(kept: Path) -> tuple[dict[str, Judgement], int]:
    """The answers by key, and the bytes of the whole lines: the last may have been cut short by a kill."""
    try:
        held = read_private(kept)
    except FileNotFoundError:
        return {}, 0
    except OSError as fault:
        raise SpecFault(f"{kept} cannot be read: {fault.strerror or fault}; name another --out") from fault
    rows = dict[str, Judgement]()
    *lines, rest = held.split(b"\n")
    for number, line in enumerate(lines, 1):
        try:
            row = Judgement.model_validate_json(line)
        except ValidationError:
            what = "a line of judgements is needed, as --judge writes them; name another --out"
            raise SpecFault(f"{kept}, line {number}: {what}") from None
        rows[row.key] = row
    return rows, len(held) - len(rest)


@contextmanager
def _open_kept(kept: Path, whole: int) -> Iterator[IO[bytes]]:
    """The file behind its whole lines; where nothing came it goes again."""
    try:
        if whole:
            with open(kept, "r+b", opener=private) as file:
                file.truncate(whole)
        lines = open(kept, "ab", opener=private)  # noqa: SIM115
    except OSError as fault:
        why = fault.strerror or fault
        raise SpecFault(f"{kept} cannot keep the judge's answers: {why}; name another --out") from fault
    try:
        with lines:
            yield lines
    finally:
        if kept.stat().st_size == 0:
            kept.unlink()
