"""Forks A, B and C in the results: which factor an arm's make-up is, and what an inert artifact means."""

import json

import pytest

from memtrial.protocol.arm_factors import arm_factors
from memtrial.reports.figures.factor_forest import factors_svg
from memtrial.reports.render.factor_lines import factor_lines
from memtrial.reports.render.html_report import render_html
from memtrial.reports.render.markdown_report import render_markdown
from memtrial.views.evidence.factor_evidence import inert_artifact
from memtrial.views.rows.factor_rows import FactorRow
from memtrial.views.rows.results import Results
from tests.support.plans import run_plan
from tests.support.report_example import full

GATED = {"checked_by": "gates", "checked": "gates a, at most 2 revisions"}
MAKEUPS = {
    "native": {"draft": "native, embedded equivalent", "gates": "none", "review": "gates"},
    "seed": {"draft": "theory schema", **GATED, "gates": "seed", "review": "gates"},
    "all": {"draft": "theory schema", **GATED, "gates": "all", "review": "gates"},
    "seed-human": {"draft": "theory schema", "checked_by": "person", "gates": "seed", "review": "human"},
    "all-human": {"draft": "theory schema", "checked_by": "person", "gates": "all", "review": "human"},
}
EIGHT = {
    f"{memory} {injection}": [memory, injection]
    # in an order that is not that of the levels
    for injection in ("trigger", "prepend")
    for memory in ("all-human", "all", "seed-human", "seed")
}
PRIMARY = ["corrupt_invert", "counter"]


def planned(levels: dict[str, list[str]], **changed: object):
    arms = ["none", *levels]
    return run_plan(arms=arms, levels=levels, makeups=MAKEUPS, primary=PRIMARY, conditions=PRIMARY, **changed)


def test_forks_are_factors_whose_first_level_is_the_one_held_against():
    factors, levels = arm_factors(planned(EIGHT | {"oracle": ["oracle", "prepend"]}))
    assert factors == (
        ("injection", ("prepend", "trigger")),
        ("gates", ("seed", "all")),
        ("review", ("gates", "human")),
    )
    assert dict(levels)["all-human trigger"] == ("trigger", "all", "human")
    assert "oracle" not in dict(levels)


def test_arms_whose_cue_or_schema_differs_say_so():
    levels = {
        "control": ["native", "prepend"],
        "told": ["native", "prepend, discussed"],
        "x": ["seed", "prepend"],
    }
    factors, rows = arm_factors(planned(levels))
    assert dict(factors)["schema"] == ("native", "theory")
    assert dict(factors)["cue"] == ("none", "discuss each item")
    assert [name for name, _ in factors] == ["gates", "schema", "cue"]
    assert dict(rows)["told"] == ("none", "native", "discuss each item")


STANDARD = {
    "control": ["native", "prepend"],
    "artifact": ["seed", "prepend"],
    "activation": ["seed", "trigger"],
}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("inert", "inert"), True),
        (("inert", "inconclusive"), False),
        (("untestable", "untestable"), False),
        (("load-bearing", "inert"), False),
    ],
)
def test_only_an_artifact_that_is_inert_throughout_speaks_for_the_channel(words, said):
    own = dict(zip(PRIMARY, words, strict=True)) | {"paraphrase": "inconclusive"}
    verdicts = {"m": {"artifact": own, "control": own, "activation": dict.fromkeys(PRIMARY, "load-bearing")}}
    lines = inert_artifact(planned(STANDARD), verdicts)
    assert bool(lines) == said
    if said:
        (line,) = lines
        assert line.startswith("On m, artifact: inert under corrupt_invert, counter.")
        assert "not reachable by artifact form alone, which supports the activation-channel half" in line


def test_an_activation_that_is_inert_as_well_is_said_beside_it():
    inert = dict.fromkeys(PRIMARY, "inert")
    pairs = [["activation", "artifact"]]
    plan = planned(STANDARD, channel_pairs=pairs)
    (both,) = inert_artifact(plan, {"m": {"artifact": inert, "activation": inert}})
    assert both.endswith("Here activation is inert as well: that channel is not shown to make it reachable.")
    dropping = inert | {"counter": "load-bearing"}
    (alone,) = inert_artifact(plan, {"m": {"artifact": inert, "activation": dropping}})
    assert alone.endswith("half of fork A.")


def test_an_inert_control_or_activation_says_nothing_of_the_artifact():
    inert = dict.fromkeys(PRIMARY, "inert")
    verdicts = {"m": {"control": inert, "activation": inert}}
    assert inert_artifact(planned(STANDARD), verdicts) == ()


@pytest.fixture(scope="module")
def shown() -> Results:
    rows = [
        FactorRow(
            factor=factor, levels=levels, outcome=outcome, backbone="simulated/skimmer", n_tasks=80,
            n_clusters=80, estimate=0.2, low=0.1, high=0.3, p=0.001, p_adjusted=0.004, verdict="raises",
        )
        for factor, levels in (("injection", ("prepend", "trigger")), ("gates", ("seed", "all")))
        for outcome in ("score", "counter")
    ]  # fmt: skip
    lines = {"uncrossed": ("gates, seed and all: a hole.",), "forks": ("On m, artifact: inert.",)}
    return full().model_copy(update={"factors": tuple(rows), **lines})


def test_the_report_holds_factors_in_a_table_and_a_figure_and_the_forks_in_words(shown):
    page, short = render_html(shown), render_markdown(shown)
    for text in (page, short):
        assert "trigger − prepend" in text
        assert "a hole." in text
        assert "On m, artifact: inert." in text
    drawn = factors_svg(shown)
    assert "injection: trigger − prepend (simulated/skimmer)" in drawn
    assert drawn.count("drop, counter") == 2
    assert "4 main effects" in drawn
    row = json.loads(shown.json_text())["factors"][0]
    assert set(row) == {
        "factor", "levels", "outcome", "backbone", "n_tasks", "n_clusters", "estimate", "low", "high", "p",
        "p_adjusted", "verdict",
    }  # fmt: skip
    assert "Factors: what each factor" not in render_markdown(full())


def test_the_terminal_says_the_forks_and_the_first_effects(shown):
    fork, line = factor_lines(shown)
    assert fork == "On m, artifact: inert."
    assert line.startswith(
        "Factors: injection (trigger − prepend) raises the intact score +0.200 on simulated/sk"
    )
    assert line.endswith(" and 1 more.")
    assert not list(factor_lines(full()))
    silent = [row.model_copy(update={"verdict": "inconclusive"}) for row in shown.factors]
    assert list(factor_lines(shown.model_copy(update={"factors": tuple(silent), "forks": ()}))) == [
        "Factors: no main effect is shown."
    ]
