"""One run of all its shards, with its report."""

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from memtrial.api.lock import write_lock
from memtrial.api.run import RunEnd
from memtrial.api.shards.shard_run import forget_cut_off
from memtrial.api.shown.report_files import write_reports
from memtrial.faults import RunFault, SpecFault, StoreFault, refused
from memtrial.ledger.open_ledger import open_ledger_to_read
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.shards.merged_calls import AskedTwice
from memtrial.ledger.shards.merged_ledger import merge_ledgers
from memtrial.ledger.shards.shard_agreement import OpenShard, read_open_shard, refuse_apart
from memtrial.ledger.shards.shard_copy import as_file
from memtrial.ledger.sqlite.sqlite_faults import DatabaseFault, has_no_room
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.given_path import path_of
from memtrial.private_file import read_private, write_whole
from memtrial.runs.engine.schedule import Ending
from memtrial.runs.run_folder.folder import (
    LEDGER,
    LOCK,
    SPEC,
    alarm_of,
    alone_in,
    find_run,
    going_on,
    make,
    open_for_reading,
    point_latest,
    refuse_kept_elsewhere,
    refuse_links,
)


def merge(shards: Sequence[str | Path], out: str | Path) -> RunEnd:
    """Make one run of all its shards: one ledger, with the trials in the order of playing, and the report.

    What the shards prepared together is in it once, and so are its calls and costs.

    Args:
        shards: the folders of the shards, in any order.
        out: the new run's folder.

    Raises:
        SpecFault: they are not all shards of one run, each once, finished and prepared alike, or there is a
            run in the new folder; nothing was written.
        RunFault: the disk is full.
    """
    target = path_of(out, "--out: a folder", SpecFault)
    asked = merge_into(target, [path_of(shard, "the folder of a shard", SpecFault) for shard in shards])
    with open_for_reading(target) as (_, ledger):
        results = write_reports(target, ledger)
    notice = ""
    if asked.sends:
        notice = (
            f"{how_many(asked.sends, 'answer')} came to several shards: all are paid, and the first is kept;"
            f" {asked.otherwise:,} of the others differ"
        )
    return RunEnd(target, Ending(), results, notice)


def merge_into(target: Path, shards: Sequence[Path]) -> AskedTwice:
    """The same without a report: the ledger, and what stands beside it."""
    folders = [find_run(shard) for shard in shards]
    if not folders:
        raise SpecFault("the folders of all shards of a run are needed; got none")
    refuse_links(target)
    if (target / LEDGER).exists():
        raise SpecFault(f"--out needs a folder of its own; {target} holds a run already")
    with ExitStack() as opened:
        ledgers = [_open_shard(folder, opened) for folder in folders]
        with refused(LedgerFault):
            refuse_apart(ledgers)
        fresh = not target.exists()
        forget_cut_off(target)
        make(target)
        with alone_in(target):
            asked = _write(ledgers, target, fresh)
            with suppress(FileNotFoundError):
                write_whole(target / SPEC, read_private(folders[0] / SPEC).decode())
            with open_for_reading(target, glance=True) as (_, ledger):
                write_lock(target, ledger)
            point_latest(target)
    return asked


def _open_shard(folder: Path, opened: ExitStack) -> OpenShard:
    """A shard's ledger, as long as `opened` is; SpecFault where it is none that can be trusted as a whole."""
    refuse_links(folder)
    refuse_kept_elsewhere(folder)
    if going_on(folder):
        raise SpecFault(f"a run is going on in {folder}; wait until it has ended")
    try:
        ledger = as_file(open_ledger_to_read(folder / LEDGER))
        opened.callback(ledger.close)
        if alarm := alarm_of(ledger.damage):
            raise SpecFault(f"{folder}: {alarm}")
        return read_open_shard(str(folder), ledger)
    except LedgerFault as fault:
        raise SpecFault(str(fault)) from fault
    except DatabaseFault as fault:
        raise SpecFault(f"an intact ledger is needed; {folder / LEDGER} is damaged: {fault}") from fault


def _write(shards: Sequence[OpenShard], target: Path, fresh: bool) -> AskedTwice:
    """Write the merged ledger; where that fails the folder is as it was."""
    whole = False
    try:
        asked = merge_ledgers(shards, target / LEDGER)
        whole = True
        return asked
    except (LedgerFault, StoreFault, DatabaseFault) as fault:
        kind = RunFault if has_no_room(fault) or has_no_room(fault.__cause__) else SpecFault
        raise kind(f"the shards cannot be merged into {target}: {fault}") from fault
    finally:
        if fresh and not whole:
            (target / LOCK).unlink(missing_ok=True)
            with suppress(OSError):
                target.rmdir()
