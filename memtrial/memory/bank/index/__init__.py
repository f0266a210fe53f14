"""Indexes of a bank's vectors: caches behind one door, made again from the log whenever they are lost."""
