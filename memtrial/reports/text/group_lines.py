"""In which groups of tasks an effect lives, in a sentence each: what helps here and harms there."""

from collections.abc import Iterator

from memtrial.console.escape import brief
from memtrial.outcomes.count_words import how_many
from memtrial.reports.text.reading import condition_name, list_with_and
from memtrial.views.lookup import by_backbone, find, reference_of
from memtrial.views.numbers import probability, with_sign
from memtrial.views.rows.group_rows import GroupRow, SpreadRow
from memtrial.views.rows.results import Results

MOST_GROUPS_NAMED = 3
_LONGEST = 60
"""Characters of a group's name."""
_KINDS = {"families": "families of tasks", "items": "items"}


def rows_of(results: Results, of: str) -> tuple[GroupRow, ...]:
    """The effects by one kind of group."""
    return by_backbone(results, results.items if of == "items" else results.task_families)


def differing_lines(results: Results) -> Iterator[str]:
    """A line on each utility and drop that is shown to differ between groups."""
    for spread in by_backbone(results, results.heterogeneity):
        if spread.p_adjusted <= results.alpha:
            yield _describe(results, spread)


def group_lines(results: Results, of: str) -> Iterator[str]:
    """The same of one kind of group, and how many were asked."""
    asked = [spread for spread in results.heterogeneity if spread.of == of]
    differ = [spread for spread in by_backbone(results, asked) if spread.p_adjusted <= results.alpha]
    yield from (_describe(results, spread) for spread in differ)
    if asked and not differ:
        yield f"Of {how_many(len(asked), 'effect')} none is shown to differ between {_KINDS[of]}."


def _describe(results: Results, spread: SpreadRow) -> str:
    groups = {
        row.group: row
        for row in rows_of(results, spread.of)
        if (row.estimand, row.backbone, row.arm, row.condition)
        == (spread.estimand, spread.backbone, spread.arm, spread.condition)
    }
    utility = spread.estimand == "utility"
    up, down = ("damage costs", "damage raises the score")
    if utility:
        up, down = ("is better", "is worse") if reference_of(results) else ("helps", "harms")
    found = find(results, spread.estimand, spread.backbone, spread.arm, spread.condition)
    mean = spread.mean if found is None or found.estimate is None else found.estimate
    parts = [
        f"{word} in {_list_groups(groups, names)}"
        for word, names in ((up, spread.above), (down, spread.below))
        if names
    ]
    if not parts:
        parts = [
            f"no single one is shown; the largest, drawn to the mean, is that of"
            f" {_list_groups(groups, (spread.largest,), drawn=True)}, the least that of"
            f" {_list_groups(groups, (spread.least,), drawn=True)}"
        ]
    cancel = ": opposite effects that cancel in it" if spread.above and spread.below else ""
    what = (
        ("difference" if reference_of(results) else "utility")
        if utility
        else f"drop under {condition_name(spread.condition)}"
    )
    where = f"{spread.backbone}, {spread.arm}" if len(results.backbones) > 1 else spread.arm
    return (
        f"{where}: the {what} differs between {_KINDS[spread.of]} (SD {spread.tau:.2f}, p"
        f" {probability(spread.p)}, adjusted {probability(spread.p_adjusted)}): {', '.join(parts)};"
        f" the mean is {with_sign(mean)}{cancel}."
    )


def _list_groups(groups: dict[str, GroupRow], names: tuple[str, ...], drawn: bool = False) -> str:
    shown = [groups[name] for name in names[:MOST_GROUPS_NAMED] if name in groups]
    texts = [
        f"{brief(row.heading or row.group, _LONGEST)} ({with_sign(row.shrunk if drawn else row.estimate)})"
        for row in shown
    ]
    more = len(names) - MOST_GROUPS_NAMED
    return list_with_and([*texts, *([f"{more} more"] if more > 0 else [])])
