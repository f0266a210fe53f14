"""Secrets, and addresses of persons and machines, are taken out of a text before it is written."""
