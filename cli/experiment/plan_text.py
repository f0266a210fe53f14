"""A plan as a reader sees it: tables and sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loadbearing.reports.base.line_width import columns

NONE = "–"
"""No number of tasks is enough."""
NO_ROOM = "no room"


def plan_lines(plan: dict[str, Any], width: int | None) -> Iterator[str]:
    """Cells, costs, and what can be detected.

    Args:
        width: columns that a table may have; None for as many as it takes.
    """
    yield from _cells(plan, width)
    yield from _costs(plan, width)
    yield from _power(plan, width)
    yield from _allocation(plan, width)
    yield from _others(plan)


def _cells(plan: dict[str, Any], width: int | None) -> Iterator[str]:
    yield f"Plan of {plan['name']}"
    rows: dict[tuple[str, str], list[str]] = {}
    for cell in plan["cells"]:
        rows.setdefault((cell["backbone"], cell["arm"]), []).append(cell["condition"])
    table = [(*who, ", ".join(conditions)) for who, conditions in rows.items()]
    yield from columns([("backbone", "arm", "conditions"), *table], width)
    yield ""
    yield plan["control"]
    yield plan["cue"]
    size = f"{plan['tasks']} tasks x {plan['repeats']} repeats x {len(plan['cells'])} cells"
    yield f"{size} = {plan['episodes']} episodes"
    if plan["draws"] > 1:
        yield f"{plan['draws']} banks of each condenser that asks a model, one a repeat"
    yield f"{plan['calls']} calls {plan['calls_are']}"


def _costs(plan: dict[str, Any], width: int | None) -> Iterator[str]:
    yield ""
    yield f"US dollars, {plan['cost_is']}"
    rows_of = {**plan["cost_usd"], "preparation": plan["preparation_usd"], "in all": plan["total_usd"]}
    table = [
        (name, *("unknown" if usd is None else f"{usd:,.2f}" for usd in figures.values()))
        for name, figures in rows_of.items()
    ]
    yield from columns([("", "low", "likely", "high"), *table], width, right=(1, 2, 3))
    said = f"prices of {plan['prices']['date']}"
    if plan["prices"]["unknown"]:
        said += f"; none is known for {', '.join(plan['prices']['unknown'])}: give budget.prices"
    yield said


def _power(plan: dict[str, Any], width: int | None) -> Iterator[str]:
    power, worth = plan["power"], plan["effective_n"]
    rows, sharing = power["rows"], worth["clusters"] < worth["tasks"]
    piloted = any(row["in_family"]["tasks_apart_upper"] is not None for row in rows)
    yield ""
    yield f"To show {power['effect']:g} with power {power['power']:g}, {plan['repeats']} repeats"
    more = [name for name, shown in (("sharing", sharing), ("safe", piloted)) if shown]
    heads = ("", "family", "power", "detects", "tasks needed", *more, "alone")
    told = [(row["estimand"], str(row["family"]), *_cells_of(row, more)) for row in rows]
    yield from columns([heads, *told], width, right=range(1, len(heads)))
    yield (
        "power, detects: of this plan, in its family of tests; tasks needed: in the family, no two of them"
        " sharing a record or a family; alone: the same for a test by itself"
    )
    if sharing:
        yield f"sharing: if they fall into the same {worth['clusters']} clusters; {NONE}: none is enough"
    if piloted:
        yield "safe: tasks needed, by the upper 80 % limit of the pilot's variance"
    if any(cell.endswith("*") for cells in told for cell in cells):
        yield "*: simulated, ±0.02: so few units can be expected to differ that no formula holds"
    for row in rows:
        if row["no_room"] is not None:
            yield f"{row['estimand']}: {row['no_room']}"
        elif "simulated" in row and row["simulated"]["asked"]:
            yield _simulated(row["estimand"], row["simulated"], power["power"])
    stuck = [row["estimand"] for row in rows if row["in_family"]["tasks"] is None and row["no_room"] is None]
    if stuck and sharing:
        more_of = "families" if "family" in worth["how"] else "training tasks (environment.train)"
        yield (
            f"{', '.join(stuck)}: {worth['clusters']} clusters are too few for {power['effect']:g}, however"
            f" many test tasks fall into them: add {more_of} along with test tasks"
        )
    yield (
        f"{worth['tasks']} tasks in {worth['clusters']} clusters tell as much as {worth['drop']:g}"
        f" independent ones about a drop, {worth['contrast']:g} about a contrast: {worth['how']}"
    )
    drop, contrast = (_share(plan["detectable"][name]) for name in ("drop", "contrast"))
    yield f"smallest detectable drop {drop}, contrast {contrast} ({plan['detectable_is']})"


def _cells_of(row: dict[str, Any], more: list[str]) -> list[str]:
    """Power and tasks of one estimand, simulated ones with an asterisk."""
    family, found = row["in_family"], row.get("simulated", {})
    power, needed = _share(family["power"]), _tasks(family["tasks_apart"])
    alone = _tasks(row["alone"]["tasks_apart"])
    if found.get("tasks_apart_alone") is not None:
        alone = f"{found['tasks_apart_alone']:,}*"
    if row["no_room"] is not None:
        power = needed = alone = NO_ROOM
    elif found.get("few"):
        power = f"{found['in_family']:.3f}*"
    if found.get("tasks_apart") is not None:
        needed = f"{found['tasks_apart']:,}*"
    besides = {"sharing": _tasks(family["tasks"]), "safe": _tasks(family["tasks_apart_upper"])}
    if found.get("few_shared"):
        besides["sharing"] = _tasks(found["tasks"]) + "*"
    more_cells = [needed if needed == NO_ROOM else besides[name] for name in more]
    return [power, _share(family["detectable"]), needed, *more_cells, alone]


def _simulated(estimand: str, found: dict[str, Any], wanted: float) -> str:
    needed = "no number of tasks was found for it"
    if found["tasks"] is not None:
        needed = f"power {found['power_at_tasks']:.3f} of {wanted:g} with {found['tasks']:,} tasks"
    return (
        f"simulated, {found['experiments']:,} experiments: {estimand} of {found['effect']:.3f} at base rate"
        f" {found['base']:.2f}: power {found['alone']:.3f} alone, {found['in_family']:.3f} in its family"
        f" (±{found['error']:.3f}); {needed}"
    )


def _allocation(plan: dict[str, Any], width: int | None) -> Iterator[str]:
    found = plan["allocation"]
    if any(row["no_room"] for row in plan["power"]["rows"] if row["estimand"] == found["estimand"]):
        return  # said above
    worth = plan["effective_n"]
    sharing = worth["clusters"] < worth["tasks"]
    yield ""
    yield f"Tasks or repeats, for a contrast of {found['effect']:g} in its family"
    heads = ("repeats", "tasks needed", "episodes of all cells", "US dollars", *["sharing"] * sharing)
    table = [heads]
    priced = not plan["prices"]["unknown"]
    for row in found["rows"]:
        usd, cells = row["usd_apart"], [_tasks(row["tasks_apart"]), _tasks(row["episodes_apart"])]
        cells.append(f"{usd:,.2f}" if usd is not None else NONE if priced else "unknown")
        table.append((str(row["repeats"]), *cells, *[_tasks(row["tasks"])] * sharing))
    yield from columns(table, width, right=range(len(heads)))
    yield ""
    for key, unit in (("budget", "usd"), ("budget_episodes", "episodes")):
        if key not in found:
            continue
        named = f"{found[key][unit]:,g} {'dollars' if unit == 'usd' else unit}"
        kinds = (("best_apart", "tasks that share nothing"), ("best", "tasks that share these records"))
        for kind, which in kinds if sharing else kinds[:1]:
            best = found[key][kind]
            if best is None:
                yield f"{named}: not enough for any number of {which} that could show a contrast"
                continue
            yield (
                f"{named}: at best a contrast of {best['detectable']:.3f}, with {best['tasks']} tasks x"
                f" {best['repeats']} repeats" + (f", {which}" if sharing else "")
            )


def _others(plan: dict[str, Any]) -> Iterator[str]:
    for row in plan["paired_vs_unpaired"]:
        if row["estimand"] == "contrast":
            paired = _tasks(row["paired_episodes_r1"])
            yield (
                f"one contrast of {row['effect']:g}, alone: {paired} episodes paired at one repeat,"
                f" {row['unpaired_episodes']:,} unpaired"
            )
    same = plan["equivalence"]
    for row in same["rows"]:
        needed = ", ".join(f"{_tasks(n)} at R = {repeats}" for repeats, n in row["tasks_apart"].items())
        yield (
            f"a {row['estimand']} of 0 is found within ±{same['margin']:g} with power {_share(row['power'])};"
            f" tasks needed for power {plan['power']['power']:g}: {needed}"
        )
    for arm, decisions in plan["per_decision_usd"].items():
        dollars = ", ".join(
            f"{name} {'unknown' if usd is None else f'{usd:,.2f}'}" for name, usd in decisions.items()
        )
        yield f"dollars of one decision, {arm}: {dollars}"


def _share(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"


def _tasks(n: int | None) -> str:
    return NONE if n is None else f"{n:,}"
