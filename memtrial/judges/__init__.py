"""Closed questions to a model, answered with quoted evidence."""
