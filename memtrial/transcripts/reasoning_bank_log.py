"""Runs of ReasoningBank on WebArena: a folder a task, with `step_….pkl.gz`, `summary_info.json` and verdicts.

`cum_reward` is the environment's; `<model>_autoeval.json` is a model's judgement, and now and then another.
The environment's is taken where it is there, unless the other is asked for. A bank's records are read as
well: they hold thoughts, actions and a status.
"""

import re
from math import isfinite
from pathlib import Path

from memtrial.transcripts.log_question import LogQuestion
from memtrial.transcripts.log_text import (
    Json,
    compact,
    entries,
    fields,
    load,
    objects_of,
    open_plain,
    text,
    unpack,
)
from memtrial.transcripts.logged_run import (
    LogFault,
    LoggedRun,
    LoggedTurn,
    LogReading,
    LogRemainder,
    StatedOutcome,
)
from memtrial.transcripts.packed.pickle_values import read_pickle
from memtrial.transcripts.stated_outcome import read_outcome

_STEP = re.compile(r"step_(\d{1,6})\.pkl\.gz")
SUMMARY, JUDGED = "summary_info.json", "_autoeval.json"
REWARD, AUTOEVAL = "cum_reward", "autoeval"
_TAGS = re.compile(r"</?think>")


def is_task_folder(names: list[str]) -> bool:
    """A folder with files of these names is that of one task."""
    return any(_STEP.fullmatch(name) for name in names) or (SUMMARY in names and "experiment.log" in names)


def sniff(objects: tuple[dict[str, Json], ...]) -> bool:
    """Records of a bank."""
    return any(isinstance(entry.get("think_list"), list) and "action_list" in entry for entry in objects)


def read(path: Path, asked: LogQuestion) -> LogReading:
    """The run of a folder, or the runs of a bank's records.

    Raises:
        LogFault: damaged, no text of the task, or verdicts of several models and none is asked for.
    """
    return _read_folder(path, asked) if path.is_dir() else _read_bank(path)


def _read_bank(path: Path) -> LogReading:
    left, runs, records = LogRemainder(), [], 0
    for where, record in objects_of(path):
        records += 1
        pairs = zip(entries(record.get("think_list")), entries(record.get("action_list")), strict=False)
        turns = tuple(LoggedTurn(text(thought), text(action)) for thought, action in pairs)
        if not turns:
            left.note("records without steps")
            continue
        outcome, score = read_outcome(record.get("status"), where)
        task = text(record.get("task_id"))
        runs.append(
            LoggedRun(
                f"{path.stem}/{task or records}", task, text(record.get("query")), turns, outcome,
                "field status, by the criterion of its own run" if outcome else "", score,
                family=f"template {record['template_id']}" if "template_id" in record else "",
            )
        )  # fmt: skip
    return LogReading(tuple(runs), records, left.counts)


def _read_folder(folder: Path, asked: LogQuestion) -> LogReading:
    names = sorted(entry.name for entry in folder.iterdir())
    numbered = [(int(match[1]), name) for name in names if (match := _STEP.fullmatch(name))]
    steps = [name for _, name in sorted(numbered)]
    left, seen = LogRemainder(), list[tuple[LoggedTurn, str]]()
    goal, start = "", ""
    for name in steps:
        where = f"{folder / name}"
        open_plain(folder / name)
        step = fields(read_pickle(unpack((folder / name).read_bytes(), where), where))
        agent, view = fields(step.get("agent_info")), fields(step.get("obs"))
        page = text(view.get("axtree_txt"))
        goal, start = goal or text(view.get("goal")), start or page
        if seen:
            seen[-1] = (seen[-1][0], page)
        action = text(agent.get("action")) or text(step.get("action"))
        if not action:
            left.note("steps without an action")
            continue
        seen.append((LoggedTurn(_thought_of(agent), action), ""))
    turns = tuple(LoggedTurn(turn.thought, turn.action, page) for turn, page in seen)
    if not turns:
        left.note("folders without a step")
        return LogReading((), len(steps), left.counts)
    task = _task_of(folder)
    query, family = _query_of(folder, task)
    query = query or goal
    if not query:
        raise LogFault(
            f"{folder}: the text of the task is needed; no config_files/{task}.json is beside the results"
        )
    outcome, score, source, reason = _outcome_of(folder, names, asked, left)
    run = LoggedRun(
        folder.name, task, query, turns, outcome, source, score, reason, family=family, start=start,
    )  # fmt: skip
    return LogReading((run,), len(steps), left.counts)


def _thought_of(agent: dict[str, Json]) -> str:
    """As upstream takes it: `think`, else what the reply says before its action."""
    if thought := text(agent.get("think")):
        return thought
    messages = entries(agent.get("chat_messages"))
    reply = messages[2] if len(messages) > 2 else ""
    words = text(reply) or text(fields(reply).get("content"))
    before, mark, _ = words.partition("<action>")
    return _TAGS.sub("", before).strip() if mark else ""


def _task_of(folder: Path) -> str:
    """`47` of `webarena.47`, and of `2026-01-01_agent_on_webarena.47_0`."""
    match = re.search(r"webarena\.(\d{1,9})", folder.name)
    return match[1] if match else folder.name


def _query_of(folder: Path, task: str) -> tuple[str, str]:
    for above in list(folder.parents)[:4]:
        config = above / "config_files" / f"{task}.json"
        if config.is_file():
            held = fields(load(config.read_bytes(), str(config)))
            family = held.get("intent_template_id")
            return text(held.get("intent")), f"template {family}" if family is not None else ""
    return "", ""


def _outcome_of(
    folder: Path, names: list[str], asked: LogQuestion, left: LogRemainder
) -> tuple[StatedOutcome, float | None, str, str]:
    """What the environment says, or a model's judgement where that is asked for or all that there is."""
    summary = fields(load((folder / SUMMARY).read_bytes(), str(folder / SUMMARY))) if SUMMARY in names else {}
    judges = [name for name in names if name.endswith(JUDGED)]
    reward = summary.get(REWARD)
    if reward is not None and not (isinstance(reward, int | float) and isfinite(reward)):
        raise LogFault(f"{folder / SUMMARY}: {REWARD} is a number; got {compact(reward)[:40]}")
    wanted = asked.field or (REWARD if reward is not None else AUTOEVAL)
    rewarded = None if reward is None else reward == 1
    own = [
        name for name in judges if asked.field in (AUTOEVAL, "", REWARD) or name == f"{asked.field}{JUDGED}"
    ]
    if wanted != REWARD and len(own) > 1:
        models = [name.removesuffix(JUDGED) for name in own]
        raise LogFault(f"{folder}: judgements of several models; say whose: --outcome-field {models[0]}")
    judged = _judgement(folder / own[0]) if len(own) == 1 else {}
    verdict = judged.get("rm")
    if isinstance(verdict, bool) and rewarded is not None and verdict != rewarded:
        left.note("runs whose cum_reward and autoeval disagree", 1)
    if wanted == REWARD:
        if reward is None:
            return "", None, "", ""
        return (
            ("success" if rewarded else "failure"),
            min(max(float(reward), 0.0), 1.0),
            "cum_reward, of the environment",
            "",
        )
    if not isinstance(verdict, bool):
        return "", None, "", ""
    source = f"{own[0]}, a model's judgement"
    return ("success" if verdict else "failure"), None, source, text(judged.get("thoughts"))


def _judgement(path: Path) -> dict[str, Json]:
    held = load(path.read_bytes(), str(path))
    return fields(held[0]) if isinstance(held, list) and held else fields(held)
