"""Estimates over several backbones or banks."""
