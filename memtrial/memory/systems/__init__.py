"""Memory systems that people use, by name, as memory stores: each is filled by its own writer."""
