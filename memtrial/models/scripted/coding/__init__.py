"""The scripted server as a coding agent's model: it calls the tools of real clients, by a set disposition."""
