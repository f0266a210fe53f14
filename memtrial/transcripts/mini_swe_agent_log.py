"""Trajectories of mini-swe-agent: `….traj.json`, or what `-o` names.

`exit_status` says how the agent ended, `Submitted` that it ended by itself; neither says that anything was
solved. What a test suite says stands in a report of its own: pass it as `--outcomes`.
"""

from pathlib import Path

from memtrial.transcripts.chats.chat_turns import ChatTurns
from memtrial.transcripts.chats.openai_messages import take_messages
from memtrial.transcripts.log_question import LogQuestion
from memtrial.transcripts.log_text import Json, entries, fields, objects_of, reach, text
from memtrial.transcripts.logged_run import LoggedRun, LogReading, LogRemainder
from memtrial.transcripts.stated_outcome import read_outcome


def sniff(objects: tuple[dict[str, Json], ...]) -> bool:
    """A trajectory."""
    first = fields(objects[0]) if objects else {}
    info = fields(first.get("info"))
    by_name = text(first.get("trajectory_format")).startswith("mini-swe-agent")
    return by_name or ("exit_status" in info and isinstance(first.get("messages"), list))


def read(path: Path, asked: LogQuestion) -> LogReading:
    """A run for each trajectory, one in most files."""
    runs, left, records = [], LogRemainder(), 0
    for where, record in objects_of(path):
        records += 1
        chat = ChatTurns()
        take_messages([_with_calls(message) for message in entries(record.get("messages"))], chat, left)
        info = fields(record.get("info"))
        given = text(info.get("task")) or _task_in(chat.query, info)
        name = text(record.get("instance_id")) or text(info.get("instance_id"))
        outcome, score = (
            read_outcome(reach(record, asked.field), where, asked.success_from) if asked.field else ("", None)
        )
        if not chat.turns():
            left.note("records without a reply of the model")
            continue
        status = text(info.get("exit_status"))
        hints = (f"info.exit_status ({status}: how the agent ended, not what it solved)",) if status else ()
        fallback = path.name.removesuffix(".json").removesuffix(".traj")
        runs.append(
            LoggedRun(
                name or fallback, name, given, chat.turns(), outcome,
                f"field {asked.field}" if outcome else "", score, hints=hints,
            )
        )  # fmt: skip
    return LogReading(tuple(runs), records, left.counts)


def _task_in(query: str, info: dict[str, Json]) -> str:
    """The task within the first message, where the template around it is in the file."""
    template = text(reach(info, "config.agent.instance_template"))
    before, mark, after = template.partition("{{task}}")
    tail = after.partition("{")[0].rstrip()
    if not mark or not query.startswith(before.lstrip()) or "{" in before:
        return query
    inner = query[len(before.lstrip()) :]
    return inner.partition(tail)[0].strip() if tail and tail in inner else inner.strip()


def _with_calls(message: Json) -> Json:
    """A reply whose commands stand beside its text, with them as its calls."""
    parts = fields(message)
    commands = [
        text(action) or text(fields(action).get("command"))
        for action in entries(fields(parts.get("extra")).get("actions"))
    ]
    if parts.get("tool_calls") or not any(commands):
        return message
    calls = [{"function": {"name": "bash", "arguments": {"command": command}}} for command in commands]
    return {**parts, "tool_calls": calls}
