import re
from dataclasses import replace
from html import unescape
from itertools import product
from typing import Any

import polars as pl
import pytest

from memtrial.analysis.reasons import Reason
from memtrial.api.analyze import AnalysisOptions, analyze
from memtrial.console.escape import printable
from memtrial.outcomes.table_options import TableOptions
from memtrial.reports.render.html_report import render_html
from memtrial.reports.render.markdown_report import escape, render_markdown
from memtrial.reports.text.arm_readings import arm_readings, read_arm, verdict_matrix
from memtrial.reports.text.hypothesis_answers import answers
from memtrial.reports.text.reading import INTERVALS, SIMULATED, numbers_of
from memtrial.reports.text.verdict_glossary import printed_word
from memtrial.views import numbers
from memtrial.views.evidence.untrusted import delivery_alarm
from memtrial.views.lookup import of_estimand
from memtrial.views.rows.play_rows import Delivery, UndeliveredTrial
from memtrial.views.rows.results import Results
from tests.support.effects import EFFECTS
from tests.support.report_example import HOSTILE, bare, estimate_row, full, hostile
from tests.support.report_shown import terminal, two_backbones

UTILITIES = ("helps", "none", "harms", "inconclusive")
DROPS = ("load-bearing", "inert", "reversed", "inconclusive", "untestable", "insensitive")


def run_with(utility: str, invert: str, swap: str, **others: str) -> Results:
    """One backbone, one arm, three drops; the oracle works."""
    words = {"corrupt_invert": invert, "irrelevant_swap": swap} | others
    rows = (
        estimate_row(
            "drop", "artifact", condition=condition, verdict=word, estimate=0.01, low=-0.02, high=0.04,
            low_equivalence=-0.01, high_equivalence=0.03,
            reason=f"because of {condition}",
        )
        for condition, word in words.items()
    )  # fmt: skip
    return bare(
        effects=EFFECTS,
        utility={"b": {"artifact": utility}},
        verdicts={"b": {"artifact": words, "oracle": {"corrupt_invert": "load-bearing"}}},
        estimates=tuple(rows),
    )


def with_rows(results: Results, **fields: Any) -> Results:
    """The same results with these fields in every estimate."""
    return results.model_copy(
        update={"estimates": tuple(replace(row, **fields) for row in results.estimates)}
    )


def with_codes(results: Results, codes: dict[str, Reason]) -> Results:
    """The same results with these reasons, by condition."""
    rows = (replace(row, code=codes.get(row.condition, row.code)) for row in results.estimates)
    return results.model_copy(update={"estimates": tuple(rows)})


def with_drops(results: Results, arm: str, words: dict[str, str] | None) -> Results:
    """The same results with other verdicts on the drops of an arm; None: with none."""
    arms = {name: found for name, found in results.verdicts["b"].items() if name != arm}
    return results.model_copy(update={"verdicts": {"b": {**arms, **({arm: words} if words else {})}}})


def whole(reading) -> str:
    return " ".join((reading.arm, reading.headline, reading.says))


# -- sentences ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("utility", "invert", "swap", "headline"),
    [
        ("helps", "load-bearing", "load-bearing", "Useful and used"),
        ("helps", "load-bearing", "inert", "Useful, and used in part"),
        ("helps", "inert", "inert", "Placebo: the block helps, its content does not"),
        ("helps", "inert", "inconclusive", "Useful; whether its content is used is open"),
        ("helps", "untestable", "untestable", "Useful; its content could not be tested"),
        ("none", "load-bearing", "load-bearing", "Used, no net benefit"),
        ("none", "inert", "inert", "No signal or ignored"),
        ("none", "untestable", "untestable", "No signal or ignored"),
        ("harms", "load-bearing", "load-bearing", "Used, and harmful on net"),
        ("harms", "inert", "inert", "Its presence costs, its content does not carry"),
        ("inconclusive", "inconclusive", "untestable", "Not settled"),
        ("helps", "insensitive", "insensitive", "Content not judged"),
    ],
)
def test_utility_and_drops_are_read_together(utility, invert, swap, headline):
    assert read_arm(run_with(utility, invert, swap), "b", "artifact").headline.startswith(headline)


