"""The laws that every condenser, gate, perturbation, world and memory system keeps, one kind a file."""
