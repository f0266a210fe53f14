"""opencode (MIT)."""

import json

from memtrial.coding_agents.agent_record import AgentRecord, AgentStart, AgentUsage, Launch, MemoryPlace
from memtrial.coding_agents.usage_lines import add_counts, list_events, take_count, take_dollars

PROVIDER, PINNED = "memtrial", "1.18.33"
TASK_FILE = "task.txt"
"""The task comes by standard input: of an argument, each quotation mark would get a backslash."""
SERVER_START_MS = 120_000
SWITCHED_OFF = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "OPENCODE_DISABLE_SHARE": "1",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    # with it, CLAUDE.md would be read where AGENTS.md is missing, and skills of `.claude`, too
    "OPENCODE_DISABLE_CLAUDE_CODE": "1",
}
PLACE = ".config/opencode"
LOCKS = ("package-lock.json", "node_modules/.package-lock.json")
"""They say that the package for plugins, of which none is loaded, is there: else each home would fetch it."""
LOCKED = json.dumps({"packages": {"": {"dependencies": {"@opencode-ai/plugin": PINNED}}}})
FOLDERS = {
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_CACHE_HOME": ".cache",
    "XDG_STATE_HOME": ".local/state",
}


def launch_opencode(start: AgentStart) -> Launch:
    """Start it without a terminal. The model is asked for a title of the session, too: one request more."""
    options = {"baseURL": f"{start.connection.url}/v1", "apiKey": start.connection.token}
    provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {start.model: {}}}
    config: dict[str, object] = {
        "model": f"{PROVIDER}/{start.model}",
        "provider": {PROVIDER: provider},
        "share": "disabled",
        "autoupdate": False,
        "permission": {"edit": "allow", "bash": "allow", "webfetch": "deny"},
    }
    if start.server is not None:
        command = list(start.server.words)
        config["mcp"] = {start.server.name: {"type": "local", "command": command, "timeout": SERVER_START_MS}}
    folders = {name: str(start.home / path) for name, path in FOLDERS.items()}
    files = {f"{PLACE}/{name}": LOCKED for name in LOCKS}
    files |= {f"{PLACE}/opencode.json": json.dumps(config, indent=1), TASK_FILE: start.task}
    arguments = ("/bin/sh", "-c", 'exec opencode run --format json < "$0"', str(start.home / TASK_FILE))
    return Launch(arguments, {**SWITCHED_OFF, **folders}, files)


def read_opencode_usage(output: str) -> AgentUsage:
    """Of its steps, without the title, which it does not count. It knows no price of an unknown model."""
    steps = [event.get("part") for event in list_events(output) if event.get("type") == "step_finish"]
    parts = [part for part in steps if isinstance(part, dict)]
    counts = [part.get("tokens") for part in parts]
    costs = [cost for part in parts if (cost := take_dollars(part, "cost"))]
    tokens = {name: add_counts([take_count(count, name) for count in counts]) for name in ("input", "output")}
    return AgentUsage(tokens["input"], tokens["output"], sum(costs) if costs else None)


OPENCODE = AgentRecord(
    name="opencode",
    program="opencode",
    install=f"npm install -g opencode-ai@{PINNED}",
    pinned=PINNED,
    seen="2026-11-27",
    api="openai chat",
    carriers=("prompt", "file", "marker", "mcp"),
    places=(
        MemoryPlace("AGENTS.md", "instructions", ("CONTEXT.md",)),
        MemoryPlace("CONTEXT.md", "instructions", ("AGENTS.md",)),
        MemoryPlace(".opencode/skills/*/SKILL.md", "skill"),
        MemoryPlace(".agents/skills/*/SKILL.md", "skill"),
    ),
    launch=launch_opencode,
    read_usage=read_opencode_usage,
)
