"""Commands of any make, run in a folder of their own and within bounds, so that nothing of them is left."""
