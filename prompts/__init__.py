"""Jinja2 templates, their digests, and the loader of the control's own prompt."""
