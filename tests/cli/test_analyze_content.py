"""What a table of one's own can say of content: output, README and glossary say one thing."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from memtrial.api.analyze import AnalysisOptions, analyze
from memtrial.reports.render.html_report import render_html
from memtrial.reports.render.markdown_report import render_markdown
from memtrial.reports.render.notebook import notebook_html
from memtrial.reports.text.verdict_glossary import glossary

README = Path(__file__).resolve().parents[2] / "docs" / "verdicts.md"
NEVER, RESTS = "neither `counter` nor an oddity placebo", "rests on the names of"


def table(folder: Path, **scores: float) -> Path:
    """60 tasks; the share of them that is solved under each condition, the same tasks first."""
    rows = [
        f"t{task},{'none' if name == 'without' else 'memory'},{name},{int(task < 60 * share)}"
        for name, share in ({"without": 0.2, "intact": 0.8} | scores).items()
        for task in range(60)
    ]
    path = folder / "mine.csv"
    path.write_text("\n".join(["task,arm,condition,score", *rows]) + "\n", "utf-8")
    return path


@pytest.mark.parametrize(
    ("scores", "named", "note"),
    [
        ({"corrupt_invert": 0.1}, (), NEVER),
        ({"shuffled": 0.1, "mask": 0.1}, (), NEVER),
        ({"irrelevant_swap": 0.1}, (), NEVER),
        ({"empty": 0.1}, (), NEVER),
        ({"corrupt_invert": 0.1, "counter": 0.1}, ("counter",), RESTS),
        ({"irrelevant_swap": 0.1, "counter": 0.1, "x": 0.1}, ("irrelevant_swap", "counter"), RESTS),
        ({"corrupt_invert": 0.1, "oddity+corrupt_invert": 0.8}, ("corrupt_invert",), RESTS),
        ({"corrupt_invert": 0.1, "oddity+corrupt_invert": 0.1}, (), RESTS),
        ({"corrupt_invert": 0.1, "oddity+corrupt_mask": 0.8}, (), NEVER),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, dict) else None,
)
def test_the_word_is_said_where_a_column_vouches_for_it_and_never_without_the_caveat(
    scores: dict[str, float], named: tuple[str, ...], note: str, tmp_path: Path
) -> None:
    results = analyze(table(tmp_path, **scores), rules=AnalysisOptions(flips=999))
    words = results.verdicts["model"]["memory"]
    assert {name for name, word in words.items() if word == "load-bearing"} == set(named)
    assert {word for name, word in words.items() if name not in named and scores[name] < 0.5} <= {
        "inconclusive"
    }
    assert note in results.notes[0]  # before every other note
    for row in results.estimates:
        if row.estimand == "drop" and row.verdict == "load-bearing":
            assert row.reason.startswith("this rests on the names of the table's conditions")
    # figures take most of the time: a page of each note is enough
    page = render_html(results) if named or "empty" in scores else note
    for text in (notebook_html(results), render_markdown(results), page):
        shown = " ".join(text.split())
        assert note.replace("`", "") in re.sub(r"[`\\]|</?code>", "", shown)
    explained = {entry.word: entry.means for entry in glossary(results)}
    assert ("load-bearing" in explained) == bool(named)


def test_readme_and_glossary_promise_what_is_done() -> None:
    readme = " ".join(README.read_text("utf-8").split())
    assert "a run or a table with neither `counter` nor an oddity placebo never says the word" in readme
    assert "the word rests on the names of its conditions" in readme


def test_what_this_package_knows_of_the_names_in_a_table(tmp_path: Path) -> None:
    cells = [("none", "without")]
    cells += [
        (arm, name) for arm in ("control", "artifact", "mine") for name in ("intact", "corrupt_invert", "x")
    ]
    rows = [f"t{task},{arm},{name},{(task + len(arm)) % 2}" for arm, name in cells for task in range(6)]
    path = tmp_path / "named.csv"
    path.write_text("\n".join(["task,arm,condition,score", *rows]) + "\n", "utf-8")
    results = analyze(path, rules=AnalysisOptions(flips=99))
    assert results.effects == {"corrupt_invert": "meaning"}
    assert {(row.arm, row.versus) for row in results.estimates if row.estimand == "contrast"} == {
        ("artifact", "control")
    }


BEGUN_ALONE = """
import sys, threading
from memtrial.api.analyze import LOADED, AnalysisOptions, analyze

assert not {*LOADED} & {*sys.modules}
analyze(
    sys.argv[1],
    rules=AnalysisOptions(flips=99),
    on_table=lambda _: print(threading.active_count()),
)
"""


def test_libraries_that_load_beside_a_table_are_waited_for(tmp_path: Path) -> None:
    command = [sys.executable, "-c", BEGUN_ALONE, str(table(tmp_path, empty=0.1))]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() == ["1"]
