"""How the runs of a database stand now, and who works at them; a look keeps nobody waiting."""

from contextlib import closing
from dataclasses import dataclass

from memtrial.ledger.postgres.database import Database
from memtrial.ledger.postgres.worker_lease import ALIVE
from memtrial.ledger.row_text import LedgerFault, read_mapping

_RUNS = (
    "SELECT id, name, spec, reported_usd, preparer, (SELECT body FROM memtrial.facts WHERE run = r.id AND"
    " name = 'plan') FROM memtrial.runs AS r WHERE spec != '' AND (%s::text IS NULL OR name = %s) ORDER BY id"
)
_BLOCKS = (
    "SELECT count(*), count(*) FILTER (WHERE done), count(*) FILTER (WHERE NOT done AND EXISTS (SELECT 1 FROM"
    f" memtrial.workers AS w WHERE w.id = b.worker AND {ALIVE})) FROM memtrial.blocks AS b WHERE run = %s"
)
# a trial ends once, and is an error as often as it was tried before
_TRIALS = (
    "SELECT count(*) FILTER (WHERE attempt = 0), count(*) FILTER (WHERE status != 'error')"
    " FROM memtrial.trials WHERE run = %s"
)
_WORKERS = (
    "SELECT w.id, w.place, to_char(begun AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS+00:00'),"
    f" {ALIVE}, sends, usd, unpriced, count(b.place) FILTER (WHERE b.done),"
    " count(b.place) FILTER (WHERE NOT b.done) FROM memtrial.workers AS w LEFT JOIN memtrial.blocks AS b"
    " ON b.run = w.run AND b.worker = w.id WHERE w.run = %s GROUP BY w.id ORDER BY w.id"
)
_RATES = (
    "SELECT provider, part, greatest(0, extract(epoch FROM closed - clock_timestamp()))::double precision,"
    " (SELECT coalesce(sum(connections), 0)::bigint FROM memtrial.shares AS s JOIN memtrial.workers AS w"
    f" ON w.id = s.worker WHERE s.run = r.run AND s.provider = r.provider AND {ALIVE})"
    " FROM memtrial.rates AS r WHERE run = %s ORDER BY provider"
)
_ASKING = (
    "SELECT count(*) FROM memtrial.claims AS c JOIN memtrial.workers AS w ON w.id = c.worker"
    f" WHERE c.run = %s AND {ALIVE}"
)
_LAST_END = "SELECT ended, how, why FROM memtrial.session_ends WHERE run = %s ORDER BY nth DESC LIMIT 1"


@dataclass(frozen=True, slots=True)
class WorkerProgress:
    """One worker of a run, which ends or lapses in the end.

    Args:
        place: its machine and the number of its process.
        requests: that it sent; `usd` they cost, `unpriced` had no known price.
        done, playing: blocks.
    """

    id: int
    place: str
    begun: str
    alive: bool
    requests: int
    usd: float
    unpriced: int
    done: int
    playing: int


@dataclass(frozen=True, slots=True)
class RateProgress:
    """A provider: the part of the connections that may be used, the seconds for which nothing is sent, and
    the connections that workers have."""

    provider: str
    part: float
    closed_s: float
    connections: int


@dataclass(frozen=True, slots=True)
class RunProgress:
    """A run as its database has it.

    Args:
        spec, plan: as they were stated; no plan before the run is prepared.
        blocks: laid out, done and being played; `trials`: played, and how many of them as errors.
        asking: calls that a worker is asking now.
        ended: when a session ended last, how, and why; three empty texts before the first.
    """

    name: str
    spec: dict[str, object]
    plan: dict[str, object] | None
    preparer: int | None
    blocks: tuple[int, int, int]
    trials: tuple[int, int]
    reported_usd: float
    asking: int
    workers: tuple[WorkerProgress, ...]
    rates: tuple[RateProgress, ...]
    ended: tuple[str, str, str]

    @property
    def state(self) -> str:
        """Whether it goes on, as `status` says it."""
        if any(worker.alive for worker in self.workers):
            return "running"
        laid, done, _ = self.blocks
        return "finished" if laid and done == laid else "stopped"


def look_at_runs(address: str, name: str | None = None) -> list[RunProgress]:
    """Those of a database, or the one of this name. LedgerFault: nothing answers, or there is none."""
    with closing(Database(address)) as database:
        if database.look("SELECT to_regclass('memtrial.tallies_together')")[0][0] is None:
            raise LedgerFault("a database with runs is needed; `memtrial run SPEC --ledger` begins one there")
        rows = database.look(_RUNS, (name, name))
        if not rows:
            there = "there is none in it" if name is None else f"there is no {name!r}"
            raise LedgerFault(f"the name of a run of this database is needed; {there}")
        return [_look_at(database, *row) for row in rows]


def _look_at(
    database: Database,
    run: int,
    name: str,
    spec: str,
    reported_usd: float,
    preparer: int | None,
    plan: str | None,
) -> RunProgress:
    laid, done, playing = database.look(_BLOCKS, (run,))[0]
    played, ended = database.look(_TRIALS, (run,))[0]
    last = database.look(_LAST_END, (run,))
    return RunProgress(
        name=name,
        spec=read_mapping(spec),
        plan=None if plan is None else read_mapping(plan),
        preparer=preparer,
        blocks=(laid, done, playing),
        trials=(played, played - ended),
        reported_usd=reported_usd,
        asking=database.look(_ASKING, (run,))[0][0],
        workers=tuple(WorkerProgress(*row) for row in database.look(_WORKERS, (run,))),
        rates=tuple(RateProgress(*row) for row in database.look(_RATES, (run,))),
        ended=(last[0][0], *last[0][1:]) if last else ("", "", ""),
    )
