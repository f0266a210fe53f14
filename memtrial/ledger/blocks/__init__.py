"""How the trials of a block ended, counted and kept together, for who looks at many of them."""
