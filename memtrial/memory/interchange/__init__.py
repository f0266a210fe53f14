"""Banks of ReasoningBank's released code, read and written in its own form."""