@pytest.mark.parametrize(("utility", "invert", "swap"), list(product(UTILITIES, DROPS, DROPS)))
def test_no_combination_claims_more_than_its_words(utility, invert, swap):
    reading = read_arm(run_with(utility, invert, swap), "b", "artifact")
    text = whole(reading).lower()
    assert reading.headline
    assert "no difference" not in text
    assert "no effect" not in text
    assert ("placebo" in text) == (utility == "helps" and invert == swap == "inert")
    claimed = "used" in text.replace("whether its content is used is open", "")
    assert claimed == ("load-bearing" in (invert, swap))


def test_content_is_judged_by_damage_to_meaning_not_by_its_absence():
    removed = {"filler": "load-bearing", "empty": "load-bearing", "without": "load-bearing"}
    reading = read_arm(run_with("helps", "inert", "inert", **removed), "b", "artifact")
    assert reading.headline.startswith("Placebo")
    words = {"filler": "load-bearing", "without": "load-bearing"}
    only = with_drops(run_with("helps", "inert", "inert"), "artifact", words)
    assert "no damage to meaning was planned" in read_arm(only, "b", "artifact").headline


@pytest.mark.parametrize(
    ("invert", "headline"),
    [("load-bearing", "Useful and used"), ("inert", "Placebo: the block helps, its content does not")],
)
def test_damage_that_fits_no_text_says_nothing_of_its_content(invert, headline):
    results = run_with("helps", invert, "untestable", filler="load-bearing")
    undone = {"irrelevant_swap": Reason.NOT_APPLICABLE}
    assert read_arm(with_codes(results, undone), "b", "artifact").headline == headline
    # where it is all that was planned, that stands there, and removal takes its place in no case
    undone["corrupt_invert"] = Reason.NOT_APPLICABLE
    results = run_with("helps", "untestable", "untestable", filler="load-bearing")
    untested = read_arm(with_codes(results, undone), "b", "artifact").headline
    assert untested == "Useful; its content could not be tested"


def test_an_absence_prints_the_interval_that_shows_it():
    row = estimate_row(
        "utility", "artifact", estimate=0.0, low=-0.11, high=0.11, low_equivalence=-0.092,
        high_equivalence=0.092, verdict="none", code=Reason.WITHIN, p_equivalence=0.04, versus="none",
    )  # fmt: skip
    told = "0.000 [−0.110, +0.110], by the equivalence test [−0.092, +0.092]"
    assert numbers_of(row) == told
    assert numbers_of(replace(row, code=Reason.UNDECIDED, verdict="inconclusive")) == "0.000 [−0.110, +0.110]"


def test_floor_and_ceiling_are_no_signal_of_being_ignored():
    results = run_with("none", "untestable", "untestable")
    results = with_rows(results, code=Reason.FLOOR, reason="floor: the mean intact score is 0.12")
    reading = read_arm(results, "b", "artifact")
    assert reading.headline.startswith("No room")


def test_each_arm_and_each_hypothesis_of_a_run_has_its_sentence():
    results = full()
    arms = arm_readings(results)
    assert {backbone: [one.arm for one in told] for backbone, told in arms.items()} == {
        backbone: list(results.utility[backbone]) for backbone in results.backbones
    }
    reader = {one.arm: one.headline for one in arms["simulated/reader?uptake=0.9"]}
    assert reader["control"] == "Useful and used"
    told = {
        (one.pair, one.under, clause.backbone): clause for one in answers(results) for clause in one.clauses
    }
    assert len(told) == len(results.hypotheses)
    for entry in results.hypotheses:
        pair = f"{entry.treatment} vs {entry.control}"
        assert told[pair, entry.condition, entry.backbone].word == entry.verdict


