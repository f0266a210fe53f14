"""`analyze`: the whole analysis on anyone's table of outcomes."""

from __future__ import annotations

import hashlib
import shlex
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from loadbearing.outcomes.shaping import Asked, Shaped, shape
from loadbearing.reports.base.escape import one_line
from loadbearing.reports.base.line_width import columns
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.folder.analysis_folder import refuse_folder, write_analysis
from loadbearing.runs.progress.standard_output import put, put_json, put_results, width_of

if TYPE_CHECKING:
    from loadbearing.analysis.plan import AnalysisPlan
    from loadbearing.reports.model.results import Results


@dataclass(frozen=True, slots=True)
class Rules:
    """What the user asked of the analysis.

    Args:
        pairs: `TREATMENT:CONTROL`, the arms whose drops are compared.
        primary: conditions whose contrasts are the hypotheses; empty: all.
        positive_control: an arm known to hold the answer; `oracle` unless given.
    """

    margin: float = 0.10
    alpha: float = 0.05
    flips: int = 9_999
    seed: int = 0
    pairs: tuple[str, ...] = ()
    primary: tuple[str, ...] = ()
    positive_control: str | None = None
    question: str = ""


def analyze_table(path: Path, asked: Asked, rules: Rules, out: Path | None, as_json: bool) -> None:
    """Read, say what was taken for what, analyse, show, and write the report.

    Args:
        out: folder for results.json, report.html and report.md; `<name of the table>_analysis` unless given.
            With `as_json` nothing is written unless a folder is named.

    Raises:
        SpecFault: the table or an option is wrong; nothing is written.
    """
    from loadbearing.outcomes.files import read_sheet

    folder = out if out is not None else None if as_json else Path(f"{stem(path)}_analysis")
    if folder is not None:
        refuse_folder(folder, path)
    shaped = shape(read_sheet(path), asked)
    plan = plan_of(shaped, rules)
    _tell(path, shaped, sys.stderr if as_json else sys.stdout)
    results = results_of(path, shaped, plan, rules)
    if folder is not None:
        _write(folder, results)
    if as_json:
        put_json(results.model_dump(mode="json"))
        return
    put_results(results)
    put(f"\nReport: {folder / 'report.html'}" if folder is not None else "")


def stem(path: Path) -> str:
    """The table's name without its endings: `runs.csv.gz` is `runs`."""
    return path.name.partition(".")[0] or path.name


def plan_of(shaped: Shaped, rules: Rules) -> AnalysisPlan:
    """What is compared in a table, and by which rules.

    Raises:
        SpecFault: a number is out of range, or a named arm or condition is not there.
    """
    if rules.seed < 0:
        raise SpecFault(f"--seed needs a whole number from 0 on, got {rules.seed}")
    from loadbearing.analysis.plan import AnalysisPlan
    from loadbearing.arms.arm import PAIRS
    from loadbearing.outcomes.count_words import listed
    from loadbearing.outcomes.reserved_names import ORACLE
    from loadbearing.perturbations.members import ALL

    pairs = tuple(_pair(text, shaped) for text in rules.pairs)
    if not rules.pairs and shaped.conditioned:
        standard = ((treatment.name, control.name) for treatment, control in PAIRS)
        pairs = tuple(pair for pair in standard if set(pair) <= set(shaped.arms))
    if rules.primary and not shaped.conditioned:
        raise SpecFault(
            "--primary names conditions whose contrasts are the hypotheses, and this table has no condition; "
            "leave it out"
        )
    for name in rules.primary:
        if name not in shaped.conditions:
            raise SpecFault(
                f"--primary {name}: there is no such condition; there are {listed(shaped.conditions)}"
            )
    known = rules.positive_control
    if known is not None and known not in shaped.arms:
        raise SpecFault(f"--positive-control {known}: there is no such arm; there are {listed(shaped.arms)}")
    cells = {cell for name in shaped.outcomes.backbones for cell in shaped.outcomes.cells(name).cells}
    try:
        return AnalysisPlan(
            arms=shaped.arms,
            conditions=shaped.conditions,
            pairs=pairs,
            primary=rules.primary,
            margin=rules.margin,
            alpha=rules.alpha,
            flips=rules.flips,
            seed=rules.seed,
            effects=tuple((kind.name, kind.effect) for kind in ALL if kind.name in shaped.conditions),
            positive_control=known if known is not None else ORACLE,
            cells=tuple(sorted(cells)),
        )
    except ValueError as fault:
        raise SpecFault(str(fault)) from fault


def _pair(text: str, shaped: Shaped) -> tuple[str, str]:
    from loadbearing.outcomes.count_words import listed

    if not shaped.conditioned:
        raise SpecFault(
            "--pairs compares what damage costs two arms, and this table has no condition; "
            "--reference ARM says with which arm the others are compared"
        )
    # a name may hold colons of its own
    cuts = [(text[:at], text[at + 1 :]) for at, letter in enumerate(text) if letter == ":"]
    found = [(one, other) for one, other in cuts if {one, other} <= set(shaped.arms) and one != other]
    if len(found) != 1:
        raise SpecFault(
            f"--pairs needs TREATMENT:CONTROL, two different arms of {listed(shaped.arms)}; got {text!r}"
        )
    return found[0]


def results_of(path: Path, shaped: Shaped, plan: AnalysisPlan, rules: Rules) -> Results:
    """What results.json holds."""
    from loadbearing.reports.results.table_results import About, table_results

    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    said = dict(shaped.said)
    about = About(
        name=path.name,
        question=rules.question,
        outcome=said["score"],
        reference=shaped.reference,
        conditioned=shaped.conditioned,
        cluster=said["cluster"] if shaped.clustered else "task",
        simulated=shaped.simulated,
        said=shaped.said,
        notes=shaped.notes,
        digests={path.name: digest},
        reproduce=(_command(path),),
    )
    return table_results(shaped.outcomes, plan, about)


def _command(path: Path) -> str:
    """The command as it was given, without where things lie."""
    words = sys.argv[1:] if len(sys.argv) > 1 and sys.argv[1] == "analyze" else ["analyze", str(path)]
    kept = [
        word
        for before, word in pairwise(["", *words])
        if "--out" not in (before, word) and not word.startswith("--out=")
    ]
    return shlex.join(["loadbearing", *(path.name if Path(word) == path else word for word in kept)])


def _tell(path: Path, shaped: Shaped, stream: TextIO) -> None:
    """What was taken for what, before any result."""
    width = width_of(stream)
    rows = [("", ""), *((f"  {word}", one_line(sentence)) for word, sentence in shaped.said)]
    lines = [f"{path.name}, as it was read:", *columns(rows, width)]
    lines += [f"  Note: {one_line(note)}" for note in shaped.notes]
    put("\n".join(lines) + "\n", stream)


def _write(folder: Path, results: Results) -> None:
    from loadbearing.reports.render.html import render_html
    from loadbearing.reports.render.markdown import render_markdown

    texts = (
        results.json_text(),
        render_html(results),
        render_markdown(results),
    )
    write_analysis(folder, texts)
