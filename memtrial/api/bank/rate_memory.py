"""Rates an item of a bank in a folder; where it was of no help, a writer makes a guardrail of that."""

import os
from dataclasses import dataclass, replace

from memtrial.api.bank.bank_embedder import HASHING, ask_nobody, embed_for
from memtrial.api.bank.kept_bank import open_bank
from memtrial.api.given_spec import client_of
from memtrial.faults import RunFault, SpecFault, refused
from memtrial.memory.bank.bank_settings import BankSettings
from memtrial.memory.bank.distillation.distil import AskText
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.item_queries import get_item
from memtrial.memory.bank.rated_items import RatedItem, Rating, rate_item
from memtrial.memory.bank.reasoning_bank import ReasoningBank
from memtrial.memory.stored_item import MemoryFault
from memtrial.memory.systems.system_door import SystemDoor
from memtrial.models.client.client import Caller, ModelClient
from memtrial.models.client.transport import HaltFault
from memtrial.models.client.types import ModelFault
from memtrial.outcomes.given_path import path_of
from memtrial.protocols import Embedder


@dataclass(frozen=True, slots=True)
class RatingChoice:
    """Who makes a guardrail of an item that was of no help.

    Args:
        writer: a model; empty: nobody, and the rating counts alone.
        embedder: `hashing`, or a provider's: the one that made the bank's vectors.
        base_urls: where a provider's requests go, URL or PROVIDER=URL.
    """

    writer: str = ""
    embedder: str = HASHING
    base_urls: tuple[str, ...] = ()


def rate_memory(
    folder: str | os.PathLike[str], rating: Rating, choice: RatingChoice | None = None
) -> RatedItem:
    """Note whether an item helped, and trust it accordingly.

    Raises:
        SpecFault: no bank or item is there, or the models do not fit; nothing is changed.
        RunFault: the writer, or the embedder's provider, gave no answer; nothing is changed.
    """
    chosen = choice or RatingChoice()
    with refused(MemoryFault), open_bank(path_of(folder, "the folder of a bank", SpecFault)) as log:
        get_item(log, rating.item_id)
        client = None
        if chosen.writer and not rating.helpful:
            client = client_of((("condense", chosen.writer),), chosen.base_urls)

        async def rate(embedder: Embedder) -> RatedItem:
            return await _rate(log, rating, embedder, chosen.writer, client)

        try:
            return embed_for(log, chosen.embedder, chosen.base_urls, rate)
        except (ModelFault, HaltFault) as fault:
            raise RunFault(f"no answer could be had, nothing was changed: {fault}") from fault


async def _rate(
    log: BankLog, rating: Rating, embedder: Embedder, writer: str, client: ModelClient | None
) -> RatedItem:
    door = SystemDoor(ask_nobody if client is None else Caller(client, writer).ask, embedder)
    ask: AskText | None = None if client is None else door.ask
    settings = _settings_of(log, get_item(log, rating.item_id).origin.project)
    bank = ReasoningBank(log, door.embed_array, embedder.space, settings)
    try:
        return await door.work(lambda: rate_item(bank, ask, rating))
    finally:
        if client is not None:
            await client.close()


def _settings_of(log: BankLog, project: str) -> BankSettings:
    """The project's, with the key of which the bank has most vectors."""
    usual = BankSettings(project=project)
    keys = log.read("SELECT key FROM vectors GROUP BY key ORDER BY count(*) DESC, key LIMIT 1")
    if not keys:
        return usual
    return replace(usual, profile=usual.profile.model_copy(update={"key": keys[0][0]}))
