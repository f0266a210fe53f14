"""Turns of a conversation, put together of its messages in the order in which they came."""

from dataclasses import dataclass, field

from memtrial.transcripts.log_text import Json, compact, entries, fields, text
from memtrial.transcripts.logged_run import LoggedTurn


@dataclass
class _OpenTurn:
    thoughts: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    moment: str = ""

    def close(self) -> LoggedTurn:
        thoughts = [*self.thoughts, *(self.said if self.actions else ())]
        acts = self.actions or self.said
        return LoggedTurn("\n".join(thoughts), "\n".join(acts), "\n".join(self.results), self.moment)


@dataclass
class ChatTurns:
    """Collects a conversation: the first words of the user are the query, later ones are observations.

    A reply may come in parts: parts of the same `reply` make one turn. Results go to the turn that called.
    """

    calls: int = 0
    _told: list[str] = field(default_factory=list)
    _turns: list[_OpenTurn] = field(default_factory=list)
    _callers: dict[str, _OpenTurn] = field(default_factory=dict)
    _by_reply: dict[str, _OpenTurn] = field(default_factory=dict)
    _speaking: _OpenTurn = field(default_factory=_OpenTurn)

    @property
    def query(self) -> str:
        """What the user said before the model said anything."""
        return "\n\n".join(self._told)

    def reply(self, name: str = "", moment: str = "") -> None:
        """Begin a reply of the model, or go on with that of this name."""
        known = self._by_reply.get(name) if name else None
        if known is None:
            known = _OpenTurn(moment=moment)
            self._turns.append(known)
            if name:
                self._by_reply[name] = known
        self._speaking = known

    def think(self, words: str) -> None:
        if words.strip():
            self._speaking.thoughts.append(words)

    def say(self, words: str) -> None:
        if words.strip():
            self._speaking.said.append(words)

    def call(self, name: str, arguments: Json, call_id: str = "") -> None:
        """A call of a tool in the reply that is open."""
        self.calls += 1
        self._speaking.actions.append(show_call(name, arguments))
        if call_id:
            self._callers[call_id] = self._speaking

    def result(self, words: str, call_id: str = "") -> None:
        """What a tool gave back."""
        caller = self._callers.get(call_id) or (self._turns[-1] if self._turns else None)
        if caller is not None:
            caller.results.append(words)

    def tell(self, words: str) -> None:
        """What the user said: the query where it is the first, else what came back to the last turn."""
        if not words.strip():
            return
        if self._turns:
            self._turns[-1].results.append(words)
        else:
            self._told.append(words)

    def turns(self) -> tuple[LoggedTurn, ...]:
        """All turns that say or do something."""
        closed = (turn.close() for turn in self._turns)
        return tuple(turn for turn in closed if turn.action or turn.thought)


def show_call(name: str, arguments: Json) -> str:
    """A call as one text: the command of a shell alone, else `name(arguments)`."""
    given = arguments
    if isinstance(arguments, dict):
        shell = [text(arguments.get(key)) for key in ("command", "cmd")]
        if name.lower() in SHELLS and any(shell):
            return next(filter(None, shell))
        given = compact(arguments)
    return f"{name}({compact(given)})"


SHELLS = ("bash", "shell", "exec_command", "local_shell", "execute_bash", "run_shell_command")


def words_of(content: Json) -> str:
    """The texts of a message's content: a text, or a list of blocks."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    return "\n".join(filter(None, (_block_words(block) for block in entries(content))))


def _block_words(block: Json) -> str:
    if isinstance(block, str):
        return block
    parts = fields(block)
    for key in ("text", "input_text", "output_text", "refusal"):
        if isinstance(parts.get(key), str):
            return str(parts[key])
    kind = text(parts.get("type"))
    if "image" in kind or "audio" in kind or kind in ("document", "file"):
        return f"[{kind}]"
    return words_of(parts["content"]) if "content" in parts else ""
