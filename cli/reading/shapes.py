"""What the files of a run hold, key by key, in words."""

from __future__ import annotations

TRACE: dict[str, str] = {
    "trace_id": "text, unique in the file",
    "task_id": "text: the source task",
    "query": "text: the task as the agent was told it; retrieval goes by it",
    "outcome": "success | failure",
    "start": "text, optional: the observation before the first action",
    "family": "text, optional: the kind of task; donors of foreign text come from another one",
    "score": "number in [0, 1], optional: the world's dense score",
    "steps": "list of {thought, action, observation} and, optional, fault: format | refused | refusal",
}

OUTCOME: dict[str, str] = {
    "task": "the task played; shared by arms, conditions and backbones",
    "arm": "none, or how memory was made and shown",
    "condition": "without (arm none), intact, or the kind of damage",
    "repeat": "counted from 0; unique with backbone, arm, condition and task",
    "score": "in [0, 1]; empty where the infrastructure failed",
    "success": "1, or 0 where the agent failed; empty where the infrastructure failed",
    "backbone": "the language model that played",
    "cluster": "what correlates tasks; empty: the task is independent",
    "error": "1 where the infrastructure failed, else 0",
}

LEDGER: dict[str, str] = {
    "facts": "what is stated once: identity, plan, lock, amendments, looks, unmasked looks (JSON)",
    "traces": "collected trajectories, as trace lines",
    "condensations": "what each condenser made of each trajectory (JSON)",
    "slots": "texts of slots by sha256",
    "checks": "manipulation checks, one a damaged slot (JSON)",
    "decisions": "what a judge said that a slot advises, `nth` 0 and 1 (JSON)",
    "trials": "how each trial ended; a further attempt only after an error, or where it was set aside (JSON)",
    "episodes": "what was said in each trial: zlib of JSON with conversation, steps, calls",
    "recollections": "what a memory system of your own recalled for each task (JSON)",
    "sessions": "`run` commands: what was set for each (JSON)",
    "session_ends": "how each of them ended; none where the process was killed",
    "seals": "sha256 of every row of every other table, and a name for it",
    "set_aside": "rows, seals among them, that could not be trusted and do not count any more, and why",
    "calls": "answered calls: key, model asked and answered, reply, tokens, cost, what it was for",
    "sends": "requests about to be sent, before they were; `at` in seconds of Unix time",
    "send_faults": "requests that brought no answer, by kind",
    "batches": "requests that went out in a message batch",
    "shared_calls": "answers used again for a purpose that sorts before the one they were kept for",
}
