"""A plan as a reader sees it: tables and sentences."""

from __future__ import annotations

from typing import Any

FEW = 10
"""Tasks expected to differ below which power is not told to .03 without simulation."""


def print_plan(plan: dict[str, Any]) -> None:
    """Print cells, costs, and what can be detected."""
    from rich.console import Console

    console = Console()
    _cells(console, plan)
    _costs(console, plan)
    _power(console, plan)
    _allocation(console, plan)
    _others(plan)


def _cells(console: Any, plan: dict[str, Any]) -> None:
    from rich.table import Table

    table = Table(title=f"Plan of {plan['name']}")
    for column in ("backbone", "arm", "conditions"):
        table.add_column(column)
    rows: dict[tuple[str, str], list[str]] = {}
    for cell in plan["cells"]:
        rows.setdefault((cell["backbone"], cell["arm"]), []).append(cell["condition"])
    for (backbone, arm), conditions in rows.items():
        table.add_row(backbone, arm, ", ".join(conditions))
    console.print(table)
    print(plan["control"])
    print(plan["cue"])
    size = f"{plan['tasks']} tasks x {plan['repeats']} repeats x {len(plan['cells'])} cells"
    print(f"{size} = {plan['episodes']} episodes")
    if plan["draws"] > 1:
        print(f"{plan['draws']} banks of each condenser that asks a model, one a repeat")
    print(f"{plan['calls']} calls {plan['calls_are']}")


def _costs(console: Any, plan: dict[str, Any]) -> None:
    from rich.table import Table

    costs = Table(title=f"US dollars, {plan['cost_is']}")
    for column in ("", "low", "likely", "high"):
        costs.add_column(column, justify="left" if not column else "right")
    rows_of = {**plan["cost_usd"], "preparation": plan["preparation_usd"], "in all": plan["total_usd"]}
    for name, figures in rows_of.items():
        costs.add_row(name, *("unknown" if usd is None else f"{usd:,.2f}" for usd in figures.values()))
    console.print(costs)
    said = f"prices of {plan['prices']['date']}"
    if plan["prices"]["unknown"]:
        said += f"; none is known for {', '.join(plan['prices']['unknown'])}: give budget.prices"
    print(said)


def _power(console: Any, plan: dict[str, Any]) -> None:
    from rich.table import Table

    power = plan["power"]
    drop, contrast = (_share(plan["detectable"][name]) for name in ("drop", "contrast"))
    print(f"smallest detectable drop {drop}, contrast {contrast} ({plan['detectable_is']})")
    worth = plan["effective_n"]
    print(
        f"{worth['tasks']} tasks in {worth['clusters']} clusters tell as much as {worth['drop']:g}"
        f" independent ones about a drop, {worth['contrast']:g} about a contrast: {worth['how']}"
    )
    table = Table(
        title=f"To show {power['effect']:g} with power {power['power']:g}, {plan['repeats']} repeats"
    )
    piloted = any(row["in_family"]["tasks_upper"] is not None for row in power["rows"])
    heads = ("", "family", "power", "detects", "tasks alone", "in family", "unshared")
    for at, column in enumerate((*heads, *(["safe"] if piloted else []))):
        table.add_column(column, justify="right" if at else "left")
    for row in power["rows"]:
        alone, family = row["alone"], row["in_family"]
        cells = [row["estimand"], str(row["family"]), _share(family["power"]), _share(family["detectable"])]
        cells += [_tasks(n) for n in (alone["tasks"], family["tasks"], family["tasks_apart"])]
        table.add_row(*cells, *([_tasks(family["tasks_upper"])] if piloted else []))
    console.print(table)
    print(
        "power and detects: of this plan, in its family (step-down max-T, this contrast alone having an"
        " effect); never: no number of tasks that share these records or families;"
        " unshared: tasks in the family if no two share a record or a family"
        + ("; safe: by the upper 80 % limit of the pilot's variance" if piloted else "")
    )
    print(f"variance parts {power['parts_are']}")
    few = [row["estimand"] for row in power["rows"] if row["informative"] < FEW and "simulated" not in row]
    if few:
        print(f"fewer than {FEW} tasks are expected to differ ({', '.join(few)}): check with --simulate 2000")
    for row in power["rows"]:
        if "simulated" in row:
            print(_simulated(row["estimand"], row["simulated"], power["power"]))


def _simulated(estimand: str, found: dict[str, Any], wanted: float) -> str:
    if why := found.get("not_simulated"):
        return f"{estimand} was not simulated: {why}"
    needed = "no number of tasks was found for it"
    if found["tasks"] is not None:
        needed = f"power {found['power_at_tasks']:.3f} of {wanted:g} with {found['tasks']:,} tasks"
    return (
        f"simulated, {found['experiments']:,} experiments: {estimand} of {found['effect']:.3f} at base rate"
        f" {found['base']:.2f}: power {found['alone']:.3f} alone, {found['in_family']:.3f} in its family"
        f" (±{found['error']:.3f}); {needed}"
    )


def _allocation(console: Any, plan: dict[str, Any]) -> None:
    from rich.table import Table

    found = plan["allocation"]
    table = Table(title=f"Tasks or repeats, for a contrast of {found['effect']:g} in its family")
    for column in ("repeats", "tasks", "unshared", "episodes of all cells", "US dollars"):
        table.add_column(column, justify="right")
    for row in found["rows"]:
        dollars = "unknown" if row["usd"] is None else f"{row['usd']:,.2f}"
        counts = (_tasks(row[key]) for key in ("tasks", "tasks_apart", "episodes"))
        table.add_row(str(row["repeats"]), *counts, dollars)
    console.print(table)
    for key, unit in (("budget", "usd"), ("budget_episodes", "episodes")):
        if key not in found:
            continue
        best, named = found[key]["best"], f"{found[key][unit]:,g} {'dollars' if unit == 'usd' else unit}"
        if best is None:
            print(f"{named}: not enough for any number of tasks that could show a contrast")
        else:
            print(
                f"{named}: at best a contrast of {best['detectable']:.3f}, with {best['tasks']} tasks x"
                f" {best['repeats']} repeats"
            )


def _others(plan: dict[str, Any]) -> None:
    for row in plan["paired_vs_unpaired"]:
        if row["estimand"] == "contrast":
            paired = _tasks(row["paired_episodes_r1"])
            print(
                f"one contrast of {row['effect']:g}, alone: {paired} episodes paired at one repeat,"
                f" {row['unpaired_episodes']:,} unpaired"
            )
    same = plan["equivalence"]
    for row in same["rows"]:
        needed = ", ".join(f"{_tasks(n)} at R = {repeats}" for repeats, n in row["tasks"].items())
        print(
            f"a {row['estimand']} of 0 is found within ±{same['margin']:g} with power {_share(row['power'])};"
            f" tasks for power {plan['power']['power']:g}: {needed}"
        )
    for arm, decisions in plan["per_decision_usd"].items():
        dollars = ", ".join(
            f"{name} {'n/a' if usd is None else f'{usd:,.2f}'}" for name, usd in decisions.items()
        )
        print(f"dollars of one decision, {arm}: {dollars}")


def _share(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"


def _tasks(n: int | None) -> str:
    return "never" if n is None else f"{n:,}"
