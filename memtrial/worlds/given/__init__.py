"""Tasks that somebody gave: rows of a file, a frame or a list, which their agent's own code scores."""
