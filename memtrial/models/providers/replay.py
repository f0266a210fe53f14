"""`replay/<run folder>?model=<model string>`: answers from another run's ledger. Nothing is sent."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from memtrial.faults import StoreFault
from memtrial.ledger.sqlite.sqlite_calls import RecordedCalls
from memtrial.models.client.cache import reply_of
from memtrial.models.client.types import REMADE, ModelFault, Reply, Request, key_of, provider_of
from memtrial.models.simulated.open_simulated import open_simulated


@dataclass
class Replay:
    """A model that was `recorded` under that model string in a run's folder."""

    folder: Path
    recorded: str
    calls: RecordedCalls

    free: ClassVar[bool] = True

    async def answer(self, request: Request, repeat: int) -> Reply:
        """The recorded answer to this request in this repeat; ModelFault where it was never asked that."""
        key = key_of(replace(request, model=self.recorded), repeat)
        try:
            call = self.calls.find(key)
            if call is None and provider_of(self.recorded) == REMADE and self.calls.was_free(key):
                participant = open_simulated(self.recorded)
                return await participant.answer(replace(request, model=self.recorded), repeat)
        except StoreFault as fault:
            raise ModelFault(f"the ledger of {self.folder} cannot be read: {fault}") from None
        if call is None:
            raise ModelFault(
                f"{self.folder} has no answer of {self.recorded!r} to this request in repeat {repeat}:"
                " a replay asks what was asked then, with the same spec and the same prompts"
            )
        try:
            return replace(reply_of(call), usd=0.0)
        except ValueError as fault:
            raise ModelFault(f"the ledger of {self.folder} cannot be read: {fault}") from None

    async def close(self) -> None:
        self.calls.close()


def open_replay(model: str) -> Replay:
    """Open `replay/<run folder>`, or `replay/<run folder>?model=<model string>` where several were asked.

    Raises:
        ModelFault: no such folder, no ledger that can be read, or no such model in it.
    """
    address, _, query = model.partition("?")
    folder = Path(address.removeprefix("replay/"))
    ledger = folder / "ledger.sqlite"
    # the recorded model string may have settings: everything after model= belongs to it
    setting, _, wanted = query.partition("=")
    if query and (setting != "model" or not wanted):
        raise ModelFault(f"a replay has one setting, model=<model string>; got {query!r} in {model!r}")
    if not ledger.is_file():
        raise ModelFault(f"{model!r} needs a run folder with a ledger.sqlite; there is none in {folder}")
    for suffix in ("", "-wal", "-shm", "-journal"):
        if (one := ledger.with_name(f"{ledger.name}{suffix}")).is_symlink():
            raise ModelFault(f"{model!r} needs a run folder with a ledger of its own; {one} is a link")
    try:
        calls = RecordedCalls(ledger)
    except StoreFault as fault:
        raise ModelFault(f"{ledger} cannot be read as a ledger: {fault}") from None
    try:
        return Replay(folder, _recorded_model(calls, wanted, folder), calls)
    except ModelFault:
        calls.close()
        raise


def _recorded_model(calls: RecordedCalls, wanted: str, folder: Path) -> str:
    """The model that is replayed: the one that is wanted, or the only one that was asked."""
    try:
        asked = calls.models_asked()
    except StoreFault as fault:
        raise ModelFault(f"{folder}/ledger.sqlite cannot be read as a ledger: {fault}") from None
    if not asked:
        raise ModelFault(f"no model was asked in {folder}: there is nothing to replay")
    if wanted in asked or (len(asked) == 1 and not wanted):
        return wanted or asked[0]
    what = f"no {wanted!r}" if wanted else "several models"
    raise ModelFault(f"{folder} has {what}; write replay/{folder}?model= with one of {', '.join(asked)}")
