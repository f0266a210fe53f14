"""What was seen of the hypotheses while a run went on: the e-process of each, and the looks."""

from __future__ import annotations

from dataclasses import dataclass

from loadbearing.analysis.sequential.interim import Look
from loadbearing.reports.base.numbers import count, is_known, probability
from loadbearing.reports.model.monitoring import Monitoring
from loadbearing.reports.text.table import CONDITION, Table, number, tabulate, text


@dataclass(frozen=True, slots=True)
class _Planned:
    """A look as it was planned, and as it was taken."""

    look: str
    tasks: int
    boundary: float | None
    level: float
    taken: Look | None


def e_table(found: Monitoring) -> Table:
    """Where each e-process stands."""
    return tabulate(
        f"E of each hypothesis after the tasks complete so far. If there is no effect, the chance that E ever"
        f" reaches {found.threshold:g} is at most alpha, however often one looks; anytime p is 1 over the"
        f" largest E.",
        found.hypotheses,
        text("backbone", "name"),
        ("of", "name", lambda row: f"{row.treatment} − {row.control}"),
        CONDITION,
        number("n_units", count, "units"),
        ("E", "number", lambda row: f"{row.e:.3g}"),
        number("anytime_p", probability),
    )


def looks_table(found: Monitoring) -> Table:
    """The looks that were planned, with their boundaries and what was decided at those taken."""
    looks = found.looks
    taken = {one.number: one for one in looks.taken}
    planned = zip(looks.counts, looks.boundaries, looks.levels, strict=True)
    rows = [
        _Planned(f"{at} of {len(looks.counts)}", n, z, p, taken.get(at))
        for at, (n, z, p) in enumerate(planned, 1)
    ]
    state = "locked before the first trial" if looks.in_force else "not locked: none is taken"
    return tabulate(
        f"Looks ({state}; {looks.spacing}). A hypothesis is decided where its p, adjusted for its"
        " family, is at most the level, which is the boundary of one hypothesis at its share of alpha; the"
        f" run stops when {looks.rule} are.",
        rows,
        text("look", "name"),
        number("tasks", count),
        number("boundary", lambda z: f"{z:.3f}" if is_known(z) else "none", "boundary of |z|"),
        number("level", probability, "level of p"),
        ("decided", "text", lambda row: _decided(row.taken)),
    )


def _decided(look: Look | None) -> str:
    if look is None:
        return "not taken"
    crossed = sum(one.crossed for one in look.seen)
    return f"{crossed} of {len(look.seen)}{'; the run ended here' if look.stop else ''}"
