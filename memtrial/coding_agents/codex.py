"""Codex, of OpenAI (Apache-2.0)."""

import json

from memtrial.coding_agents.agent_record import AgentRecord, AgentStart, AgentUsage, Launch, MemoryPlace
from memtrial.coding_agents.usage_lines import add_counts, list_events, take_count

KEY = "MEMTRIAL_TOKEN"
SERVER_START_S, TOOL_S = 120, 600
"""How long it waits for a server of tools to start, and for the answer of a tool."""
LARGEST_MEMORY = 10_000_000
"""Bytes of AGENTS.md that are read; by default it is cut after 32 KiB."""


def launch_codex(start: AgentStart) -> Launch:
    """Start it without a terminal, asking nobody for permission."""
    quoted = {"model": start.model, "url": f"{start.connection.url}/v1"}
    written = {name: json.dumps(text) for name, text in quoted.items()}
    lines = [
        f"model = {written['model']}",
        'model_provider = "memtrial"',
        f"project_doc_max_bytes = {LARGEST_MEMORY}",
        "check_for_update_on_startup = false",
        "[analytics]",
        "enabled = false",
        "[model_providers.memtrial]",
        'name = "memtrial"',
        f"base_url = {written['url']}",
        f'env_key = "{KEY}"',
        'wire_api = "responses"',
        "request_max_retries = 1",
        "stream_max_retries = 1",
    ]
    if start.server is not None:
        program, *rest = start.server.words
        lines += [
            f"[mcp_servers.{json.dumps(start.server.name)}]",
            f"command = {json.dumps(program)}",
            f"args = {json.dumps(rest)}",
            # else its model is asked before a slow server has said which tools there are
            "required = true",
            f"startup_timeout_sec = {SERVER_START_S}",
            f"tool_timeout_sec = {TOOL_S}",
        ]
    unbounded = ("--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
    return Launch(
        ("codex", "exec", "--json", *unbounded, start.task),
        {"CODEX_HOME": str(start.home / ".codex"), KEY: start.connection.token},
        {".codex/config.toml": "\n".join([*lines, ""])},
    )


def read_codex_usage(output: str) -> AgentUsage:
    """Of the turns that were completed; `input_tokens` holds those read from the cache. No dollars."""
    turns = [event.get("usage") for event in list_events(output) if event.get("type") == "turn.completed"]
    names = ("input_tokens", "output_tokens")
    tokens = [add_counts([take_count(usage, name) for usage in turns]) for name in names]
    return AgentUsage(tokens[0], tokens[1])


CODEX = AgentRecord(
    name="codex",
    program="codex",
    install="npm install -g @openai/codex@0.169.0",
    pinned="0.169.0",
    seen="2026-11-27",
    api="openai responses",
    carriers=("prompt", "file", "marker", "mcp"),
    places=(
        # AGENTS.override.md is read in place of AGENTS.md where both are there
        MemoryPlace("AGENTS.md", "instructions", ("AGENTS.override.md",)),
        MemoryPlace("AGENTS.override.md", "instructions", ("AGENTS.md",)),
        MemoryPlace(".agents/skills/*/SKILL.md", "skill"),
    ),
    launch=launch_codex,
    read_usage=read_codex_usage,
    transcript=".codex/sessions/*/*/*/*.jsonl",
    refusal_status=400,
)