def test_backbones_come_in_the_order_of_the_run_everywhere():
    results = full()
    order = results.backbones
    shuffled = {
        "estimates": sorted(results.estimates, key=lambda row: -[*order, "all"].index(row.backbone)),
        "hypotheses": sorted(results.hypotheses, key=lambda entry: -order.index(entry.backbone)),
    }
    results = results.model_copy(update={name: tuple(rows) for name, rows in shuffled.items()})
    assert answers(results) == answers(full())
    assert render_markdown(results) == render_markdown(full())
    assert terminal(results) == terminal(full())
    assert [row.backbone for row in of_estimand(results, "drop")] == sorted(
        (row.backbone for row in of_estimand(full(), "drop")), key=[*order, "all"].index
    )


# -- numbers -----------------------------------------------------------------------------------------


def test_numbers_are_never_flat_zero_never_nan_and_missing_is_said():
    assert numbers.probability(0.00004) == "< 0.0001"
    assert numbers.probability(0.05) == "0.0500"
    assert numbers.with_sign(-0.0001) == "0.000"
    assert numbers.with_sign(-0.25) == "−0.250"
    assert numbers.with_sign(float("nan")) == numbers.plain(None) == numbers.share(None) == "n/a"
    assert numbers.dollars(None) == "unknown"
    assert numbers.dollars(0.0) == "$0.0000"
    assert numbers.interval(estimate_row("drop", "a", estimate=0.1)) == "+0.100 [no interval]"


# -- markdown ----------------------------------------------------------------------------------------


def test_markdown_holds_label_matrix_sentences_errors_and_commands():
    results = full()
    text = render_markdown(results)
    assert text.index(SIMULATED) < text.index("## Answer") < text.index("## Arm by arm")
    for row in results.estimates:
        if row.estimand in ("utility", "drop") and row.backbone != "all":
            assert f"{printed_word(row.verdict)} {numbers.with_sign(row.estimate)}" in text
    assert all(escape(answer.sentence) in text for answer in answers(results))
    for reading in (one for told in arm_readings(results).values() for one in told):
        assert escape(reading.headline) in text
    lost = results.attrition["activation"]
    assert f"| activation | {lost.trials:,} | {lost.planned:,} | 36 |" in text
    assert "rate limit 35, WorldFault 1" in text
    assert "In all 123,456 requests" in text
    assert "Arms and preparation together: unknown" in text
    for line in (*results.reproduce, *map(escape, results.notes), results.question):
        assert line in text
    assert re.search(r"\| artifact \|.* 5\.0 % \|", text)
    headings = re.findall(r"^## (.*)$", text, flags=re.MULTILINE)
    assert headings == ["Answer", "Arm by arm", "The arms compared", "Evidence", "Appendix"]


@pytest.mark.parametrize("make", [full, bare, hostile])
def test_every_table_row_has_the_columns_of_its_head(make):
    text = render_markdown(make())
    tables = re.findall(r"(?:^\|.*\n?)+", text, flags=re.MULTILINE)
    assert (make in (full, hostile)) == bool(tables)
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.strip().split("\n")}) == 1


def test_markdown_escapes_what_would_be_markup():
    text = render_markdown(hostile())
    prose = "\n".join(line for line in text.split("\n") if not line.startswith("    "))
    assert "<script" not in prose
    assert "](http" not in prose.replace("\\](http", "")
    assert not re.search(r"(?<!\\)`", prose)
    assert text.encode()
    assert render_markdown(bare()).count(SIMULATED) == 0
    assert escape("corrupt_invert _a_ [x](y)\n# b") == r"corrupt_invert \_a\_ [x\](y) \# b"


# -- terminal ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [60, 80, 200])
def test_the_terminal_keeps_its_width_and_breaks_no_word(width):
    results = two_backbones()
    lines = terminal(results, width).split("\n")
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    assert all(f"\n{backbone} " in text for backbone in results.backbones)
    if width < 200:
        return  # there is no room for a table
    words = [word for arms in results.verdicts.values() for words in arms.values() for word in words.values()]
    assert len(set(words)) > 1
    for word in set(words):
        table = "\n".join(line for line in lines if line.startswith("  "))
        assert len(re.findall(rf"\b{word}\b", table)) >= words.count(word)


