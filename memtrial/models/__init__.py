"""Language models and embedders behind one call each; the only room on the network."""
