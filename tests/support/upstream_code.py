"""ReasoningBank's own statements, from its sources, run on a bank: which record it selects, what it injects.

    python -m tests.support.upstream_code FOLDER webarena|swe BANK

FOLDER holds the four sources, the working directory `memories/` or `memory/` with the bank; queries come as a
JSON list on standard input. Its clients are the shipped stand-ins, and `torch` is numpy.
"""

import ast
import json
import logging
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from memtrial.api.interchange.gemini_stand_in import stand_in_for_gemini

SOURCES = {
    "webarena": ("WebArena/memory_management.py", "WebArena/run.py", "WebArena/agents/legacy/agent.py"),
    "swe": (
        "third_party/src/minisweagent/memory/memory_management.py",
        "third_party/src/minisweagent/run/extra/swebench.py",
        "third_party/src/minisweagent/agents/default.py",
    ),
}
SYSTEM = "SYSTEM"


def stand_in_for_torch() -> None:
    torch, functional, nn = ModuleType("torch"), ModuleType("torch.nn.functional"), ModuleType("torch.nn")
    torch.Tensor, torch.float32, torch.nn = np.ndarray, np.float32, nn  # type: ignore[attr-defined]
    torch.tensor = lambda rows, dtype: np.asarray(rows, dtype)  # type: ignore[attr-defined]
    torch.empty = np.empty  # type: ignore[attr-defined]

    def normalize(rows: Any, p: int, dim: int) -> Any:
        return rows / np.maximum(np.linalg.norm(rows, p, dim, keepdims=True), 1e-12)

    functional.normalize, nn.functional = normalize, functional  # type: ignore[attr-defined]
    sys.modules |= {"torch": torch, "torch.nn": nn, "torch.nn.functional": functional}


def body_of(source: str, function: str) -> list[ast.stmt]:
    nodes = ast.walk(ast.parse(source))
    return next(node.body for node in nodes if isinstance(node, ast.FunctionDef) and node.name == function)


def run(statements: list[ast.stmt], names: dict[str, Any]) -> dict[str, Any]:
    module = ast.Module(statements, type_ignores=[])
    exec(compile(ast.fix_missing_locations(module), "upstream", "exec"), names)
    return names


def ask_webarena(sources: list[str], site: str, query: str, task: str, names: dict[str, Any]) -> str:
    """What follows the system prompt of a WebArena task."""
    Path("config_files").mkdir(exist_ok=True)
    Path(f"config_files/{task}.json").write_text(json.dumps({"intent": query}))
    args = SimpleNamespace(memory_path=f"memories/{task}/{site}.txt", task_name=f"webarena.{task}")
    statements = [node for node in body_of(sources[1], "main") if "memory_path" in ast.unparse(node)][:1]
    ensure = ast.parse(sources[1]).body
    defined = [node for node in ensure if isinstance(node, ast.FunctionDef) and node.name == "ensure_file"]
    run([*defined, *statements], names | {"args": args})
    flags = SimpleNamespace(flags=SimpleNamespace(memory_path=args.memory_path))
    shown = [node for node in body_of(sources[2], "get_action") if "memory_path" in ast.unparse(node)]
    return str(run(shown, {"self": flags, "sys_msg": SYSTEM})["sys_msg"]).removeprefix(SYSTEM)


def ask_swe(sources: list[str], site: str, query: str, task: str, names: dict[str, Any]) -> str:
    """What follows the system prompt of a SWE task."""
    body = body_of(sources[1], "process_instance")
    words = [ast.unparse(node) for node in body]
    first = next(at for at, text in enumerate(words) if "memory" in text and ".exists(" in text)
    last = next(at for at, text in enumerate(words) if "selected_memory = ''" in text)
    model = SimpleNamespace(config=SimpleNamespace(model_name=site))
    asked = names | {"model": model, "task": query, "instance_id": task}
    selected = run(body[first : last + 1], asked)["selected_memory"]
    agent = SimpleNamespace(
        extra_template_vars={},
        config=SimpleNamespace(system_template=""),
        render_template=lambda _: SYSTEM,
    )
    shown = [node for node in body_of(sources[2], "run") if isinstance(node, ast.If)]
    made = run(shown, {"self": agent, "selected_memory": selected})["system_message"]
    return str(made).removeprefix(SYSTEM)


def main(folder: Path, form: str, site: str) -> None:
    stand_in_for_torch()
    stand_in_for_gemini()
    sources = [(folder / name).read_text(encoding="utf-8") for name in SOURCES[form]]
    management: dict[str, Any] = {"__name__": "memory_management"}
    exec(compile(sources[0], SOURCES[form][0], "exec"), management)
    chosen: list[list[str]] = []

    def select_memory(*args: Any, **named: Any) -> Any:
        records = management["select_memory"](*args, **named)
        chosen.append([record["task_id"] for record in records])
        return records

    names = {"select_memory": select_memory, "json": json, "os": __import__("os")}
    ask = ask_webarena if form == "webarena" else ask_swe
    logging.disable()
    shown = [ask(sources, site, query, f"new{n}", names) for n, query in enumerate(json.load(sys.stdin))]
    json.dump({"records": chosen, "shown": shown}, sys.stdout)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
