"""The forms in which a figure is written for a paper."""

from typing import Literal

Form = Literal["svg", "pdf", "png"]
