"""A solver of Inspect as an agent: each trial is an evaluation of one sample, by Inspect's own model."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from tempfile import TemporaryDirectory
from typing import Any

from memtrial.agents.episode import AgentFault
from memtrial.agents.stage import EpisodeMemory
from memtrial.faults import SpecFault
from memtrial.plugins.code_identity import source_of
from memtrial.worlds.world import Outcome, Task, Usage

OF_A_SAMPLE = ("input", "target", "choices", "sandbox", "files", "setup")
INSTALL = "an agent of Inspect needs its package: pip install 'memtrial[inspect]'"
_EVALUATES = threading.Lock()
"""Inspect evaluates one task at a time in a process."""


@dataclass(frozen=True)
class InspectAgent:
    """Solves one sample with a task's memory as its first system message, and scores it as Inspect does.

    Args:
        model: Inspect's own, as a string or a Model; by default what INSPECT_EVAL_MODEL names.
        digest: of what the solver and the scorer are made of.
    """

    solver: Any
    scorer: Any
    model: Any
    digest: str

    @property
    def __name__(self) -> str:
        """The solver's name, which tables show."""
        return _name_of(self.solver)

    def __call__(self, task: Task, memory: EpisodeMemory) -> Outcome:
        """The score of one sample, a number in [0, 1].

        Raises:
            AgentFault: Inspect could not solve or score it, or memory stood in none of its requests.
        """
        from inspect_ai import Task as InspectTask
        from inspect_ai import eval as evaluate
        from inspect_ai.scorer import value_to_float

        text = memory.text
        asked = InspectTask(dataset=[_sample_of(task)], solver=[_show(text), self.solver], scorer=self.scorer)
        with _EVALUATES, TemporaryDirectory(prefix="inspect-") as logs:
            (log,) = evaluate(asked, model=self.model, display="none", log_dir=logs, log_level="error")
            samples = log.samples or []  # read while their file is there
            error = next((sample.error for sample in samples if sample.error), log.error)
            if error is not None or not samples:
                raise AgentFault(f"Inspect: {' '.join(str(error and error.message).split())[:300]}")
            (sample,) = samples
            scores = list((sample.scores or {}).values())
            events = [event for event in sample.events if event.event == "model"]
            sent = [_text_sent(message, sample.attachments) for event in events for message in event.input]
            spent = list(sample.model_usage.values())
        if not scores:
            raise AgentFault("Inspect gave no score; name a scorer, as agent_from_inspect(solver, match())")
        if text.strip() and not any(text in message for message in sent):
            raise AgentFault("the solver left the memory out: it stood in no request of Inspect's log")
        score = min(1.0, max(0.0, float(value_to_float()(scores[0].value))))
        usage = Usage(sum(one.input_tokens for one in spent), sum(one.output_tokens for one in spent))
        return Outcome(score >= 1, score, "" if score >= 1 else "scored lower by Inspect", usage)


def agent_from_inspect(solver: Any, scorer: Any, model: Any = None) -> InspectAgent:
    """A solver of Inspect as an agent for `memtrial.trial`; tasks are its samples, or rows with input and
    target.

    Args:
        solver: one solver, or an agent as one; memory enters before it, as a system message.
        scorer: says how well a sample was solved; of several the first counts.
        model: Inspect's own, as a string or a Model; by default what INSPECT_EVAL_MODEL names.

    Raises:
        SpecFault: Inspect is not installed, or what is given is no solver.
    """
    if find_spec("inspect_ai") is None:
        raise SpecFault(INSTALL)
    if not callable(solver) or not callable(scorer):
        came = f"{type(solver).__name__} and {type(scorer).__name__}"
        raise SpecFault(f"a solver and a scorer of Inspect are needed; got {came}")
    parts = [_name_of(part) + repr(sorted(_settings_of(part).items())) for part in (solver, scorer)]
    parts += [source_of(part, "the solver") for part in (solver, scorer)]
    parts.append(str(model))
    return InspectAgent(solver, scorer, model, sha256("\0".join(parts).encode()).hexdigest())


def _name_of(part: Any) -> str:
    """The name under which Inspect registered a solver or a scorer."""
    from inspect_ai._util.registry import is_registry_object, registry_info

    if is_registry_object(part):
        return str(registry_info(part).name).rpartition("/")[2]
    return getattr(part, "__qualname__", type(part).__name__).partition(".")[0]


def _settings_of(part: Any) -> Mapping[str, Any]:
    from inspect_ai._util.registry import is_registry_object, registry_params

    return dict(registry_params(part)) if is_registry_object(part) else {}


def _sample_of(task: Task) -> Any:
    from inspect_ai.dataset import Sample

    own = {name: task.row[name] for name in OF_A_SAMPLE if name in task.row}
    rest = {name: value for name, value in task.row.items() if name not in (*OF_A_SAMPLE, "id")}
    return Sample(**{"input": task.query, **own}, id=task.id, metadata=rest)


def _text_sent(message: Any, attachments: Mapping[str, str]) -> str:
    """A message's text; a log names long texts, and has them beside."""
    prefix, text = "attachment://", str(message.text)
    return attachments.get(text.removeprefix(prefix), text) if text.startswith(prefix) else text


def _show(text: str) -> Any:
    """A solver that puts a text above the conversation; nothing for a blank one."""
    from inspect_ai.model import ChatMessageSystem
    from inspect_ai.solver import solver

    def memory() -> Any:
        async def solve(state: Any, generate: Any) -> Any:  # noqa: ARG001
            if text.strip():
                state.messages.insert(0, ChatMessageSystem(content=text))
            return state

        return solve

    return solver(name="memory")(memory)()
