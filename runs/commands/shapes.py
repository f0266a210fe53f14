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
    "cluster": "what makes tasks hang together; empty: the task stands for itself",
    "error": "1 where the infrastructure failed, else 0",
}

RESULTS: dict[str, str] = {
    "name": "the spec's name",
    "question": "the spec's question",
    "seed": "of the run",
    "simulated": "true: calibrates the instrument, no evidence about any language model",
    "control": "whose native prompts ran: upstream's, unverified, or our own wording",
    "world": "where was played",
    "outcome": "success, or score: what the estimates are means of",
    "status": "confirmatory | exploratory",
    "backbones": "in the order of the plan",
    "arms": "in the order of the plan, none first",
    "conditions": "kinds of damage, in the order of the plan",
    "tasks": "test tasks",
    "repeats": "of each cell",
    "margin": "of the equivalence tests, in points of score",
    "alpha": "of the families of tests",
    "cluster": "the unit of inference: task | record | family",
    "verdicts": "{backbone: {arm: {condition: verdict}}} on drops",
    "utility": "{backbone: {arm: helps | none | harms | inconclusive}}",
    "hypotheses": "[{treatment, control, condition, backbone, verdict}]: the primary contrasts",
    "estimates": "[{estimand, backbone, arm, versus, condition, n_tasks, n_clusters, estimate, low, high, p,"
    " p_adjusted, verdict, reason, ...}]",
    "cells": "[{backbone, arm, condition, n_trials, n_errors, score}]",
    "errors": "{arm: errors of the infrastructure}, which are in no mean",
    "attrition": "errors by arm and cell with their causes, and what they could have changed at worst",
    "agent_failures": "failures of the agent by their cause; they count as failures",
    "delivery": "requests in which memory was meant to stand, and those in which it did not",
    "empty_slots": "{arm: share of intact trials without an item to show}",
    "manipulation": "[{arm, condition, n, applicable, passed, ...}]: checks of the damage",
    "firings": "[{backbone, arm, condition, shown, shadow}]: shares of trials in which a Trigger held",
    "condensation": "[{backbone, condenser, traces, items, dropped, faults, ...}]",
    "shared_cells": "sentences: which cells answered from the same prompts",
    "examples": "worked examples: a slot before and after damage, and what the agent did",
    "notes": "sentences that hold for the run as a whole, the worst first",
    "cost": "{arm: {calls, input_tokens, output_tokens, usd, ...}}",
    "preparation": "what collecting, condensing and judging cost",
    "models": "models as asked for and as they answered",
    "digests": "sha256 of every text, file and memory that determines what was sent",
    "reproduce": "the commands",
}

LEDGER: dict[str, str] = {
    "facts": "what is stated once: identity, plan (JSON)",
    "traces": "collected trajectories, as trace lines",
    "condensations": "what each condenser made of each trajectory (JSON)",
    "slots": "texts of slots by sha256",
    "checks": "manipulation checks, one a damaged slot (JSON)",
    "trials": "how each trial ended; a further attempt only after an error (JSON)",
    "episodes": "what was said in each trial: zlib of JSON with conversation, steps, calls",
    "recollections": "what a memory system of your own recalled for each task (JSON)",
    "sessions": "`run` commands: what was set for each (JSON)",
    "session_ends": "how each of them ended; none where the process was killed",
    "calls": "answered calls: key, model asked and answered, reply, tokens, cost, what it was for",
    "sends": "requests about to be sent, before they were; `at` in seconds of Unix time",
    "send_faults": "requests that brought no answer, by kind",
    "batches": "requests that went out in a message batch",
}
