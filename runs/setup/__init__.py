"""What is checked and opened before a run begins: design, roles, worlds, prices, client."""
