"""What was seen of the hypotheses while a run went on: the e-process of each, and the looks."""

from __future__ import annotations

from typing import Any

from loadbearing.reports.base.lookup import Results
from loadbearing.reports.base.numbers import count, is_known, probability
from loadbearing.reports.text.table import CONDITION, Table, number, tabulate, text


def e_table(results: Results) -> Table:
    """Where each e-process stands."""
    found = results.get("monitoring") or {}
    threshold = found.get("threshold")
    reach = f"{threshold:g}" if is_known(threshold) else "1/alpha"
    return tabulate(
        f"E of each hypothesis after the tasks complete so far. If there is no effect, the chance that E ever"
        f" reaches {reach} is at most alpha, however often one looks; anytime p is 1 over the largest E.",
        found.get("hypotheses") or (),
        text("backbone", "name"),
        ("of", "name", lambda row: f"{row.get('treatment')} − {row.get('control')}"),
        CONDITION,
        number("n_units", count, "units"),
        ("E", "number", lambda row: f"{row['e']:.3g}"),
        number("anytime_p", probability, "anytime p"),
    )


def looks_table(results: Results) -> Table:
    """The looks that were planned, with their boundaries and what was decided at those taken."""
    looks = (results.get("monitoring") or {}).get("looks") or {}
    counts = looks.get("counts") or ()
    taken = {one["number"]: one for one in looks.get("taken") or ()}
    planned = zip(counts, looks.get("boundaries") or (), looks.get("levels") or (), strict=False)
    rows = [
        {"look": f"{at} of {len(counts)}", "tasks": n, "boundary": z, "level": p, "taken": taken.get(at)}
        for at, (n, z, p) in enumerate(planned, 1)
    ]
    state = "locked before the first trial" if looks.get("in_force") else "not locked: none is taken"
    return tabulate(
        f"Looks ({state}; {looks.get('spacing', '')}). A hypothesis is decided where its p, adjusted for its"
        " family, is at most the level, which is the boundary of one hypothesis at its share of alpha; the"
        f" run stops when {looks.get('rule', 'all')} are.",
        rows,
        text("look", "name"),
        number("tasks", count),
        number("boundary", lambda z: f"{z:.3f}" if is_known(z) else "none", "boundary of |z|"),
        number("level", probability, "level of p"),
        ("decided", "text", lambda row: _decided(row["taken"])),
    )


def _decided(look: Any) -> str:
    if look is None:
        return "not taken"
    crossed = sum(one["crossed"] for one in look["seen"])
    return f"{crossed} of {len(look['seen'])}{'; the run ended here' if look['stop'] else ''}"
