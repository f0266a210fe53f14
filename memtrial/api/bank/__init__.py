"""A ReasoningBank in a folder, for Python users and the command line."""
