"""One trial of a coding agent: a work tree with its memory in it, a process, its requests, a score."""