def test_the_terminal_says_label_control_utilities_and_errors():
    results = two_backbones()
    text = " ".join(terminal(results, 200).split())
    assert text.startswith(SIMULATED)
    assert "control: embedded equivalent" in text
    for row in results.estimates:
        if row.estimand == "utility" and row.backbone in results.backbones:
            assert f"{row.arm} {printed_word(row.verdict)} {numbers.with_sign(row.estimate)}" in text
    assert "in no mean: activation 36" in text or "in the report" in text
    assert "verbatim" not in text  # all is well


def test_memory_text_that_did_not_arrive_stands_above_all_else():
    one = UndeliveredTrial(
        backbone="b", arm="artifact", condition="filler", task="t" * 300, repeat=2, undelivered=7,
        key="ab" * 32,
    )  # fmt: skip
    lost = Delivery(carrying=99, undelivered=7, trials=(one,) * 20)
    notes = (delivery_alarm(lost), *full().notes)
    results = full().model_copy(update={"delivery": lost, "notes": notes})
    for text in (render_markdown(results), terminal(results)):
        assert "MEMORY TEXT DID NOT REACH THE PROMPT: in 7 of 99" in " ".join(text.split())[:80]
        assert len(text) < 60_000
    assert terminal(results).count("MEMORY TEXT") == 1
    assert len(delivery_alarm(lost)) < 800


def test_a_cell_that_was_never_planned_is_blank_and_the_placebo_is_marked():
    results = run_with("helps", "load-bearing", "inert", paraphrase="load-bearing")
    results = with_drops(results, "raw", {"shuffle": "inert"})
    utility = {"b": {**results.utility["b"], "raw": "helps", "oracle": "helps"}}
    results = results.model_copy(update={"utility": utility})
    matrix = verdict_matrix(results)
    words = dict(zip(matrix.columns, matrix.groups["b"]["raw"], strict=True))
    assert {name for name, entry in words.items() if entry.word} == {"utility", "shuffle"}
    for text in (render_markdown(results), terminal(results, 100), render_html(results)):
        assert "paraphrase (placebo)" in " ".join(text.split())
        assert "not judged" not in text


def test_the_terminal_is_silent_about_errors_that_did_not_happen():
    text = terminal(bare(errors={"control": 0}))
    assert "Errors" not in text
    assert SIMULATED not in text
    assert "Nothing was judged." in text


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp1252"])
def test_hostile_text_reaches_any_pipe_as_text(encoding):
    text = terminal(hostile(), 10_000, encoding)
    assert "\x1b" not in text
    assert "<script>alert" in text
    assert "[l](http" in text  # not taken as markup
    assert (" -0." in text) is (encoding != "utf-8")  # a minus is never lost


def analysed_by_arms() -> Results:
    """A table of one's own: arms compared, nothing damaged."""
    pairs = [(arm, task) for arm in ("off", "on") for task in range(30)]
    rows = [{"arm": arm, "task": str(task), "score": float(task % 3 > (arm == "off"))} for arm, task in pairs]
    return analyze(pl.DataFrame(rows), TableOptions(reference="off"), AnalysisOptions(flips=99))


@pytest.mark.parametrize("make", [full, analysed_by_arms])
def test_the_report_says_how_its_intervals_are_made(make):
    results = make()
    page = " ".join(render_html(results).split())
    for text in (unescape(page), " ".join(render_markdown(results).split())):
        assert "Student's t on the units" in text
        assert INTERVALS in text


def test_printable_leaves_ordinary_text_alone_and_goes_deep():
    plain = {"a": ["é 漢字\n\t", 1, None, True, 0.5], "b": {"c": "x"}}
    assert printable(plain) == plain
    spoiled = printable({HOSTILE: [HOSTILE]})
    (key,) = spoiled
    assert spoiled[key] == [key]
    assert not re.search("[\x1b\u202e\ud800]", key)
    key.encode()
