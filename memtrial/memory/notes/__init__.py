"""Files that people write by hand for agents, as `CLAUDE.md`: their blocks, sections and items."""
