"""A trajectory read back from what ReasoningBank's condenser is sent, which `trajectory_views.render` writes.

WebArena's holds thoughts and actions in tags, and the judge's reason below. That of SWE is all messages in
one text, whose borders are lost: it stays whole, as the `start`, which the view `messages` shows as it is.
"""

from memtrial.agents.trajectory import Step, Trajectory, Verdict
from memtrial.agents.trajectory_views import View

HEAD, BODY = "**Query:** ", "\n\n**Trajectory:**\n"
OPEN, TURN, CLOSE = "<think>\n", "\n</think>\n<action>\n", "\n</action>"
BECAUSE: dict[Verdict, str] = {
    "success": "\n\nThe task succeeded because: ",
    "failure": "\n\nThe task failed because: ",
}


def read_rendered(text: str, outcome: Verdict, trace_id: str) -> Trajectory:
    """The trajectory of a text, whose outcome its instruction says.

    Raises:
        ValueError: the text does not begin with a query and a trajectory.
    """
    query, marked, body = text.removeprefix(HEAD).partition(BODY)
    if not text.startswith(HEAD) or not marked:
        raise ValueError(f"a text that begins with {HEAD!r} and has {BODY!r} is needed; got {text[:60]!r}")
    turns, mark, reason = body.rpartition(BECAUSE[outcome])
    if not mark or not turns.endswith(CLOSE):
        turns, reason = body, ""
    steps = _read_steps(turns)
    if steps is None:
        return Trajectory(trace_id, trace_id, query, outcome, (), start=body)
    return Trajectory(trace_id, trace_id, query, outcome, steps, reason=reason)


def upstream_view(trajectory: Trajectory) -> View:
    """The view in which such a trajectory is the text again that it was read from."""
    return "actions" if trajectory.steps else "messages"


def _read_steps(turns: str) -> tuple[Step, ...] | None:
    """The turns in tags; None where the text is not made of them."""
    if not (turns.startswith(OPEN) and turns.endswith(CLOSE)):
        return None
    blocks = turns.removeprefix(OPEN).removesuffix(CLOSE).split(f"{CLOSE}\n\n{OPEN}")
    parts = [block.partition(TURN) for block in blocks]
    if not all(mark for _, mark, _ in parts):
        return None
    return tuple(Step(thought, action) for thought, _, action in parts)
