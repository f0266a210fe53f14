"""The matrix in a terminal: every verdict of every participant, within any width, in colour where it can."""

import io
from dataclasses import replace
from itertools import pairwise

import pytest
from rich.cells import cell_len
from rich.console import Console

from memtrial.outcomes.reserved_names import INTACT
from memtrial.reports.render.matrix_lines import matrix_rows
from memtrial.reports.render.terminal import print_results
from memtrial.reports.text.arm_readings import read_entry, verdict_matrix
from memtrial.reports.text.backbone_answers import answer_backbones
from memtrial.reports.text.verdict_glossary import printed_word
from memtrial.views.rows.results import Results
from tests.support.report_example import full, hostile
from tests.support.report_shown import demo, terminal

WIDTHS = (40, 60, 80, 100, 120, 160, 200)


def blocks_of(results: Results, width: int) -> dict[str, list[str]]:
    """The lines of each backbone, without its own."""
    lines = [row.text for row in matrix_rows(results, width)]
    starts = [next(n for n, line in enumerate(lines) if line.startswith(b)) for b in results.backbones]
    return {
        backbone: lines[start:end]
        for backbone, (start, end) in zip(results.backbones, pairwise([*starts, len(lines)]), strict=True)
    }


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("make", [demo, full, hostile])
def test_no_line_is_wider_than_the_terminal(make, width: int) -> None:
    assert max(map(cell_len, terminal(make(), width).split("\n"))) <= width


@pytest.mark.parametrize("width", WIDTHS)
def test_every_participant_has_its_sentence_and_all_its_words(width: int) -> None:
    results = demo(3)
    matrix, answers = verdict_matrix(results), {a.backbone: a for a in answer_backbones(results)}
    for backbone, lines in blocks_of(results, width).items():
        text = " ".join(" ".join(lines).split())
        assert text.startswith(f"{backbone} {answers[backbone].says}")
        for arm, entries in matrix.groups[backbone].items():
            assert arm in " ".join(row.text for row in matrix_rows(results, width))
            assert all(printed_word(entry.word) in text for entry in entries)


@pytest.mark.parametrize("width", [100, 200])
def test_a_row_holds_the_words_of_its_arm_in_their_order_with_estimates_where_they_fit(width: int) -> None:
    results = demo(3)
    for backbone, (_, *lines) in blocks_of(results, width).items():
        for line, (arm, entries) in zip(lines, verdict_matrix(results).groups[backbone].items(), strict=True):
            shown = [
                e.printed if width == 200 or not n else printed_word(e.word) for n, e in enumerate(entries)
            ]
            assert " ".join(line.split()) == " ".join([arm, *shown])


def test_too_many_conditions_turn_the_matrix() -> None:
    results = demo(2)
    more = (*results.conditions, *(f"{name}_twice" for name in results.conditions))
    verdicts = {
        backbone: {arm: words | {f"{n}_twice": w for n, w in words.items()} for arm, words in arms.items()}
        for backbone, arms in results.verdicts.items()
    }
    rows = matrix_rows(results.model_copy(update={"conditions": more, "verdicts": verdicts}), 100)
    assert rows[0].text.split() == list(verdict_matrix(results).groups[results.backbones[0]])
    (line,) = (row.text for row in rows[:9] if row.text.startswith("  filler_twice"))
    assert line.split()[1:] == ["load-bearing"] * 4


def test_colour_stands_where_there_is_a_terminal_and_no_colour_was_not_asked_for() -> None:
    def shown(**how: object) -> str:
        console = Console(file=io.StringIO(), width=100, legacy_windows=False, **how)  # type: ignore[arg-type]
        print_results(demo(3), console)
        return console.file.getvalue()  # type: ignore[attr-defined]

    in_colour = shown(force_terminal=True, color_system="standard", no_color=False)
    assert "\x1b[1;36mload-bearing\x1b[0m" in in_colour
    assert "\x1b[1;36m uses what its memory says" in in_colour
    assert "\x1b[3" not in shown(force_terminal=True, color_system="standard", no_color=True)
    assert "\x1b" not in shown(force_terminal=False)


def test_an_entry_is_read_the_same_for_every_reader() -> None:
    results = full()
    backbone, arm = results.backbones[0], "artifact"
    matrix = verdict_matrix(results)
    gain, *drops = matrix.groups[backbone][arm]
    assert read_entry(results, backbone, arm, INTACT) == gain
    assert gain.word == results.utility[backbone][arm]
    words = results.verdicts[backbone][arm]
    assert [entry.word for entry in drops] == [
        words.get(name, "") for name in verdict_matrix(results).columns[1:]
    ]
    unknown = tuple(replace(row, estimate=float("nan")) for row in results.estimates)
    nameless = results.model_copy(update={"estimates": unknown})
    assert read_entry(nameless, backbone, arm, INTACT).estimate == ""
    assert read_entry(nameless, backbone, "nobody", "filler") == ("", "")
