"""Figures for a paper: one column wide, told apart by shape and grey."""
