"""A process that holds one world: `python -m memtrial.runs.setup.processes.world_process FILE`."""

from contextlib import closing

from memtrial.runs.setup.processes.line_process import Line, serve_line
from memtrial.runs.setup.processes.world_calls import WorldAnswer, WorldCall
from memtrial.runs.setup.world_pool import open_world
from memtrial.runs.spec.spec import Spec
from memtrial.worlds.world import UnscoredFault, WorldFault


def answer_calls(line: Line) -> None:
    """Open the world of the spec that comes first, as JSON, and call it as asked."""
    spec = Spec.model_validate_json(line.recv())
    try:
        world = open_world(spec)
    except WorldFault as fault:
        while True:
            line.recv()
            line.send(WorldAnswer(broken=f"no world can be opened: {fault}"))
    with closing(world):
        while True:
            call: WorldCall = line.recv()
            try:
                line.send(WorldAnswer(getattr(world, call.method)(*call.arguments)))
            except WorldFault as fault:
                line.send(WorldAnswer(broken=str(fault), unscored=isinstance(fault, UnscoredFault)))


if __name__ == "__main__":
    serve_line(answer_calls)
