"""The agents that people run whose records ship."""

from memtrial.coding_agents.agent_record import AgentRecord
from memtrial.coding_agents.claude_code import CLAUDE_CODE
from memtrial.coding_agents.codex import CODEX
from memtrial.coding_agents.mini_swe_agent import MINI_SWE_AGENT
from memtrial.coding_agents.opencode import OPENCODE
from memtrial.faults import SpecFault

SHIPPED_AGENTS: tuple[AgentRecord, ...] = (CLAUDE_CODE, CODEX, OPENCODE, MINI_SWE_AGENT)


def find_agent(name: str) -> AgentRecord:
    """The record of an agent; SpecFault for a name that none has."""
    for record in SHIPPED_AGENTS:
        if record.name == name:
            return record
    names = ", ".join(record.name for record in SHIPPED_AGENTS)
    raise SpecFault(f"agents with a record are {names}; got {name}; name one, or start yours as a command")
