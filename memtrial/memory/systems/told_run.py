"""A trajectory as the conversation that memories are given: what the agent said, and what it was shown."""

from memtrial.agents.trajectory import Trajectory


def tell_run(trajectory: Trajectory) -> list[dict[str, str]]:
    """Its messages, each with `role` and `content`; the last one states the outcome.

    The parts stand in the tags in which every condenser reads them.
    """
    start = f"**Query:** {trajectory.query}\n\n**Trajectory:**\n{_tag('observation', trajectory.start)}"
    told = [("user", start)]
    for step in trajectory.steps:
        told.append(("assistant", f"{_tag('think', step.thought)}\n{_tag('action', step.action)}"))
        told.append(("user", _tag("observation", step.observation)))
    reason = f": {trajectory.reason}" if trajectory.reason else ""
    told.append(("user", f"Outcome: {trajectory.outcome}{reason}"))
    return [{"role": role, "content": text} for role, text in told]


def join_run(trajectory: Trajectory) -> str:
    """The same in one text."""
    return "\n\n".join(message["content"] for message in tell_run(trajectory))


def _tag(name: str, text: str) -> str:
    return f"<{name}>\n{text}\n</{name}>"
