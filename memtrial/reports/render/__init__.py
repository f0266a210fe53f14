"""HTML, Markdown and terminal renderers."""
