"""Runs exported from LangSmith, as a list, in lines or a table, flat or nested in `child_runs`.

All runs of one `trace_id` are one trajectory. `status: success` says that nothing was raised; feedback is an
outcome where the user names it.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from memtrial.transcripts.chats.chat_turns import ChatTurns, words_of
from memtrial.transcripts.langsmith.langsmith_table import runs_of_table, sniff_table
from memtrial.transcripts.log_question import LogQuestion
from memtrial.transcripts.log_text import Json, compact, entries, fields, head_of, objects_of, reach, text
from memtrial.transcripts.logged_run import LogFault, LoggedRun, LogReading, LogRemainder
from memtrial.transcripts.stated_outcome import look_for_outcomes, read_outcome

MOST_DEEP = 200


def sniff(objects: tuple[dict[str, Json], ...]) -> bool:
    """Runs."""
    runs = [run for entry in objects for run in (entry, *entries(entry.get("runs"))[:1])]
    return any("run_type" in run and ("inputs" in run or "parent_run_id" in run) for run in map(fields, runs))


def _records(path: Path) -> Iterator[tuple[str, dict[str, Json]]]:
    """The runs of a table, of lines, or of an answer of the API, which holds them in `runs`."""
    if sniff_table(head_of(path)):
        yield from runs_of_table(path)
        return
    for where, record in objects_of(path):
        held = entries(record.get("runs")) if "run_type" not in record else []
        yield from ((where, run) for run in held if isinstance(run, dict)) if held else ((where, record),)


def read(path: Path, asked: LogQuestion) -> LogReading:
    """A run for each trace. Raises LogFault: no such export, or `status` is asked for as an outcome."""
    if asked.field == "status":
        raise LogFault(
            f"{path}: status says whether anything was raised, and is no outcome; name another field"
        )
    left, runs = LogRemainder(), []
    traces = defaultdict[str, list[dict[str, Json]]](list)
    parents, flat = dict[str, str](), list[dict[str, Json]]()
    for where, record in _records(path):
        for run in _unnest(record, where, 0):
            left.records += 1
            flat.append(run)
            parents[compact(run.get("id"))] = compact(run.get("parent_run_id"))
    roots = _roots_of(parents)
    for run in flat:
        traces[text(run.get("trace_id")) or roots[compact(run.get("id"))]].append(run)
    for name, members in traces.items():
        made = _run_of(name, members, asked, left)
        if made is None:
            left.note("traces without a reply or a call")
        else:
            runs.append(made)
    return LogReading(tuple(runs), left.records, left.counts)


def _unnest(record: dict[str, Json], where: str, depth: int) -> Iterator[dict[str, Json]]:
    if depth > MOST_DEEP:
        raise LogFault(f"{where}: runs nested more than {MOST_DEEP} deep")
    yield record
    for child in entries(record.get("child_runs")):
        if isinstance(child, dict):
            inherited = {"parent_run_id": record.get("id"), "trace_id": record.get("trace_id")}
            yield from _unnest({**inherited, **child}, where, depth + 1)


def _roots_of(parents: dict[str, str]) -> dict[str, str]:
    """The run above which there is none, for each; in a circle the one that was come to first."""
    roots = dict[str, str]()
    for name in parents:
        passed = dict[str, None]()
        while name not in roots and name not in passed:
            passed[name] = None
            name = parents[name] if parents[name] in parents else name
        root = roots.get(name, name)
        roots.update(dict.fromkeys(passed, root))
    return roots


def _run_of(
    name: str, members: list[dict[str, Json]], asked: LogQuestion, left: LogRemainder
) -> LoggedRun | None:
    members = sorted(members, key=lambda run: (text(run.get("dotted_order")), text(run.get("start_time"))))
    known = {compact(run.get("id")) for run in members}
    root = next((run for run in members if compact(run.get("parent_run_id")) not in known), members[0])
    chat, asks = ChatTurns(), set[str]()
    for run in members:
        match run.get("run_type"):
            case "llm" | "chat_model":
                _take_model(run, chat, asks, left)
            case "tool" | "retriever":
                _take_tool(run, chat, asks)
    query = ask_of(root.get("inputs"))
    if not chat.turns() and (answer := ask_of(root.get("outputs"))):
        chat.reply()
        chat.say(answer)
    turns = chat.turns()
    if not turns:
        return None
    hints = [f"feedback_stats.{key}.avg" for key in fields(root.get("feedback_stats"))]
    hints += [f"outputs.{key}" for key in look_for_outcomes(fields(root.get("outputs")))]
    if root.get("status"):
        hints.append(f"status ({text(root['status'])}: whether anything was raised)")
    outcome, score = (
        read_outcome(reach(root, asked.field), f"trace {name}", asked.success_from)
        if asked.field
        else ("", None)
    )
    example = text(root.get("reference_example_id"))
    return LoggedRun(
        name, example, query or chat.query, turns, outcome, f"field {asked.field}" if outcome else "", score,
        hints=tuple(hints),
    )  # fmt: skip


def _take_model(run: dict[str, Json], chat: ChatTurns, asks: set[str], left: LogRemainder) -> None:
    if run.get("error"):
        left.note("calls of the model that failed")
        return
    chat.reply(moment=text(run.get("start_time")))
    message = _message_of(run.get("outputs"))
    more = fields(message.get("additional_kwargs"))
    calls = entries(message.get("tool_calls")) or entries(more.get("tool_calls"))
    words = words_of(message.get("content")) or text(message.get("text"))
    # a traced function that gives a text is no message
    chat.say(words or ("" if calls else ask_of(run.get("outputs"))))
    for call in calls:
        parts = fields(call)
        inner = fields(parts.get("function")) or parts
        chat.call(text(inner.get("name")), inner.get("args", inner.get("arguments")), text(parts.get("id")))
        asks.add(text(inner.get("name")))


def _take_tool(run: dict[str, Json], chat: ChatTurns, asks: set[str]) -> None:
    name = text(run.get("name")) or "tool"
    came = run.get("error") or run.get("outputs")
    call_id = text(reach(came, "output.tool_call_id")) or text(reach(came, "tool_call_id"))
    if name not in asks:
        chat.reply(moment=text(run.get("start_time")))
        given = run.get("inputs")
        chat.call(name, reach(given, "input") or given)
    chat.result(ask_of(came) or compact(came), call_id)


def _message_of(outputs: Json) -> dict[str, Json]:
    """The message of a reply, in any of the forms that LangChain and OpenAI's wrapper write."""
    value = outputs
    for _ in range(8):
        if isinstance(value, list):
            value = value[-1] if value else None
            continue
        parts = fields(value)
        inner = next(
            (
                parts[key]
                for key in ("generations", "message", "kwargs", "messages", "choices", "output", "data")
                if isinstance(parts.get(key), list | dict) and parts[key]
            ),
            None,
        )
        if inner is None or "tool_calls" in parts or ("content" in parts and "message" not in parts):
            return parts if isinstance(value, dict) else {"content": value}
        value = inner
    return fields(value)


def ask_of(values: Json) -> str:
    """The text that inputs or outputs are about: the one that is there, or that of a usual name."""
    if isinstance(values, str):
        return values
    parts = fields(values)
    for key in (
        "input",
        "question",
        "query",
        "task",
        "prompt",
        "goal",
        "output",
        "answer",
        "content",
        "text",
    ):
        if isinstance(parts.get(key), str):
            return str(parts[key])
    for key in ("messages", "input", "output"):
        if key in parts and (words := _first_words(parts[key])):
            return words
    texts = [value for value in parts.values() if isinstance(value, str)]
    return texts[0] if len(texts) == 1 else ""


def _first_words(messages: Json) -> str:
    while isinstance(messages, list) and messages and isinstance(messages[0], list):
        messages = messages[0]
    for message in entries(messages) if isinstance(messages, list) else [messages]:
        parts = fields(message)
        inner = fields(parts.get("kwargs")) or fields(parts.get("data")) or parts
        kind = text(parts.get("role")) or text(parts.get("type")) or text(inner.get("type"))
        named = parts.get("id")
        if kind in ("system", "SystemMessage") or "SystemMessage" in entries(named):
            continue
        if words := words_of(inner.get("content")):
            return words
    return ""
