"""Claude Code, of Anthropic. Its licence is its own: it is installed by who runs it, and never shipped."""

from memtrial.coding_agents.agent_record import AgentRecord, AgentStart, AgentUsage, Launch, MemoryPlace
from memtrial.coding_agents.usage_lines import add_counts, list_events, take_count, take_dollars

CONFIG = ".claude"
SERVERS = "memory_server.json"
SWITCHED_OFF = {
    # no traffic but requests to the model
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    # the status of git lists commits, and names the memory file where it was changed or removed
    "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS": "1",
    # a server that is broken would cost three minutes a trial
    "CLAUDE_CODE_MAX_RETRIES": "1",
    "MCP_TIMEOUT": "120000",  # milliseconds for a server of tools to start
    # lets it work as root; what it may do is bounded by whoever starts it
    "IS_SANDBOX": "1",
}


def launch_claude(start: AgentStart) -> Launch:
    """Start it without a terminal, asking nobody for permission."""
    variables = {
        **SWITCHED_OFF,
        "ANTHROPIC_BASE_URL": start.connection.url,
        "ANTHROPIC_API_KEY": start.connection.token,
        "CLAUDE_CONFIG_DIR": str(start.home / CONFIG),
    }
    if not start.memory:
        variables["CLAUDE_CODE_DISABLE_AUTO_MEMORY"] = "1"
    output = ("--output-format", "json", "--permission-mode", "bypassPermissions")
    arguments = ("claude", "-p", start.task, "--model", start.model, *output)
    if start.server is None:
        return Launch(arguments, variables, {})
    # strictly: no server of a work tree or of the user is started beside it
    options = ("--mcp-config", str(start.home / SERVERS), "--strict-mcp-config")
    return Launch((*arguments, *options), variables, {SERVERS: start.server.as_json()})


def read_claude_usage(output: str) -> AgentUsage:
    """Of its one line of JSON. It states dollars by its own prices."""
    results = [event for event in list_events(output) if event.get("type") == "result"]
    if not results:
        return AgentUsage()
    usage = results[-1].get("usage")
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return AgentUsage(
        add_counts([take_count(usage, name) for name in names]),
        take_count(usage, "output_tokens"),
        take_dollars(results[-1], "total_cost_usd"),
    )


# where there is no CLAUDE.md, nor CLAUDE.local.md, nor .claude/CLAUDE.md, it reads AGENTS.md, here and above
_AGENTS = ("AGENTS.md",)
CLAUDE_CODE = AgentRecord(
    name="claude",
    program="claude",
    install="npm install -g @anthropic-ai/claude-code@2.1.330",
    pinned="2.1.330",
    seen="2026-11-27",
    api="anthropic messages",
    carriers=("prompt", "file", "marker", "mcp"),
    places=(
        MemoryPlace("CLAUDE.md", "instructions", _AGENTS, hides_comments=True),
        MemoryPlace("CLAUDE.local.md", "instructions", _AGENTS, hides_comments=True),
        MemoryPlace(".claude/CLAUDE.md", "instructions", _AGENTS, hides_comments=True),
        MemoryPlace(".claude/rules/*.md", "instructions", hides_comments=True),
        MemoryPlace(".claude/skills/*/SKILL.md", "skill", fills_in=True),
        MemoryPlace(".claude/projects/*/memory/*.md", "memory folder"),
    ),
    launch=launch_claude,
    read_usage=read_claude_usage,
    read_above=("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "AGENTS.md"),
    transcript=".claude/projects/*/*.jsonl",
    refusal_status=403,
)
