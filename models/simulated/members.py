"""Model strings of simulated participants."""

from __future__ import annotations

from typing import Literal

from loadbearing.models.client.types import Backend, ModelFault, split_model
from loadbearing.models.simulated.decider import Decider
from loadbearing.models.simulated.examiner import Examiner
from loadbearing.models.simulated.participants import READING, Participant
from loadbearing.models.simulated.scribe import Scribe

Part = Literal["play", "condense", "judge", "decide"]

PARTS: dict[str, Part] = {
    "reader": "play",
    "skimmer": "play",
    "ignorer": "play",
    "gullible": "play",
    "startled": "play",
    "rejecter": "play",
    "knows-already": "play",
    "first-item-only": "play",
    "mixed-sign": "play",
    "talker": "play",
    "scribe": "condense",
    "examiner": "judge",
    "decider": "decide",
}
"""The participants there are, and what each can do."""


def open_simulated(model: str) -> Backend:
    """`simulated/<name>?k=v` → the participant.

    Raises:
        ModelFault: no such participant or setting.
    """
    _, name, settings = split_model(model)
    if name not in PARTS:
        raise ModelFault(f"no simulated participant {name!r}; there are {', '.join(PARTS)}")
    if name == "scribe":
        _refuse_unknown(model, settings, {"defects", "repair"})
        return Scribe(_share(model, settings, "defects", 0.3), _share(model, settings, "repair", 0.8))
    if name == "examiner":
        _refuse_unknown(model, settings, {"hit", "false_alarm"})
        return Examiner(_share(model, settings, "hit", 0.9), _share(model, settings, "false_alarm", 0.05))
    if name == "decider":
        _refuse_unknown(model, settings, {"hit", "noise"})
        return Decider(_share(model, settings, "hit", 0.95), _share(model, settings, "noise", 0.02))
    _refuse_unknown(model, settings, {"uptake", "instructed"} if name in READING else set())
    instructed = _share(model, settings, "instructed", 1.0) if "instructed" in settings else None
    return Participant(name, _share(model, settings, "uptake", 1.0), instructed)  # type: ignore[arg-type]


def _refuse_unknown(model: str, settings: dict[str, str], allowed: set[str]) -> None:
    unknown = sorted(set(settings) - allowed)
    if unknown:
        having = ", ".join(sorted(allowed)) or "none"
        raise ModelFault(f"{model!r} has no setting {', '.join(unknown)}; its settings: {having}")


def _share(model: str, settings: dict[str, str], name: str, default: float) -> float:
    try:
        value = float(settings.get(name, default))
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise ModelFault(f"{name} of {model!r} is a share in [0, 1]; got {settings[name]!r}")
    return value
