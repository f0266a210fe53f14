"""Estimands: linear contrasts of cell means, and their families."""
