"""What the verbs' functions share: a spec as it may be given, and models that are asked outside a run."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from pydantic import JsonValue, ValidationError

from memtrial.faults import RunFault, SpecFault, refused
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import ModelClient
from memtrial.models.client.keys import read_keys
from memtrial.models.client.transport import HaltFault
from memtrial.models.client.types import ModelFault
from memtrial.models.providers.open import open_backend
from memtrial.outcomes.given_path import path_of
from memtrial.runs.setup.model_roles import Role, check_cast
from memtrial.runs.spec.read_spec import first_of, load_spec
from memtrial.runs.spec.spec import Spec

Given = str | Path | Mapping[str, JsonValue] | Spec


def spec_of(given: Given, settings: Iterable[str] = ()) -> Spec:
    """The spec; each of `settings`, `key=value`, wins over a file. SpecFault where it cannot be read."""
    if isinstance(given, Spec):
        return given
    if isinstance(given, Mapping):
        try:
            return Spec.model_validate(dict(given))
        except ValidationError as fault:
            raise SpecFault(first_of(fault, "the spec", {})) from fault
    return load_spec(path_of(given, "a spec", SpecFault), settings, os.environ)


Made = TypeVar("Made")


def client_of(
    roles: Iterable[Role],
    base_urls: Sequence[str],
    environment: Mapping[str, str] | None = None,
    say: Callable[[str], object] = lambda _: None,
) -> ModelClient:
    """A client, which saves nothing, for models that can play these roles; SpecFault where one cannot.

    `say` gets where keys go but to a provider's own address.
    """
    asked = tuple(roles)
    with refused(ModelFault):
        keys = read_keys(os.environ if environment is None else environment, Path.cwd(), base_urls)
    for line in check_cast(asked, keys):
        say(line)
    return ModelClient(CallCache(MemoryCallStore()), partial(open_backend, keys=keys))


def done_by(client: ModelClient, work: Callable[[], Awaitable[Made]], why: Callable[[], str]) -> Made:
    """What work that asks models comes to; RunFault, with the reason, where one cannot be had."""

    async def to_its_end() -> Made:
        try:
            return await work()
        finally:
            await client.close()

    try:
        return asyncio.run(to_its_end())
    except (ModelFault, HaltFault) as fault:
        raise RunFault(f"{why()}: {fault}") from fault
