"""ScienceWorld: the real benchmark, played through the adapter of this package."""
