"""An episode as a bank keeps it: a trajectory as JSON, and where it comes from."""

import json
from dataclasses import asdict, dataclass
from hashlib import sha256

from pydantic import TypeAdapter, ValidationError

from memtrial.agents.trajectory import Trajectory
from memtrial.memory.stored_item import MemoryFault

_TRAJECTORY = TypeAdapter(Trajectory)


@dataclass(frozen=True, slots=True)
class KeptEpisode:
    """What an agent did in a task.

    Args:
        id: the digest of its trajectory as it was handed over; two of the same are one episode.
        body: JSON: the trajectory, or what somebody put into document 003's table in its place.
        project: whose bank it is in, as a path.
        began, ended: seconds since 1970, UTC; None where they are not known.
        scaling_run: the run of several tries that it is of; empty for none.
    """

    id: str
    task_id: str
    query: str
    body: str
    project: str = ""
    agent_id: str = ""
    began: float | None = None
    ended: float | None = None
    scaling_run: str = ""


@dataclass(frozen=True, slots=True)
class EpisodeSource:
    """Where an episode comes from; the fields are those of `KeptEpisode`."""

    project: str = ""
    agent_id: str = ""
    began: float | None = None
    ended: float | None = None
    scaling_run: str = ""


def make_episode(trajectory: Trajectory, source: EpisodeSource = EpisodeSource()) -> KeptEpisode:
    """The episode of a trajectory. How it was judged is no part of its id: a verdict is an event."""
    body = json.dumps(asdict(trajectory), ensure_ascii=False, separators=(",", ":"))
    known = [trajectory.trace_id, trajectory.task_id, trajectory.query, trajectory.start]
    steps = [asdict(step) for step in trajectory.steps]
    return KeptEpisode(
        digest_of_body(json.dumps([*known, steps], sort_keys=True)),
        trajectory.task_id,
        trajectory.query,
        body,
        source.project,
        source.agent_id,
        source.began,
        source.ended,
        source.scaling_run,
    )


def digest_of_body(text: str) -> str:
    """Sha256 of a text, in hex."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read_trajectory(episode: KeptEpisode) -> Trajectory:
    """The trajectory of an episode; MemoryFault where its body holds another JSON."""
    try:
        return _TRAJECTORY.validate_json(episode.body)
    except ValidationError as fault:
        raise MemoryFault(
            f"the body of episode {episode.id!r} is no trajectory of ours: {fault.errors()[0]['msg']}"
        ) from fault
