"""Tables of what is tested and watched: families of tests, e-processes, looks."""

from loadbearing.ledger.run_plan import Look
from loadbearing.reports.base import numbers
from loadbearing.reports.model.monitoring import Monitoring
from loadbearing.reports.model.results import Results
from loadbearing.reports.text.table import Column, Table, fields, tabulate


def families(results: Results) -> Table:
    """Every family of tests: how large, what fell, what it may claim."""
    found = results.multiplicity
    if found is None:
        return Table("Nothing was tested.", (), ())
    return tabulate(
        f"Tests of one family share alpha {found.alpha:g}; looks at the primary family: {found.looks}."
        f" Gatekeeping is {found.gatekeeping}. Outside all families, and unadjusted:"
        f" {', '.join(found.exploratory)}.",
        found.families,
        *fields("name: family", "role", "order", "claim", "tested: tests", "rejected", "adjusted_by"),
    )


def e_table(found: Monitoring) -> Table:
    """Where the e-process of each hypothesis stands."""
    return tabulate(
        f"E of each hypothesis after the tasks complete so far. If there is no effect, the chance that E ever"
        f" reaches {found.threshold:g} is at most alpha, however often one looks; anytime p is 1 over the"
        f" largest E.",
        found.hypotheses,
        *fields("backbone"),
        Column("of", "name", lambda row: f"{row.treatment} − {row.control}"),
        *fields("condition", "n_units: units"),
        Column("E", "number", lambda row: f"{row.e:.3g}"),
        *fields("anytime_p"),
    )


def looks_table(found: Monitoring) -> Table:
    """The looks that were planned, with their boundaries and what was decided at those taken."""
    looks = found.looks
    state = "locked before the first trial" if looks.in_force else "not locked: none is taken"
    return tabulate(
        f"Looks ({state}; {looks.spacing}). A hypothesis is decided where its p, adjusted for its"
        " family, is at most the level, which is the boundary of one hypothesis at its share of alpha; the"
        f" run stops when {looks.rule} are.",
        range(len(looks.counts)),
        Column("look", "name", lambda at: f"{at + 1} of {len(looks.counts)}"),
        Column("tasks", "number", lambda at: numbers.count(looks.counts[at])),
        Column("boundary of |z|", "number", lambda at: _boundary(looks.boundaries[at])),
        Column("level of p", "number", lambda at: numbers.probability(looks.levels[at])),
        Column("decided", "text", lambda at: _decided(looks.taken, at + 1)),
    )


def _boundary(z: float | None) -> str:
    return f"{z:.3f}" if numbers.is_known(z) else "none"


def _decided(taken: tuple[Look, ...], number: int) -> str:
    look = next((one for one in taken if one.number == number), None)
    if look is None:
        return "not taken"
    crossed = sum(one.crossed for one in look.seen)
    return f"{crossed} of {len(look.seen)}{'; the run ended here' if look.stop else ''}"
