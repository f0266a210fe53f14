"""The whole analysis on anyone's table of outcomes, and the folder of three files that it is written into."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis_rules import MOST_FLIPS, STANDARD_RULES, AnalysisRules
from memtrial.faults import SpecFault, refused
from memtrial.outcomes.arm_cells import read_pair
from memtrial.outcomes.count_words import list_names
from memtrial.outcomes.files.table_files import Table, files_of, read_sheet
from memtrial.outcomes.outcome_table import OutcomeTable, shape_or_ask
from memtrial.outcomes.reserved_names import ORACLE
from memtrial.outcomes.table_options import TableOptions
from memtrial.private_file import ForeignFault, make_private, read_private, refuse_foreign, write_whole
from memtrial.runs.spec.option_values import SEEDS, refuse_options, settle

if TYPE_CHECKING:
    from memtrial.views.rows.results import Results

LOADED = ("scipy.special", "memtrial.views.results.table_results")
"""What the analysis loads anyway: some .4 s of processor time."""


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
    table: Table,
    options: TableOptions = TableOptions(),
    rules: AnalysisOptions = AnalysisOptions(),
    on_table: Callable[[OutcomeTable], object] | None = None,
    command: Sequence[str] = (),
) -> Results:
    """Analyse outcomes: paired, with intervals, equivalence and verdicts.

    Args:
        table: a file (CSV, TSV, Parquet, JSON lines, a log of Inspect), a folder or several of them; a frame
            of polars, pandas or pyarrow, or a list of dicts. A row a trial, or a column an arm.
        options: what the columns are, where their names do not say it.
        rules: margin, error rate, and what is compared.
        on_table: gets the table as it was read, before anything is computed.
        command: the words of the command line that was given; what is unclear is asked with these words.

    Raises:
        SpecFault: an option is wrong.
        TableFault: the table cannot be read, or an option does not fit it.
    """
    refuse_options(options, TableOptions, "options")
    settle(options)
    refuse_options(rules, AnalysisOptions, "rules")
    with _loading(LOADED):
        shaped = shape_or_ask(read_sheet(table), options, command, rules.pairs)
    plan = _plan_of(shaped, rules)
    if on_table is not None:
        on_table(shaped)
    files = files_of(table)
    name = name_of(files) if files else "a frame"
    digests = {
        str(path.relative_to(base) if len(files) > 1 else path.name): hashlib.sha256(
            path.read_bytes()
        ).hexdigest()
        for base in ((Path(os.path.commonpath(files)),) if files else ())
        for path in files
    }
    from memtrial.views.results.table_results import table_results

    reproduce = (rules.reproduce,) if rules.reproduce else ()
    return table_results(shaped, plan, name, rules.question, digests, reproduce)


@contextmanager
def _loading(names: Sequence[str]) -> Iterator[None]:
    """Import modules beside the reading of a table, which is done by polars and leaves Python free.

    Once it is read, or refused, those that were not begun are left to whoever needs them.
    """
    left = list(reversed(names))

    def load() -> None:
        # what cannot be imported is a fault where it is asked for; the list may be cleared meanwhile
        with suppress(ImportError, IndexError):
            while True:
                import_module(left.pop())

    thread = Thread(target=load)
    thread.start()
    try:
        yield
    finally:
        left.clear()
        thread.join()


def name_of(files: Sequence[Path]) -> str:
    """What a table is called: by its file, or by how many there are."""
    return files[0].name if len(files) == 1 else f"{len(files):,} files"


def _plan_of(shaped: OutcomeTable, rules: AnalysisOptions) -> AnalysisPlan:
    """What is compared in a table, and by which rules; SpecFault where a number or a name does not fit."""
    if not shaped.conditioned and rules.primary:
        raise SpecFault(
            "--primary is about what damage costs, and this table has no condition; "
            "--reference ARM says with which arm the others are compared"
        )
    pairs = tuple(read_pair(text, shaped.arms) for text in rules.pairs if shaped.conditioned)
    by_default = shaped.arms if not rules.pairs and shaped.conditioned else ()
    pairs_by_name, channel_pairs = _pairs_by_name(by_default)
    pairs = pairs or pairs_by_name
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
            channel_pairs=channel_pairs,
            primary=rules.primary,
            rules=AnalysisRules(rules.margin, rules.alpha, rules.flips, rules.seed),
            effects=_effects_of(shaped.conditions),
            positive_control=rules.positive_control or ORACLE,
            cells=tuple(sorted(cells)),
        )


def _pairs_by_name(arms: Sequence[str]) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    """The pairs of arms that this package compares, and those of two injections, of which both are here."""
    if not arms:
        return (), ()
    known = _read_known()
    pairs, channel_pairs = (
        tuple((treatment, control) for treatment, control in known[name] if {treatment, control} <= {*arms})
        for name in ("pairs", "channel_pairs")
    )
    return pairs, channel_pairs


def _effects_of(conditions: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """What the kinds of damage of these names do, as each declares it."""
    known = _read_known()["effects"] if conditions else []
    return tuple((name, effect) for name, effect in known if name in conditions)


KNOWN = Path(__file__).with_name("known_names.json")
"""Names of this package that a table may have: to load all kinds of damage takes longer than most tables."""


def _read_known() -> dict[str, list[tuple[str, str]]]:
    known: dict[str, list[tuple[str, str]]] = json.loads(KNOWN.read_text(encoding="utf-8"))
    return known


def known_text() -> str:
    """What the file holds: the effect of each kind of damage, and which arms are compared."""
    from memtrial.arms.arm import CHANNEL_PAIRS, PAIRS
    from memtrial.perturbations.kinds import NAMED

    named = {
        name: [(treatment.name, control.name) for treatment, control in pairs]
        for name, pairs in (("pairs", PAIRS), ("channel_pairs", CHANNEL_PAIRS))
    }
    effects = [(kind.name, kind.aim.declared.effect) for kind in NAMED]
    return json.dumps({"effects": effects, **named}, indent=1) + "\n"


FILES = ("results.json", "report.html", "report.md")


def refuse_folder(folder: Path, tables: Sequence[Path]) -> None:
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
        if path.exists() and any(table.exists() and path.samefile(table) for table in tables):
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
