"""The model client: every call is looked up, sent, counted and saved."""
