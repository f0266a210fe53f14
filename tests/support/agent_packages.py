"""The npm packages of the agents that the tests play by default: `make agents` installs what this prints."""

from memtrial.coding_agents.shipped_agents import find_agent

PLAYED = ("claude", "codex")
"""The quick ones: a trial of the others costs half a minute of processor time."""


def name_packages() -> list[str]:
    """The packages with their pinned versions, as npm takes them."""
    return [find_agent(name).install.split()[-1] for name in PLAYED]


if __name__ == "__main__":
    print(*name_packages())
