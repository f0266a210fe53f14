"""Users' own members, named as path/to/module.py:Object, with their errors translated."""
