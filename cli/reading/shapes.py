"""What the files of a run hold, key by key, in words."""

from __future__ import annotations

from typing import Literal

Kind = Literal["text", "whole", "number", "flag", "json"]

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

OUTCOMES: dict[str, tuple[Kind, str]] = {
    "task": ("text", "the task played; shared by arms, conditions and backbones"),
    "arm": ("text", "none, or how memory was made and shown"),
    "condition": ("text", "without (arm none), intact, or the kind of damage"),
    "repeat": ("whole", "counted from 0; unique with backbone, arm, condition and task"),
    "score": ("number", "in [0, 1]; empty where the infrastructure failed"),
    "success": ("whole", "1, or 0 where the agent failed; empty where the infrastructure failed"),
    "backbone": ("text", "the language model that played"),
    "cluster": ("text", "what correlates tasks; empty: the task is independent"),
    "error": ("whole", "1 where the infrastructure failed, else 0"),
}
