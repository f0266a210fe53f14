"""A model's weights in a file on this machine, answered by a llama.cpp server that a run starts and ends."""
