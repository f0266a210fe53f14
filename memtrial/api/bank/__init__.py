"""The ReasoningBank of a folder, for people."""
