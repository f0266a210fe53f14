"""What of a slot is structure and what is text."""
