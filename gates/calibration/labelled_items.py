"""Fixtures: items with the flag that a gate ought to raise, from files that people can write.

A folder holds `<gate>.jsonl`, a fixture a line, and may hold `runs.jsonl` (a trace file) and `sound.jsonl`
(items that no gate ought to flag, named, each with its `run`). A line says `flag` (null: not labelled yet),
may say `by` whom, and holds its item: whole, as `item` (markdown, or the fields with their `schema`), or as
what it changes of the sound item that it is `like`. `trajectory` is a trace; `run` names one of `runs.jsonl`.
A positive says which `half` ought to catch it, and `why` a reader might let it pass.

A set of fixtures stands for one run: all its runs, those of `runs.jsonl` and those that its lines bring, are
the training tasks that a gate may look at, and the sound items of all other runs are in the bank already,
besides what a line says is `stored`. So a set is best of runs of one world, as a run's training tasks are.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memtrial.agents.traces import TraceFault, read_traces, trace_from_json
from memtrial.agents.trajectory import Trajectory
from memtrial.gates.gate import GateCase, Surroundings
from memtrial.memory.item import Item, TheoryItem, field_names, item_from_json, item_to_json
from memtrial.memory.item_roles import roles_of
from memtrial.memory.markdown import parse
from memtrial.prompts.plain_text import lines_of

SHIPPED = Path(__file__).parents[1] / "fixtures"
"""What the rules of the programs were written from: rates on them are in-sample."""
HELD_OUT = Path(__file__).parents[1] / "held_out"
"""Written from the documents alone, by another hand, who had read no rule; no rule is written from them."""
RUNS, SOUND = "runs", "sound"
MOST_BYTES = 16 * 1024 * 1024
Half = Literal["rule", "judge"]


class FixtureFault(ValueError):
    """A file of fixtures cannot be read. The message is one line: place, what was needed, what came."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """One item with the flag that the gate ought to raise.

    Args:
        flag: True: WARN or FAIL; False: PASS; None: nobody has said it yet.
        half: which half ought to catch a positive.
        stored: what is in the bank already.
        training: the runs of the set it belongs to, in a fixed order; its own is among them.
        made: the name of the mutation that made it from a sound item; empty for a written one.
    """

    gate: str
    name: str
    item: Item
    trajectory: Trajectory
    flag: bool | None
    half: Half = "judge"
    domain: str = ""
    why: str = ""
    stored: tuple[Item, ...] = ()
    made: str = ""
    training: tuple[Trajectory, ...] = ()


def case_of(fixture: Fixture) -> GateCase:
    """What a gate looks at: the item with its run, the other runs of its set and what is stored."""
    around = Surroundings(fixture.training, stored=lambda _: fixture.stored)
    return GateCase(fixture.item, roles_of(fixture.item), fixture.trajectory, around=around)


class _LabelledLine(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    gate: str | None = None
    name: str | None = None
    like: str | None = None
    run: str | None = None
    item: str | dict[str, Any] | None = None
    trajectory: dict[str, Any] | None = None
    flag: bool | None = None
    half: Half = "judge"
    domain: str | None = None
    why: str = ""
    by: str = ""
    stored: list[dict[str, Any]] = Field(default_factory=list)
    claim: str | None = None
    trigger: str | None = None
    mechanism: str | None = None
    scope: str | None = None
    form: str | None = None


@dataclass(frozen=True)
class _Sources:
    """The runs, and the sound items with the name of their run; of each, the ids of the folder's own."""

    runs: Mapping[str, Trajectory]
    sound: Mapping[str, tuple[TheoryItem, str]]
    own_runs: frozenset[str] = frozenset()
    own_sound: frozenset[str] = frozenset()


def read_fixtures(path: Path = SHIPPED, gates: tuple[str, ...] = ()) -> tuple[Fixture, ...]:
    """The fixtures of a folder or of one file, the sound items as negatives of every gate named.

    Raises:
        FixtureFault: nothing to read, a line that is no fixture, or a gate that there is not.
    """
    shipped = _shipped_sources()
    if path.is_dir():
        sources = _sources(path, shipped if path != SHIPPED else _Sources({}, {}))
        files = sorted(file for file in path.glob("*.jsonl") if file.stem not in (RUNS, SOUND))
    else:
        # of what ships, the lines of one file may name runs and sound items, and bring none as their own
        sources, files = _Sources(shipped.runs, shipped.sound), [path]
    own = {name: sources.sound[name] for name in sources.sound if name in sources.own_sound}
    if not files:
        raise FixtureFault(f"a folder with <gate>.jsonl is needed; {path} holds none")
    fixtures = [fixture for file in files for fixture in _read_lines(file, sources, gates)]
    named = dict.fromkeys(fixture.gate for fixture in fixtures)
    for gate in named:
        for name, (item, run) in own.items():
            source = sources.runs[run]
            fixtures.append(Fixture(gate, f"{gate} sound {name}", item, source, False, domain=source.family))
    runs = [sources.runs[name] for name in sources.runs if name in sources.own_runs]
    return _with_surroundings(fixtures, runs, tuple(own.values()))


def _with_surroundings(
    fixtures: Sequence[Fixture], runs: Iterable[Trajectory], sound: Sequence[tuple[TheoryItem, str]]
) -> tuple[Fixture, ...]:
    """The fixtures with what a run would show beside them: see the head of this file."""
    training = tuple(
        {fixture.trace_id: fixture for fixture in (*runs, *(each.trajectory for each in fixtures))}.values()
    )
    banks: dict[str, tuple[Item, ...]] = {}
    for trace in training:
        banks[trace.trace_id] = tuple(item for item, run in sound if run != trace.trace_id)
    return tuple(
        replace(fixture, stored=(*fixture.stored, *banks[fixture.trajectory.trace_id]), training=training)
        for fixture in fixtures
    )


