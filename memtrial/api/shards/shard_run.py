"""A run that is prepared and not played, and one of its shards, begun from it."""

from dataclasses import dataclass
from pathlib import Path

from memtrial.api.lock import write_lock
from memtrial.faults import SpecFault, refused
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.run_plan import (
    Amendment,
    count_played,
    plan_in_force,
    read_lock,
    read_numbered,
    stated_plan,
)
from memtrial.ledger.shards.shard_copy import (
    copy_prepared,
    digest_of_seals,
    state_shard,
)
from memtrial.ledger.shards.shard_facts import read_shard, read_shard_blocks
from memtrial.ledger.sqlite.ledger_draft import draft_of, remove_draft
from memtrial.outcomes.count_words import how_many
from memtrial.protocols import LedgerStore
from memtrial.runs.engine.session import refuse_other
from memtrial.runs.run_folder.folder import (
    LEDGER,
    LOCK,
    alarm_of,
    find_run,
    going_on,
    open_for_reading,
    refuse_kept_elsewhere,
)
from memtrial.runs.setup.preflight import Experiment
from memtrial.runs.spec.spec import Spec

MOST = 10_000
"""Shards of one run."""


@dataclass(frozen=True, slots=True)
class ShardPlace:
    """Shard `number` of `of`, from 1; it begins from the folder of a `prepared` run, where one is named."""

    number: int
    of: int
    prepared: Path | None = None

    @property
    def name(self) -> str:
        """As on the command line: `2/4`."""
        return f"{self.number}/{self.of}"


def read_place(text: str | None, prepared: Path | None) -> ShardPlace | None:
    """The shard that is asked for, as `2/4`; None for a whole run. SpecFault where it is none."""
    if text is None:
        if prepared is not None:
            raise SpecFault("--prepared is where a shard begins from: add --shard i/n, as 2/4")
        return None
    number, _, of = text.partition("/")
    if not all(part.isascii() and part.isdigit() and len(part) < 6 for part in (number, of)):
        raise SpecFault(f"--shard takes i/n, as 2/4 for the second of four; got {text!r}")
    place = ShardPlace(int(number), int(of), prepared)
    if not 1 <= place.number <= place.of <= MOST:
        raise SpecFault(f"--shard takes i/n with i from 1 to n, and n to {MOST:,}; got {text!r}")
    return place


def refuse_uncut(spec: Spec, place: ShardPlace | None, prepare: bool, address: str | None) -> None:
    """What is cut has blocks that can be played apart, and no database shares them out; else SpecFault."""
    if place is None and not prepare:
        return
    what = "--prepare" if place is None else "--shard"
    if spec.mode == "stream":
        raise SpecFault(
            f"{what} needs blocks that can be played in any order; in mode: stream each task is shown what"
            f" came before: leave {what} out"
        )
    if address is not None:
        raise SpecFault(f"{what} is for machines without a database; leave it out, or --ledger")


def refuse_unprepared(place: ShardPlace, experiment: Experiment, folder: Path) -> None:
    """The prepared folder, where one is named, is one that this shard can begin from; else SpecFault."""
    if place.prepared is None:
        return
    base = find_run(place.prepared)
    if folder.resolve() == base.resolve():
        raise SpecFault(f"--prepared names where the shard is copied from; {base} is the shard's own folder")
    refuse_kept_elsewhere(base)
    if going_on(base):
        raise SpecFault(f"a run is going on in {base}; wait until it is prepared")
    if alarm := alarm_of(refuse_other(base, experiment)):
        raise SpecFault(f"--prepared needs an intact ledger; {base}: {alarm}")
    with open_for_reading(base) as (_, ledger):
        if (shard := read_shard(ledger)) is not None:
            raise SpecFault(f"--prepared needs a whole run; {base} is shard {shard.name} of one")
        if plan_in_force(ledger) is None:
            raise SpecFault(f"{base} is not prepared yet: `memtrial run SPEC --prepare --out {base}`")
        if done := count_played(ledger):
            raise SpecFault(
                f"--prepared needs a run before its first trial; {base} has {how_many(done, 'trial')}"
            )
        _refuse_looks(ledger, base)


def forget_cut_off(folder: Path) -> None:
    """Remove what a copy or a merge that was killed left in a folder that holds no run yet."""
    if (folder / LOCK).is_file() and not (folder / LEDGER).exists() and not going_on(folder):
        remove_draft(draft_of(folder / LEDGER))


def begin_part(place: ShardPlace | None, folder: Path) -> None:
    """Copy the prepared run into a shard's new folder, which has its lock from then on."""
    path = folder / LEDGER
    if place is None or place.prepared is None or (path.exists() and path.stat().st_size):
        return
    with refused(LedgerFault):
        copy_prepared(find_run(place.prepared) / LEDGER, path, place.number, place.of)


def settle_part(place: ShardPlace | None, folder: Path, ledger: LedgerStore) -> None:
    """The ledger is that of the whole run, or of the shard that is asked for, which a new one becomes.

    SpecFault where it is something else.
    """
    stated = read_shard(ledger)
    if place is None:
        if stated is not None:
            raise SpecFault(
                f"{folder} is shard {stated.name} of a run: add --shard {stated.name}, or use --out"
                " with another folder"
            )
        return
    _refuse_looks(ledger, folder)
    if stated is None:
        if done := count_played(ledger):
            raise SpecFault(
                f"{folder} holds a whole run with {how_many(done, 'trial')}: use --out with another folder"
                f" for shard {place.name}"
            )
        if plan_in_force(ledger) is not None:  # as a shard it could give no other its preparation
            raise SpecFault(
                f"{folder} is prepared for all shards: begin one from it, with --shard {place.name}"
                f" --prepared {folder} and --out with another folder"
            )
        state_shard(ledger, place.number, place.of)
    elif (stated.number, stated.of) != (place.number, place.of):
        raise SpecFault(f"{folder} is shard {stated.name}; use --out with a folder for shard {place.name}")
    elif place.prepared is not None:
        with open_for_reading(place.prepared) as (base, prepared):
            if digest_of_seals(prepared, stated.seals) != stated.digest:
                raise SpecFault(f"{folder} was not begun from {base}: leave --prepared out to go on with it")
    write_lock(folder, ledger)


def describe_part(folder: Path, ledger: LedgerStore) -> str:
    """What there is in the place of results: a prepared run, or a shard of one."""
    stated, own, plan = read_shard(ledger), read_shard_blocks(ledger), stated_plan(ledger)
    if stated is None or own is None:
        return (
            f"Prepared: {folder}, {how_many(plan.trials, 'trial')}. The same `memtrial run` without --prepare"
            f" plays it, and with --shard 1/4 --prepared {folder} --out SHARD the first of four parts."
        )
    done = ledger.accounts.trials_played()
    return (
        f"Shard {stated.name}: {folder}, {how_many(len(own.blocks), 'block')}, {done:,} of"
        f" {how_many(own.trials, 'trial')} played. `memtrial merge` makes one run of all {stated.of} shards."
    )


def _refuse_looks(ledger: LedgerStore, folder: Path) -> None:
    """No looks were locked: they are at the data of a whole run, and no shard has them. Else SpecFault."""
    plan = plan_in_force(ledger)
    locked = read_lock(ledger) is not None and not read_numbered(ledger, Amendment)
    if plan is not None and plan.looks > 1 and locked:
        raise SpecFault(
            f"{folder} has {plan.looks} looks locked, which are taken at the data of all blocks while they"
            " are played; no shard sees them: play it in one folder, or with --ledger"
        )
