"""Answers to questions: read as models write them, then compared with the right ones."""
