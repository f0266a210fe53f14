"""One session of a run: open what it needs, and let the runner of its mode play."""

from __future__ import annotations

from pathlib import Path

from pydantic import JsonValue

from loadbearing.ledger.lock_facts import identity_in_force
from loadbearing.ledger.store import Ledger
from loadbearing.models.client.cache import StoreFault
from loadbearing.models.client.transport import HaltFault
from loadbearing.models.embeddings.embedders import open_embedder
from loadbearing.runs.errors import RESUME, RunFault
from loadbearing.runs.folder.run_folder import identity_of, refuse_changed
from loadbearing.runs.play.frozen import run_frozen
from loadbearing.runs.play.interrupt import on_interrupt
from loadbearing.runs.play.schedule import Ending, Session, ending_of
from loadbearing.runs.play.stream import run_streams
from loadbearing.runs.progress.display import Display
from loadbearing.runs.setup.context import RunContext, open_client
from loadbearing.runs.setup.preflight import Experiment
from loadbearing.runs.setup.worlds import open_world


async def carry_out(experiment: Experiment, ledger: Ledger, display: Display, session: Session) -> Ending:
    """Prepare, check and play; how it ended.

    Raises:
        LedgerFault: the ledger was begun by another version, or cannot be written.
        RunFault: the run cannot continue; progress is saved.
    """
    spec = experiment.spec
    model_client = open_client(experiment, ledger, session.say)
    display.stats = model_client.stats
    try:
        with on_interrupt(model_client.transport.halt, display.say):
            world = open_world(spec)
            embedder = open_embedder(
                spec.retrieval.embedder,
                experiment.keys,
                ledger.connection,
                model_client.transport.retry_policy,
                session.say,
                spec.engine.max_reply_bytes,
            )
            ledger.seal_tables()  # those of calls and vectors are there by now
            run = RunContext(experiment, world, embedder, model_client, ledger, display)
            return await (run_streams if spec.mode == "stream" else run_frozen)(run, session)
    except HaltFault as fault:
        return ending_of(fault)
    except StoreFault as fault:
        raise RunFault(f"{fault}; {RESUME}") from fault
    finally:
        await model_client.close()


def stated_identity(experiment: Experiment) -> dict[str, JsonValue]:
    """All that determines the trials: of the spec, and of the texts and files it uses."""
    files = {f"digest of {name}": value for name, value in experiment.digests.items()}
    return identity_of(experiment.spec) | files


def begin(experiment: Experiment, ledger: Ledger, folder: Path) -> None:
    """State what this run is, or make sure that it is the same as before.

    Raises:
        SpecFault: the folder holds another experiment.
        LedgerFault: the ledger cannot be written.
    """
    identity = stated_identity(experiment)
    refuse_changed(folder, identity_in_force(ledger), identity)
    if ledger.fact("identity") is None:
        ledger.state("identity", identity)
