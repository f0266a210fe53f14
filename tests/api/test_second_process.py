"""The second process of a report: what it computes, how it ends, and that results are the same with it."""

import os
import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from memtrial.api.shown.second_process import WORTH, compute_beside
from memtrial.faults import RunFault
from memtrial.ledger.open_ledger import share_rows
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.rows import CheckRow
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.protocol.hidden_names import hidden_names
from memtrial.reports.render.html_report import render_html
from memtrial.reports.sections.report_part import Fold, ReportPart, begin_figures
from memtrial.views.computation import Begin, Value, compute_all, compute_late
from memtrial.views.results.run_results import results
from tests.support.report_ledger import fill_ledger


def begin_there(
    begin: Begin, begun: Path, compute: Callable[[], Value]
) -> Callable[[], tuple[object, Value]]:
    """Begin a computation, and wait until the other process does it: before that, this one would."""
    assert begin is not compute_late, "no process was begun"
    give = begin(partial(compute_all, (begun.touch, compute)))
    while not begun.exists():
        pass
    return give


@pytest.mark.parametrize(("n_trials", "n_processors"), [(WORTH - 1, 2), (WORTH, 1)])
def test_with_few_trials_or_one_processor_no_process_is_begun(n_trials: int, n_processors: int) -> None:
    with compute_beside(n_trials, n_processors) as begin:
        assert begin is compute_late
        assert begin(os.getpid)() == os.getpid()


def test_many_trials_have_a_second_process_that_ends_with_the_block(tmp_path: Path) -> None:
    with compute_beside(WORTH, 2) as begin:
        _, (process, parent) = begin_there(
            begin, tmp_path / "begun", partial(compute_all, (os.getpid, os.getppid))
        )()
        assert process != os.getpid() == parent
        later = begin(partial(divmod, 7, 2))
        assert later() == (3, 1)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_what_is_asked_for_while_the_second_process_is_busy_is_computed_here(tmp_path: Path) -> None:
    with compute_beside(WORTH, 2) as begin:
        give = begin_there(begin, tmp_path / "begun", partial(_wait_for, tmp_path / "go on"))
        assert begin(os.getpid)() == os.getpid()
        (tmp_path / "go on").touch()
        give()


def test_it_ends_where_the_report_is_interrupted_while_it_computes(tmp_path: Path) -> None:
    first, second, noted = tmp_path / "first", tmp_path / "second", list[int]()

    def interrupt() -> None:
        with compute_beside(WORTH, 2) as begin:
            noted.append(begin_there(begin, first, os.getpid)()[1])
            begin_there(begin, second, partial(_wait_for, tmp_path / "never"))
            begin(partial(_wait_for, tmp_path / "never"))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupt()
    with pytest.raises(ProcessLookupError):
        os.kill(noted[0], 0)


def test_where_it_dies_the_report_ends_with_one_line(tmp_path: Path) -> None:
    with compute_beside(WORTH, 2) as begin:
        give = begin_there(begin, tmp_path / "begun", partial(os._exit, 3))
        with pytest.raises(
            RunFault, match=r"^the second process of the report ended with exit code 3; no row is lost"
        ):
            give()


def test_where_it_cannot_read_the_ledger_the_fault_is_raised_here_and_it_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    ledger = SqliteLedger(path)
    open_rows = share_rows(ledger)
    ledger.close()
    path.write_text("no ledger")
    with compute_beside(WORTH, 2) as begin:
        give = begin_there(begin, tmp_path / "begun", open_rows)
        with pytest.raises(LedgerFault, match=r"a ledger is needed; .* cannot be read as one"):
            give()
        assert begin_there(begin, tmp_path / "again", os.getppid)()[1] == os.getpid()


def test_where_more_was_played_than_planned_checks_are_read_under_the_masked_names(tmp_path: Path) -> None:
    """Counted by trials the run is complete, and its arms would not be masked; counted by cells it is not."""
    filled, ledger = (SqliteLedger(tmp_path / f"{name}.sqlite") for name in ("filled", "masked"))
    fill_ledger(filled, n_tasks=4)
    trials, plan = tuple(filled.trials()), filled.fact("plan")
    for name in ("injections", "arm_conditions", "planned"):
        del plan[name]["oracle"]
    plan["arms"].remove("oracle")
    plan["trials"] = sum(trial.arm != "oracle" for trial in trials) + 1
    ledger.state("plan", plan)
    ledger.state("lock", {"made": "", "trials": 0, "digest": "0f" * 32, "frozen": {}})
    ledger.add_trials(trials)
    why = "nothing can be reworded"
    ledger.add_checks(
        CheckRow(trial.backbone, "artifact", "paraphrase", trial.task, 0, False, False, why, "x", "y", {})
        for trial in trials
        if (trial.arm, trial.repeat) == ("none", 0)
    )
    assert not hidden_names(ledger)
    left_out = [note for note in results(ledger).notes if note.endswith(why)]
    assert len(left_out) == 1
    assert "paraphrase of arm " in left_out[0]
    filled.close()
    ledger.close()


def test_a_report_is_the_same_where_all_that_is_begun_is_computed_apart(tmp_path: Path) -> None:
    """Each computation goes through what another process would be sent, and its value comes back so."""
    begun = list[Callable[[], object]]()

    def begin_apart(compute: Callable[[], Value], /) -> Callable[[], Value]:
        begun.append(compute)
        value: Value = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(compute))()))
        return lambda: value

    ledger = SqliteLedger(tmp_path / "ledger.sqlite")
    fill_ledger(ledger)
    here, apart = results(ledger), results(ledger, begin=begin_apart, rows=share_rows(ledger))
    assert len(begun) == 4
    assert apart.json_text() == here.json_text()
    page = render_html(here)
    assert render_html(here, (), begin_apart) == page
    assert len(begun) == 4 + page.count("<svg") - 1 > 5  # all but the one of the first screen
    ledger.close()


def test_figures_are_begun_from_the_last_one_on_and_stay_where_they_are() -> None:
    begun = list[Callable[[], object]]()

    def note(compute: Callable[[], Value], /) -> Callable[[], Value]:
        begun.append(compute)
        return compute

    first, second, third = (partial(str, number) for number in range(3))
    folds = Fold("of b", None, second), Fold("bare", None), Fold("of c", None, third)
    parts = ReportPart("a", "A"), ReportPart("b", "B", figure=first, folds=folds)
    assert begin_figures(parts, note) == parts
    assert begun == [third, second, first]


def _wait_for(path: Path) -> None:
    while not path.exists():
        pass
