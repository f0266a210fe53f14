"""The npm packages that tests use: the agents that they play by default, and what looks through pages for
those who cannot see them. `make agents` installs what this prints."""

from pathlib import Path

from memtrial.coding_agents.shipped_agents import find_agent

PLAYED = ("claude", "codex")
"""The quick ones: a trial of the others costs half a minute of processor time."""
AXE = "axe-core@4.14.1"
AXE_SCRIPT = Path(__file__).parents[2] / ".clients" / "node_modules" / "axe-core" / "axe.min.js"


def name_packages() -> list[str]:
    """The packages with their pinned versions, as npm takes them."""
    return [find_agent(name).install.split()[-1] for name in PLAYED]


if __name__ == "__main__":
    print(*name_packages(), AXE)
