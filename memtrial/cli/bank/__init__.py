"""Verbs on a ReasoningBank that is kept in a folder."""
