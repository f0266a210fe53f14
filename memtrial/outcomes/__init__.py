"""Outcome tables: anyone's trials in, one typed table out."""
