"""How far an item is trusted: what it begins with, what uses of it show, and whether the figure holds."""
