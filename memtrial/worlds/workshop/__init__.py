"""A small text world of machines with hidden rules. It exists to calibrate the instrument."""
