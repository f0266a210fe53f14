"""What a simulated participant finds in the prompt: as a real model would; also in DSPy's fields."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from memtrial.models.client.types import Message
from memtrial.models.simulated.text import content, stems

CUE = re.compile(r"^notes from earlier tasks\b.*$", re.IGNORECASE | re.MULTILINE)
ENDS = (
    re.compile(r"^Action: one action$|, word for word, and nothing else\.$", re.MULTILINE),  # of the rules
    re.compile(r"^Actions:(?: .*|(?:\n- .*)+)$", re.MULTILINE),  # of a turn
    re.compile(r"answer again in the same form\.$", re.MULTILINE),  # where an action was withheld
)
"""Where a prompt ends that holds no memory."""
INSTRUCTION = re.compile(r"\bfollow (?:what stands below|(?:the|these) (?:notes|items))\b", re.IGNORECASE)
_instructs = lru_cache(maxsize=2048)(INSTRUCTION.search)  # a conversation is read anew at each turn
TASK = re.compile(r"^Task: (.*?)(?=\n\nObservation: )", re.DOTALL)
OBSERVATION = re.compile(r"^Observation: (.*?)(?=\nActions:[ \n]|\Z)", re.DOTALL | re.MULTILINE)
ACTIONS = re.compile(r"^Actions:(?: (?P<row>.*)|(?P<list>(?:\n- .*)+))$", re.MULTILINE)
QUESTION = "Which action?"
"""What ends a turn whose reply is a choice; it is no memory."""
ACTION = re.compile(r"^Action:[ \t]*(.*)$", re.MULTILINE)
VERB_LINE = re.compile(r"^[^\S\n]*+[-*] ([a-z][a-z ]*?)(?: [A-Z]{2}.*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Scene:
    """The situation as the conversation tells it.

    Args:
        rules: the system prompt above the memory.
        blocks: the memory blocks in the prompt, one in the system prompt and one for each that entered later.
        opening: the text that stays the same for the whole episode.
        instructed: something in the prompt asks to follow the memory.
        recent: the blocks that came with the last user turn, with the first one that of the system prompt.
    """

    rules: str
    blocks: tuple[str, ...]
    task: str
    observation: str
    actions: tuple[str, ...]
    done: tuple[str, ...]
    opening: str
    instructed: bool = False
    recent: tuple[str, ...] = ()

    @property
    def words(self) -> frozenset[str]:
        return content(self.observation) | content(self.task)

    @property
    def verbs(self) -> tuple[tuple[str, ...], ...]:
        """The verbs the rules list, one a line, stemmed."""
        return tuple(stems(match[1]) for match in VERB_LINE.finditer(self.rules))


@lru_cache(maxsize=64)
def look(messages: tuple[Message, ...]) -> Scene:
    """Read a conversation; repeats ask the same."""
    system = messages[0].text if messages[0].role == "system" else ""
    rules, memory = _split_memory(system)
    blocks = [memory] if memory else []
    recent: tuple[str, ...] = ()
    task = observation = ""
    actions: tuple[str, ...] = ()
    done: list[str] = []
    opening, instructed = system, False
    for number, message in enumerate(messages):
        said = message.text
        if message.role == "assistant":
            action = _read_action(said)
            # an agent whose replies are choices says the action and nothing else
            done.append(said * (said in actions) if action is None else action)
            continue
        instructed = instructed or _instructs(said) is not None
        if message.role == "user":
            text, note, task_text, seen, listed = _read_turn(said)
            before = len(blocks) if number > 1 else 0
            if note:
                blocks.append(note)
            recent = tuple(blocks[before:])
            if number <= 1:
                opening, task = system + text, task_text
            if seen is not None:
                observation, actions = seen, listed
            elif done:
                done.pop()  # the action was withheld: it has not been done
    return Scene(rules, tuple(blocks), task, observation, actions, tuple(done), opening, instructed, recent)


@lru_cache(maxsize=1024)
def _read_action(text: str) -> str | None:
    """The last action that a reply names; None where it names none."""
    lines = ACTION.findall(text)
    return lines[-1].strip() if lines else None


@lru_cache(maxsize=4096)
def _read_turn(text: str) -> tuple[str, str, str, str | None, tuple[str, ...]]:
    """One user turn: what it tells, the memory that came with it, the task, observation and actions in it."""
    above, note = _split_memory(text.removesuffix(QUESTION).rstrip())
    task, seen, listed = TASK.search(above), OBSERVATION.search(above), ACTIONS.search(above)
    actions: tuple[str, ...] = ()
    if listed:
        row, lines = listed["row"], listed["list"]
        actions = tuple(row.split(" | ") if row is not None else lines.removeprefix("\n- ").split("\n- "))
    return above, note, task[1] if task else above, seen[1] if seen else None, actions


@lru_cache(maxsize=2048)
def _split_memory(text: str) -> tuple[str, str]:
    """What stands above the memory, and the block below its cue line (the cue's mark, if nothing else)."""
    match = CUE.search(text)
    if match is not None:
        return text[: match.start()].rstrip(), text[match.end() :].strip() or "-"
    for end in ENDS:
        ending = end.search(text)
        if ending is not None and (below := text[ending.end() :].strip()):
            # another cue line than ours: the paragraph above the items
            return text[: ending.end()], below.partition("\n\n")[2].strip() or "-"
    return text, ""


FIELD = re.compile(r"^\[\[ ## (\w+) ## \]\]$", re.MULTILINE)
NAME = re.compile(r"^\d+\. `(\w+)`", re.MULTILINE)
END = "\n\nRespond with the corresponding output fields"


def given(messages: tuple[Message, ...]) -> dict[str, str]:
    """The input fields of the last user turn that has any; one behind it asks for a reply once more."""
    turns = (message.text for message in reversed(messages) if message.role == "user")
    text = next((turn for turn in turns if FIELD.search(turn)), messages[-1].text)
    text = text[: text.rfind(END)] if END in text else text
    marks = list(FIELD.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return {mark[1]: text[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)}


def wanted_fields(messages: tuple[Message, ...]) -> tuple[str, ...]:
    """The names of the output fields; none where this is no structured call."""
    below = messages[0].text.partition("Your output fields are:\n")[2]
    asked, more, _ = below.partition("\nAll interactions")
    return tuple(NAME.findall(asked)) if more else ()


def answer(fields: Mapping[str, str]) -> str:
    """A reply in the layout."""
    return "\n\n".join(
        [f"[[ ## {name} ## ]]\n{text}" for name, text in fields.items()] + ["[[ ## completed ## ]]"]
    )
