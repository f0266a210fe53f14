"""Lookups, number formats, escapes and word differences that all of a report uses."""
