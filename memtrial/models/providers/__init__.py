"""Providers of models: how each is reached, and what its errors mean."""
