"""Texts with secrets and without, as models write items. `~` is left out when they are read: no scanner of a
repository shall take an invented key for a real one.

The thirty of each in `FIRST_SIGHT` were written after the code; at first sight 27 of the 30 secrets went, and
none of the 30 plain texts was touched. The three that were missed are known now: a Docker token, the key of a weather service
in an address, a secret said once more without its name.
"""

Row = tuple[str, tuple[str, ...]]
"""A text, and what of it must be gone."""


