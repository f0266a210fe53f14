"""The run folder, opened for playing or for reading."""
