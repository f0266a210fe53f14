"""Answers of a scripted model that works on known tasks through the tools of a real coding agent."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from memtrial.models.client.content_blocks import TextBlock, ToolResult, ToolUse
from memtrial.models.client.types import Request
from memtrial.models.scripted.coding.client_tools import (
    GOODBYE,
    OfferedTools,
    call_recall,
    call_shell,
    call_skill,
    read_tools,
    write_files,
)
from memtrial.models.scripted.coding.dispositions import Disposition, ScriptedTask
from memtrial.models.scripted.coding.shown_memory import show_memory
from memtrial.models.scripted.protocol import Refused, ScriptedAnswer
from memtrial.models.simulated.text import uniform

LOOK = "ls -la"


@dataclass(frozen=True, slots=True)
class CodingAnswers:
    """Works on the task that a request names: activates its skill, looks around, makes a change, ends.

    What the change is follows from the disposition and from the memory that stands in the request itself, so
    that a memory which never arrived has no effect.

    Args:
        slip: the chance that a trial ends the other way. The draw depends on the seed, on the task, on the
            memory, and on how many trials of both there were before.
    """

    tasks: tuple[ScriptedTask, ...]
    disposition: Disposition
    slip: float = 0.0
    seed: int = 0
    _changes: Counter[tuple[str, str]] = field(default_factory=Counter, init=False, compare=False)

    async def say(self, request: Request, repeat: int) -> ScriptedAnswer:  # noqa: ARG002
        """The next call of a tool, or the last words. Refused where no known task is named."""
        tools = read_tools(request)
        if not (tools.shell or tools.skill):
            return ScriptedAnswer("A task")  # a title for the session
        results = (isinstance(block, ToolResult) for message in request.messages for block in message.blocks)
        step = sum(results)
        moves = list(self._plan(request, tools, step))
        if step >= len(moves):
            return ScriptedAnswer("The work is done.")
        return ScriptedAnswer("Next step.", "tool use", (TextBlock("Next step."), moves[step]))

    def _plan(self, request: Request, tools: OfferedTools, step: int) -> Iterator[ToolUse]:
        """All calls of this trial, as far as they are known from the conversation so far."""
        task, memory = self._find_task(request), show_memory(request.messages)
        conduct = self.disposition(task, memory)
        opening = 1 if task.skill else 0
        recalls = list(call_recall(request, tools, task.recall, task.topic)) if task.recall else []
        opening += len(recalls)
        yield from recalls
        if task.skill:
            yield call_skill(tools, 0, task.skill)
        change = opening + conduct.looks
        for number in range(opening, change):
            yield call_shell(tools, number, LOOK)
        solves = conduct.solves != (step == change and self._slips(task, memory))
        yield call_shell(tools, change, write_files(task.solution if solves else task.wrong))
        if tools.ends_by_command:
            yield call_shell(tools, change + 1, GOODBYE)

    def _slips(self, task: ScriptedTask, memory: str) -> bool:
        """Whether the change that is made now turns out the other way."""
        self._changes[task.prompt, memory] += 1
        return uniform(self.seed, task.prompt, memory, self._changes[task.prompt, memory]) < self.slip

    def _find_task(self, request: Request) -> ScriptedTask:
        texts = [message.text for message in request.messages if message.role == "user"]
        for task in self.tasks:
            if any(task.prompt in text for text in texts):
                return task
        raise Refused(400, "the scripted model knows no task that this request names")
