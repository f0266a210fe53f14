"""The embedder of a bank in a folder: hashed words, or a provider's, open as long as some work takes."""

import asyncio
import os
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from memtrial.api.given_spec import done_by
from memtrial.faults import refused
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import ModelClient
from memtrial.models.client.keys import read_keys
from memtrial.models.client.limits import MAX_REPLY_BYTES
from memtrial.models.client.types import Message, ModelFault, Reply
from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.models.embeddings.provider import check_embedder, open_embedder, open_provider
from memtrial.protocols import Embedder

HASHING = "hashing"
T = TypeVar("T")


def embed_for(
    log: BankLog, name: str, base_urls: Sequence[str], work: Callable[[Embedder], Coroutine[Any, Any, T]]
) -> T:
    """Do some work with an embedder by its name; hashed words have as many numbers as the bank's vectors.

    Raises:
        SpecFault: there is no such embedder, or its key is missing.
        RunFault: the provider gave no vector.
    """
    if name == HASHING:
        return asyncio.run(work(hash_for(log)))
    with refused(ModelFault):
        keys = read_keys(os.environ, Path.cwd(), tuple(base_urls))
        check_embedder(name, keys)
    opener = partial(open_provider, keys=keys, max_reply_bytes=MAX_REPLY_BYTES)
    client = ModelClient(CallCache(MemoryCallStore()), opener)
    embedder = open_embedder(name, client)
    return done_by(client, lambda: work(embedder), lambda: "no vector could be had")


def hash_for(log: BankLog) -> HashingEmbedder:
    """Hashed words with as many numbers as the bank's vectors."""
    space = log.read("SELECT dimensions FROM space")
    return HashingEmbedder(*(space[0] if space else ()))


async def ask_nobody(_: tuple[Message, ...]) -> Reply:
    """In the place of a model where none was named."""
    raise ModelFault("no model was named, and none is asked")
