"""The e-process over time, and z at the looks against their boundary, as inline SVG with their tables."""

from __future__ import annotations

from math import log10
from statistics import NormalDist
from typing import Any

from loadbearing.reports.base.escape import one_line, printable, shortened
from loadbearing.reports.base.lookup import Results, Row
from loadbearing.reports.base.numbers import count, is_known, probability, signed
from loadbearing.reports.figures.svg import INK, PAPER, RULE, SERIES, SOFT, inline_svg
from loadbearing.reports.text.reading import condition_name
from loadbearing.reports.text.table import Table, number, tabulate, text

# inches
_WIDTH, _LEFT, _RIGHT, _TALL, _TOP, _BELOW, _KEY = 9.0, 0.72, 0.15, 2.5, 0.3, 0.5, 0.2
_SHAPES = ("o", "s", "^", "D", "v", "P", "X", "*")
_DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)))
_MOST_Z = 6.0
_FURTHEST = 6.0  # powers of ten below one that are shown


def paths_of(results: Results) -> tuple[Row, ...]:
    """The paths of the e-process that hold at least one unit."""
    return tuple(one for one in (results.get("monitoring") or {}).get("paths") or () if one.get("log10_e"))


def monitoring_svg(results: Results) -> str:
    """Draw E of every hypothesis over the completed tasks on a log scale, with 1/alpha as the threshold.

    Where looks are planned, they stand as upright lines, and a second panel holds |z| of each hypothesis at
    the looks taken against the boundary of its family.

    Args:
        results: what `results.json` holds.
    """
    shown: Results = printable(dict(results))
    seen = shown.get("monitoring") or {}
    paths = paths_of(shown)
    looks = seen.get("looks") or {}
    two = len(looks.get("counts") or ()) > 1
    keys = _KEY * len(paths) + 0.1
    height = _TOP + _TALL + _BELOW + (_TOP + _TALL + _BELOW) * two + keys
    most = max([*(path["tasks"][-1] for path in paths), *(looks.get("counts") or ()), 1])

    def fill(figure: Any) -> None:
        _e_panel(_axes(figure, height, 0), paths, looks, float(seen.get("threshold") or 20.0), most)
        if two:
            _z_panel(_axes(figure, height, 1), paths, looks, most)
        for place, path in enumerate(paths):
            y = keys - 0.12 - _KEY * place
            axes = figure.add_axes((_LEFT / _WIDTH, y / height, 0.42 / _WIDTH, 0.12 / height))
            axes.axis("off")
            axes.plot([0, 1], [0, 0], **_look(place), markevery=[1], clip_on=False)
            figure.text(
                (_LEFT + 0.55) / _WIDTH,
                (y + 0.06) / height,
                shortened(_name(path), 110),
                color=INK,
                va="center",
                fontsize=8,
                parse_math=False,
            )

    label = f"E-process of {len(paths)} hypotheses over the completed tasks, and the looks. The data follow."
    return inline_svg((_WIDTH, height), fill, f"monitoring {seen!r}", label)


def e_table(results: Results) -> Table:
    """Where each e-process stands, and the interval that holds over time."""
    threshold = (results.get("monitoring") or {}).get("threshold")
    reach = f"{threshold:g}" if is_known(threshold) else "1/alpha"
    return tabulate(
        f"E of each hypothesis after the tasks complete so far. If there is no effect, the chance that E ever"
        f" reaches {reach} is at most alpha, however often one looks; anytime p is 1 over the largest E. The"
        " interval is the asymptotic confidence sequence (from 20 units on). Every step stands in"
        " results.json, under monitoring.",
        paths_of(results),
        text("backbone", "name"),
        ("of", "name", lambda row: f"{row.get('treatment')} − {row.get('control')}"),
        ("condition", "name", lambda row: condition_name(str(row.get("condition", "")))),
        number("n_units", count, "units"),
        ("E", "number", lambda row: f"{row['e']:.3g}"),
        number("anytime_p", probability, "anytime p"),
        ("interval over time", "number", _ends),
        ("margin ruled out after", "number", lambda row: _after(row.get("inert_after"))),
    )


def looks_table(results: Results) -> Table:
    """The looks that were planned, with their boundaries and what was decided at those taken."""
    looks = (results.get("monitoring") or {}).get("looks") or {}
    taken = {one["number"]: one for one in looks.get("taken") or ()}
    rows = [
        {"look": at, "tasks": tasks, "boundary": boundary, "level": level, "taken": taken.get(at)}
        for at, (tasks, boundary, level) in enumerate(
            zip(
                looks.get("counts") or (),
                looks.get("boundaries") or (),
                looks.get("levels") or (),
                strict=False,
            ),
            1,
        )
    ]
    state = "locked before the first trial" if looks.get("in_force") else "not locked: none is taken"
    return tabulate(
        f"Looks ({state}; {looks.get('spacing', '')}). A hypothesis is decided where its p, adjusted for its"
        " family, is at most the level, which is the boundary of one hypothesis at its share of alpha; the"
        f" run stops when {looks.get('rule', 'all')} are.",
        rows,
        ("look", "name", lambda row: f"{row['look']} of {len(rows)}"),
        number("tasks", count),
        (
            "boundary of |z|",
            "number",
            lambda row: f"{row['boundary']:.3f}" if is_known(row["boundary"]) else "none",
        ),
        ("level of p", "number", lambda row: probability(row["level"])),
        ("decided", "text", lambda row: _decided(row["taken"])),
    )


