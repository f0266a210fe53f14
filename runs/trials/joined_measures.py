"""What the checks of many damaged texts measured, as one measure."""

from collections.abc import Mapping, Sequence
from statistics import fmean


def join_measures(measured: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """One measure of many: means of figures, whether all hold of what may hold, else what the first says."""
    found: dict[str, object] = {}
    for name in dict.fromkeys(name for one in measured for name in one):
        values = [one[name] for one in measured if one.get(name) is not None]
        numbers = [float(one) for one in values if isinstance(one, int | float)]
        if values and all(isinstance(one, bool) for one in values):
            found[name] = all(values)
        elif numbers:
            found[name] = fmean(numbers)
        elif values and isinstance(values[0], dict):
            found[name] = join_measures([one for one in values if isinstance(one, dict)])
        else:
            found[name] = values[0] if values else None
    return found
