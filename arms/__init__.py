"""Arm = condenser x injection: injections, the positive control, standard designs."""
