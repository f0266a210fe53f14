"""The run folder, opened for playing or for reading, and the digest of the code that plays."""
