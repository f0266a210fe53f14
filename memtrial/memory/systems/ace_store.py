"""ACE, Agentic Context Engineering (ace-playbook 0.3.0, after arXiv 2510.04618): a playbook of rated bullets.

Its Reflector and its Curator learn from the run as it was played; its Generator, which would play the task
itself, has no part. An agent is shown the bullets, the best rated first.
"""

import json
from collections.abc import Mapping, Sequence

import numpy as np

from memtrial.agents.trajectory import Trajectory
from memtrial.memory.systems.system_door import SystemDoor
from memtrial.memory.systems.told_run import join_run
from memtrial.models.client.types import Message

# as its own backend asks
IN_JSON = "Respond with a single valid JSON object and nothing else."


class AskedBackend:
    """A backend of ACE's that asks the door."""

    def __init__(self, door: SystemDoor) -> None:
        self._door = door

    def complete_json(self, system: str, user: str) -> dict[str, object]:
        text = self._door.ask([Message("system", f"{system}\n\n{IN_JSON}"), Message("user", user)])
        try:
            read = json.loads(text[text.find("{") : text.rfind("}") + 1])
        except (ValueError, RecursionError):
            return {}
        return read if isinstance(read, dict) else {}


class AcePlaybook:
    """Its engine; bullets that look alike are those whose vectors of our embedder do."""

    def __init__(self, door: SystemDoor, rounds: int) -> None:
        from ace import ACE, ACEConfig

        self._engine = ACE(
            AskedBackend(door),
            ACEConfig(reflector_max_rounds=rounds, auto_embedder=False),
            embedder=lambda texts: list(np.asarray(door.embed(texts))),
        )

    def learn(self, trajectory: Trajectory) -> Sequence[str]:
        from ace.feedback import Feedback
        from ace.roles import Generation
        from ace.tasks import Sample

        known = {bullet.id for bullet in self._engine.playbook}
        asked = Sample(id=trajectory.trace_id, question=trajectory.query, answer="")
        played = Generation(answer=trajectory.outcome, reasoning=join_run(trajectory))
        self._engine.step(asked, Feedback(correct=trajectory.outcome == "success"), generation=played)
        return self._rename_new(known)

    def find(self, query: str, most: int) -> Mapping[str, float]:  # noqa: ARG002
        return {bullet.id: float(bullet.score) for bullet in self._engine.playbook}

    def texts(self) -> Mapping[str, str]:
        return {bullet.id: bullet.content for bullet in self._engine.playbook}

    def put(self, id: str, text: str) -> None:
        self._engine.playbook.update(id, text)

    def _rename_new(self, known: set[str]) -> Sequence[str]:
        """New bullets under names that are the same in every run: names stand in what the model is asked."""
        from ace import Playbook

        taken = max((int(name.removeprefix("ctx-")) for name in known), default=0)
        held, new = self._engine.playbook.to_dict(), list[str]()
        for bullet in held["bullets"]:
            if bullet["id"] not in known:
                bullet["id"] = f"ctx-{taken + len(new) + 1:08d}"
                new.append(bullet["id"])
        self._engine.playbook = Playbook.from_dict(held)
        return new
