"""Which action an item advises, and which actions the world accepts."""
