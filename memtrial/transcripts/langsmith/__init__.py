"""Runs of LangSmith in the forms in which it gives them out."""
