"""The conformance laws that check tries on a user's own member."""
