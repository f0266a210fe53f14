"""The forms in which chosen items reach an agent."""
