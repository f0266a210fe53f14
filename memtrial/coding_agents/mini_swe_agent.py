"""mini-swe-agent (MIT). It reads no memory file: memory reaches it in its task alone."""

import json

from memtrial.coding_agents.agent_record import AgentRecord, AgentStart, AgentUsage, Launch
from memtrial.coding_agents.usage_lines import add_counts, take_count, take_dollars

TRAJECTORY = "trajectory.json"
SWITCHED_OFF = {
    "MSWEA_CONFIGURED": "true",
    "MSWEA_SILENT_STARTUP": "1",
    # it would end for a model without a known price
    "MSWEA_COST_TRACKING": "ignore_errors",
    # its library would fetch a list of prices
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
}


def launch_mini(start: AgentStart) -> Launch:
    """Start it without a terminal, asking nobody for permission; it prints nothing that can be read."""
    variables = {
        **SWITCHED_OFF,
        "OPENAI_API_KEY": start.connection.token,
        "OPENAI_BASE_URL": f"{start.connection.url}/v1",
        "MSWEA_GLOBAL_CONFIG_DIR": str(start.home / ".config/mini-swe-agent"),
    }
    output = ("-o", str(start.home / TRAJECTORY))
    arguments = ("mini", "-y", "--exit-immediately", "-m", f"openai/{start.model}", "-t", start.task, *output)
    return Launch(arguments, variables, {})


def read_mini_usage(trajectory: str) -> AgentUsage:
    """Of its trajectory, which is kept as a file; dollars where its library knows the model's price.

    `Submitted`, its exit status, says that it ended, and not that anything was solved.
    """
    try:
        fields = json.loads(trajectory)
    except (ValueError, RecursionError):
        return AgentUsage()
    messages = fields.get("messages") if isinstance(fields, dict) else None
    usages = [_find_usage(message) for message in messages] if isinstance(messages, list) else []
    names = ("prompt_tokens", "completion_tokens")
    tokens = [add_counts([take_count(usage, name) for usage in usages]) for name in names]
    info = fields.get("info") if isinstance(fields, dict) else None
    stats = info.get("model_stats") if isinstance(info, dict) else None
    return AgentUsage(tokens[0], tokens[1], take_dollars(stats, "instance_cost") or None)


def _find_usage(message: object) -> object:
    """What the model's reply says of its tokens; None in other messages."""
    extra = message.get("extra") if isinstance(message, dict) else None
    response = extra.get("response") if isinstance(extra, dict) else None
    return response.get("usage") if isinstance(response, dict) else None


MINI_SWE_AGENT = AgentRecord(
    name="mini-swe-agent",
    program="mini",
    install="pip install mini-swe-agent==2.4.6",
    pinned="2.4.6",
    seen="2026-11-27",
    api="openai chat",
    carriers=("prompt", "marker"),
    places=(),
    launch=launch_mini,
    read_usage=read_mini_usage,
    version_arguments=("--help",),
    transcript=TRAJECTORY,
)
