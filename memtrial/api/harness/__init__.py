"""A run whose trials a harness of the user's plays."""
