"""The whole analysis on anyone's table of outcomes, and the folder of three files that it is written into."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis_rules import STANDARD_RULES, AnalysisRules
from memtrial.arms.arm import CHANNEL_PAIRS, PAIRS, named_pairs
from memtrial.faults import SpecFault, refused
from memtrial.outcomes.count_words import list_names
from memtrial.outcomes.outcome_table import OutcomeTable, TableOptions, shape
from memtrial.outcomes.reserved_names import ORACLE
from memtrial.outcomes.sheet import read_sheet
from memtrial.perturbations.kinds import NAMED
from memtrial.private_file import ForeignFault, make_private, read_private, refuse_foreign, write_whole
from memtrial.runs.spec.option_values import SEEDS, refuse_options, settle
from memtrial.runs.spec.sections import MOST_FLIPS
from memtrial.views.results.table_results import table_results
from memtrial.views.rows.results import Results

if TYPE_CHECKING:
    import polars as pl

    from memtrial.outcomes.sheet import PandasFrame


@dataclass(frozen=True, slots=True)
class AnalysisOptions:
    """What the user asked of the analysis.

    Args:
        pairs: `TREATMENT:CONTROL`, the arms whose drops are compared.
        primary: conditions whose contrasts are the hypotheses; empty: all.
        positive_control: an arm known to hold the answer; `oracle` unless given.
        reproduce: the command that stands in the report.
    """

    margin: float = STANDARD_RULES.margin
    alpha: float = STANDARD_RULES.alpha
    flips: int = STANDARD_RULES.flips
    seed: int = STANDARD_RULES.seed
    pairs: tuple[str, ...] = ()
    primary: tuple[str, ...] = ()
    positive_control: str | None = None
    question: str = ""
    reproduce: str = ""

    def __post_init__(self) -> None:
        settle(self, {"flips": (1, MOST_FLIPS), "seed": SEEDS})


def analyze(
    table: str | Path | pl.DataFrame | PandasFrame,
    options: TableOptions = TableOptions(),
    rules: AnalysisOptions = AnalysisOptions(),
    on_table: Callable[[OutcomeTable], object] | None = None,
) -> Results:
    """Analyse outcomes: paired, with intervals, equivalence and verdicts.

    Args:
        table: a file (CSV, TSV, Parquet, JSON lines), or a polars or pandas frame; one row a trial.
        options: what the columns are, where their names do not say it.
        rules: margin, error rate, and what is compared.
        told: gets the table as it was read, before anything is computed.

    Raises:
        SpecFault: an option is wrong.
        TableFault: the table cannot be read, or an option does not fit it.
    """
    refuse_options(options, TableOptions, "options")
    settle(options)
    refuse_options(rules, AnalysisOptions, "rules")
    shaped = shape(read_sheet(table), options)
    plan = _plan_of(shaped, rules)
    if on_table is not None:
        on_table(shaped)
    name, digests = "a frame", {}
    if isinstance(table, str | Path):
        name = Path(table).name
        digests[name] = hashlib.sha256(Path(table).read_bytes()).hexdigest()
    reproduce = (rules.reproduce,) if rules.reproduce else ()
    return table_results(shaped, plan, name, rules.question, digests, reproduce)


def _plan_of(shaped: OutcomeTable, rules: AnalysisOptions) -> AnalysisPlan:
    """What is compared in a table, and by which rules; SpecFault where a number or a name does not fit."""
    if not shaped.conditioned and (rules.pairs or rules.primary):
        raise SpecFault(
            "--pairs and --primary are about what damage costs, and this table has no condition; "
            "--reference ARM says with which arm the others are compared"
        )
    pairs = tuple(_pair(text, shaped) for text in rules.pairs)
    by_default = shaped.arms if not rules.pairs and shaped.conditioned else ()
    pairs = pairs or named_pairs(PAIRS, by_default)
    known = () if rules.positive_control is None else (rules.positive_control,)
    for option, named, there in (
        ("--primary", rules.primary, shaped.conditions),
        ("--positive-control", known, shaped.arms),
    ):
        for name in named:
            if name not in there:
                raise SpecFault(
                    f"{option} {name}: the table has none of that name; there are {list_names(there)}"
                )
    cells = {cell for name in shaped.outcomes.backbones for cell in shaped.outcomes.cells(name).cells}
    with refused(ValueError):
        return AnalysisPlan(
            arms=shaped.arms,
            conditions=shaped.conditions,
            pairs=pairs,
            channel_pairs=named_pairs(CHANNEL_PAIRS, by_default),
            primary=rules.primary,
            rules=AnalysisRules(rules.margin, rules.alpha, rules.flips, rules.seed),
            effects=tuple(
                (kind.name, kind.aim.declared.effect) for kind in NAMED if kind.name in shaped.conditions
            ),
            positive_control=rules.positive_control or ORACLE,
            cells=tuple(sorted(cells)),
        )


def _pair(text: str, shaped: OutcomeTable) -> tuple[str, str]:
    # a name may hold colons of its own
    cuts = [(text[:number], text[number + 1 :]) for number, letter in enumerate(text) if letter == ":"]
    pairs_read = [
        (treatment, control)
        for treatment, control in cuts
        if {treatment, control} <= set(shaped.arms) and treatment != control
    ]
    if len(pairs_read) != 1:
        raise SpecFault(
            f"--pairs needs TREATMENT:CONTROL, two different arms of {list_names(shaped.arms)}; got {text!r}"
        )
    return pairs_read[0]


FILES = ("results.json", "report.html", "report.md")


def refuse_folder(folder: Path, table: Path) -> None:
    """A folder is written only where it is new, empty, or holds an earlier analysis; else SpecFault."""
    if folder.is_symlink() and not folder.exists():
        raise SpecFault(f"--out needs a folder; {folder} is a dangling link")
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if not there.is_dir():
        raise SpecFault(f"--out needs a folder; {there} is a file")
    if not os.access(there, os.W_OK | os.X_OK):
        raise SpecFault(f"--out needs a folder that can be written; {there} cannot be written")
    if there != folder:
        return
    if any(folder.iterdir()) and not _holds_analysis(folder):
        raise SpecFault(
            f"{folder} holds something other than an analysis and stays as it is; name another one with --out"
        )
    for path in (folder / name for name in FILES):
        with refused(ForeignFault, prefix="a report is to be written there; "):
            refuse_foreign(path)
        if path.exists() and table.exists() and path.samefile(table):
            raise SpecFault(f"--out would write over what is read: {path} is the table itself; name another")


def write_analysis(folder: Path, texts: Sequence[str]) -> None:
    """Write `texts`, one of each of `FILES`, each in full or not at all."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    if not folder.exists():
        make_private(folder)
    for name, text in zip(FILES, texts, strict=True):
        write_whole(folder / name, text)


def _holds_analysis(folder: Path) -> bool:
    try:
        held = json.loads(read_private(folder / "results.json"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(held, dict) and "table" in held