def _axes(figure: Any, height: float, panel: int) -> Any:
    top = _TOP + panel * (_TOP + _TALL + _BELOW)
    size = ((_WIDTH - _LEFT - _RIGHT) / _WIDTH, _TALL / height)
    axes = figure.add_axes((_LEFT / _WIDTH, 1 - (top + _TALL) / height, *size))
    axes.patch.set_visible(False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(RULE)
    axes.tick_params(colors=SOFT, labelsize=8, length=3)
    axes.xaxis.get_major_locator().set_params(integer=True)  # tasks are whole
    return axes


def _e_panel(axes: Any, paths: tuple[Row, ...], looks: Row, threshold: float, most: int) -> None:
    seen = [value for path in paths for value in path["log10_e"]]
    low = max(min([*seen, -0.5]), -_FURTHEST)
    high = max([*seen, log10(threshold)]) + 0.4
    axes.set_xlim(0, most * 1.02)
    axes.set_ylim(low - 0.1, high)
    ticks = [tick for tick in range(int(low) - 1, int(high) + 1) if low - 0.1 <= tick <= high]
    ticks = ticks[:: max(1, len(ticks) // 7)]
    axes.set_yticks(ticks, labels=[f"{10.0**tick:g}" for tick in ticks])
    axes.axhline(0, color=SOFT, linewidth=0.9, zorder=1)
    axes.axhline(log10(threshold), color=INK, linewidth=1.0, linestyle=(0, (4, 2)), zorder=1)
    _say(axes, most * 1.02, log10(threshold), f"1/alpha = {threshold:g}", "right", "bottom")
    _upright(axes, looks)
    for place, path in enumerate(paths):
        every = max(1, len(path["tasks"]) // 8)
        values = [max(value, low) for value in path["log10_e"]]
        axes.plot([0, *path["tasks"]], [0.0, *values], **_look(place), markevery=(every, every), zorder=3)
    _foot(axes, "E of the sign-flip e-process, log scale, over completed tasks")


def _z_panel(axes: Any, paths: tuple[Row, ...], looks: Row, most: int) -> None:
    edges = [_z(level) for level in looks["levels"]]
    axes.set_xlim(0, most * 1.02)
    axes.set_ylim(0, _MOST_Z)
    axes.plot(looks["counts"], edges, color=INK, linewidth=1.0, linestyle=(0, (4, 2)), zorder=1)
    axes.plot(looks["counts"], edges, color=INK, marker="_", markersize=9, linestyle="none", zorder=1)
    _say(axes, looks["counts"][-1], edges[-1] + 0.25, "boundary", "right", "bottom")
    _upright(axes, looks)
    order = {_place(path): at for at, path in enumerate(paths)}
    for look in looks.get("taken") or ():
        for one in look["seen"]:
            at = order.get(tuple(one["place"]))
            if at is None or one["p_adjusted"] is None:
                continue
            drawn = _look(at) | {"linestyle": "none", "markersize": 6.5}
            if one["crossed"]:
                drawn |= {"markerfacecolor": drawn["color"]}
            axes.plot([look["tasks"]], [_z(one["p_adjusted"])], **drawn, zorder=3)
    _foot(axes, "|z| of p adjusted for the family, at the looks taken; filled: the boundary was reached")


def _upright(axes: Any, looks: Row) -> None:
    counts = looks.get("counts") or ()
    for at, tasks in enumerate(counts, 1):
        axes.axvline(tasks, color=RULE, linewidth=0.9, zorder=0)
        axes.annotate(
            f"look {at}", (tasks, 1), (0, 3), xycoords=("data", "axes fraction"), textcoords="offset points",
            color=SOFT, fontsize=7.5, ha="center", parse_math=False, annotation_clip=False,
        )  # fmt: skip


def _look(place: int) -> dict[str, Any]:
    """Colour, dashes and shape of one hypothesis: told apart without colour."""
    return {
        "color": SERIES[(place + place // len(_SHAPES)) % len(SERIES)],
        "linestyle": _DASHES[place % len(_DASHES)],
        "linewidth": 1.5,
        "marker": _SHAPES[place % len(_SHAPES)],
        "markersize": 5,
        "markerfacecolor": PAPER,
        "markeredgewidth": 1.2,
    }


def _say(axes: Any, x: float, y: float, what: str, across: str, up: str) -> None:
    axes.text(x, y, what, color=INK, fontsize=8, ha=across, va=up, parse_math=False)


def _foot(axes: Any, what: str) -> None:
    axes.annotate(
        what,
        (0.5, 0),
        (0, -28),
        xycoords="axes fraction",
        textcoords="offset points",
        color=SOFT,
        fontsize=8,
        ha="center",
        parse_math=False,
    )


def _z(p: float) -> float:
    """|z| of a two-sided p, at most what the panel holds."""
    return _MOST_Z if p < 1e-9 else min(_MOST_Z, NormalDist().inv_cdf(1 - p / 2))


def _name(path: Row) -> str:
    pair = f"{path.get('treatment')} − {path.get('control')}"
    return one_line(f"{path.get('backbone')}: {pair}, {condition_name(str(path.get('condition', '')))}")


def _place(path: Row) -> tuple[Any, ...]:
    return tuple(path.get(key) for key in ("backbone", "treatment", "control", "condition"))


def _ends(row: Row) -> str:
    if not is_known(row.get("low")) or not is_known(row.get("high")):
        return "not yet"
    return f"[{signed(row['low'])}, {signed(row['high'])}]"


def _after(units: Any) -> str:
    return "not yet" if units is None else f"{units} units"


def _decided(look: Any) -> str:
    if look is None:
        return "not taken"
    crossed = sum(one["crossed"] for one in look["seen"])
    return f"{crossed} of {len(look['seen'])}{'; the run ended here' if look['stop'] else ''}"
