"""Files that people write by hand for agents, as `CLAUDE.md` or `SKILL.md`: their blocks, sections and items."""
