"""The folder of an evolution: its spec, its calls, a file for each stream that ended, the banks that grew."""

import json
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from pydantic import JsonValue, TypeAdapter, ValidationError

from memtrial.evolution.evolve_spec import EvolveSpec
from memtrial.evolution.stream_rows import StreamEnd
from memtrial.faults import SpecFault
from memtrial.private_file import make_private, read_private, write_whole
from memtrial.runs.run_folder.folder import EVOLUTION, LOGS, flat_of, refuse_changed

SPEC, STREAMS, BANKS = EVOLUTION, "streams", "banks"
OUTSIDE = {"budget", "engine", "display", "question"}
"""Of the spec, what no task depends on."""
_END = TypeAdapter(StreamEnd)


@dataclass(frozen=True, slots=True)
class StreamPlace:
    """One arm of one backbone in one stream."""

    backbone: str
    arm: str
    stream: int

    @property
    def name(self) -> str:
        """Of its files; a backbone's own name may hold what no file's may."""
        return f"{sha256(self.backbone.encode()).hexdigest()[:8]}_{self.arm}_{self.stream}"


def evolve_folder(spec: EvolveSpec, out: Path | None) -> Path:
    """Where the evolution lives; another seed gets a folder of its own."""
    return out if out is not None else LOGS / f"{spec.name}_s{spec.seed}"


def refuse_other(folder: Path, spec: EvolveSpec) -> None:
    """SpecFault where the folder holds another evolution."""
    path = folder / SPEC
    if path.exists():
        try:
            before = json.loads(read_private(path))["identity"]
        except (ValueError, KeyError, TypeError, RecursionError) as fault:
            raise SpecFault(f"{path} holds no evolution; use --out with another folder") from fault
        refuse_changed(folder, before, _identity(spec))


def begin_folder(folder: Path, spec: EvolveSpec) -> None:
    """Write the spec into a folder that is new."""
    path = folder / SPEC
    if path.exists():
        return
    for name in (STREAMS, BANKS):
        make_private(folder / name)
    manifest = {"identity": _identity(spec), "truth_seen": spec.train}
    write_whole(path, json.dumps(manifest, indent=1, ensure_ascii=False))


def _identity(spec: EvolveSpec) -> dict[str, JsonValue]:
    return flat_of(json.loads(spec.model_dump_json(exclude=OUTSIDE)))


def read_stream(folder: Path, place: StreamPlace) -> StreamEnd | None:
    """What is kept of a stream that ended; None where it did not."""
    path = folder / STREAMS / f"{place.name}.json"
    if not path.exists():
        return None
    try:
        return _END.validate_json(read_private(path))
    except ValidationError as fault:
        raise SpecFault(f"{path} is no stream of an evolution: {fault.errors()[0]['msg']}") from fault


def write_stream(folder: Path, place: StreamPlace, end: StreamEnd) -> None:
    """Keep a stream that ended, all of it or nothing."""
    write_whole(folder / STREAMS / f"{place.name}.json", json.dumps(asdict(end), ensure_ascii=False))