def digest_of(fixtures: tuple[Fixture, ...]) -> str:
    """Sha256 of all that a gate could see of the fixtures, and their labels, in any order."""
    rows = sorted(
        json.dumps(
            [
                *(
                    fixture.gate,
                    fixture.flag,
                    fixture.half,
                    _item_digest(fixture.item),
                    _run_digest(fixture.trajectory),
                ),
                *([_item_digest(other) for other in fixture.stored], fixture.made),
                sorted(map(_run_digest, fixture.training)),
            ]
        )
        for fixture in fixtures
    )
    return sha256("\n".join(rows).encode()).hexdigest()


@lru_cache(maxsize=4096)
def _item_digest(item: Item) -> str:
    return sha256(json.dumps(item_to_json(item), sort_keys=True).encode()).hexdigest()


@lru_cache(maxsize=1024)
def _run_digest(run: Trajectory) -> str:
    return sha256(json.dumps(asdict(run), sort_keys=True).encode()).hexdigest()


@cache
def _shipped_sources() -> _Sources:
    return _sources(SHIPPED, _Sources({}, {}))


def _sources(folder: Path, beside: _Sources) -> _Sources:
    runs, sound = dict(beside.runs), dict(beside.sound)
    own_runs, own_sound = set[str](), set[str]()
    try:
        if (folder / f"{RUNS}.jsonl").exists():
            runs |= (read := {trace.trace_id: trace for trace in read_traces(folder / f"{RUNS}.jsonl")})
            own_runs |= read.keys()
    except TraceFault as fault:
        raise FixtureFault(str(fault)) from fault
    if (file := folder / f"{SOUND}.jsonl").exists():
        for where, raw in _lines(file):
            try:
                fields = {"schema": "theory", **raw}
                item, name, run = item_from_json(fields), str(raw["name"]), str(raw["run"])
            except (KeyError, ValueError) as fault:
                raise FixtureFault(
                    f"{where}: name, run and the fields of an item are needed; {fault}"
                ) from fault
            if not isinstance(item, TheoryItem) or run not in runs:
                raise FixtureFault(
                    f"{where}: a theory item of a run of {RUNS}.jsonl is needed; got run {run!r}"
                )
            sound[name] = item, run
            own_sound.add(name)
    return _Sources(runs, sound, frozenset(own_runs), frozenset(own_sound))


def _lines(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for where, line in lines_of(file, "a file of JSON lines is needed", FixtureFault, MOST_BYTES):
        try:
            raw = json.loads(line)
        except (ValueError, RecursionError) as fault:
            raise FixtureFault(f"{where}: a JSON object is needed; {fault}") from fault
        if not isinstance(raw, dict):
            raise FixtureFault(f"{where}: a JSON object is needed; got {str(raw)[:40]!r}")
        yield where, raw


def _read_lines(file: Path, sources: _Sources, gates: tuple[str, ...]) -> Iterator[Fixture]:
    for number, (where, raw) in enumerate(_lines(file), 1):
        try:
            line = _LabelledLine.model_validate(raw)
            gate = (line.gate or file.stem).replace("_", "-")
            if gates and gate not in gates:
                raise ValueError(f"gate is one of {', '.join(gates)}, or the file's name; got {gate!r}")
            yield _fixture(line, gate, f"{gate} {line.name or number}", sources, where)
        except ValidationError as fault:
            first = fault.errors()[0]
            key = ".".join(map(str, first["loc"])) or "line"
            raise FixtureFault(f"{where}: a fixture is needed; {key}: {first['msg']}") from fault
        except ValueError as fault:  # of markdown, of JSON and of traces, too
            raise FixtureFault(f"{where}: {fault}") from fault


def _fixture(line: _LabelledLine, gate: str, name: str, sources: _Sources, where: str) -> Fixture:
    base, run = None, line.run
    if line.like is not None:
        if line.like not in sources.sound:
            raise ValueError(f"like names a sound item ({', '.join(sources.sound)}); got {line.like!r}")
        base, source = sources.sound[line.like]
        run = run or source
    if line.trajectory is not None:
        trajectory = trace_from_json(line.trajectory, where)
    elif run is not None and run in sources.runs:
        trajectory = sources.runs[run]
    else:
        raise ValueError(
            f"a trajectory, or the run of one ({', '.join(sources.runs)}), is needed; got {run!r}"
        )
    changes = {field: text for field in field_names("theory") if (text := getattr(line, field)) is not None}
    item: Item
    if line.item is not None:
        item = item_from_json(line.item) if isinstance(line.item, dict) else parse(line.item)
    elif base is not None:
        item = replace(base, **changes)
    else:
        raise ValueError("item, or like with the fields that differ, is needed")
    stored = tuple(_read_stored(raw, sources) for raw in line.stored)
    domain = line.domain or trajectory.family
    return Fixture(gate, name, item, trajectory, line.flag, line.half, domain, line.why, stored)


def _read_stored(raw: Mapping[str, Any], sources: _Sources) -> Item:
    if (like := raw.get("like")) is None:
        return item_from_json(raw)
    if like not in sources.sound:
        raise ValueError(f"like names a sound item ({', '.join(sources.sound)}); got {like!r}")
    return item_from_json(item_to_json(sources.sound[like][0]) | dict(raw))
