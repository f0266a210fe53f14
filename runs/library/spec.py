"""What the verbs' functions share: a spec as it may be given, and work beside a running event loop."""

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from pydantic import JsonValue, ValidationError

from loadbearing.runs.errors import SpecFault
from loadbearing.runs.spec.load import first_of, load_spec
from loadbearing.runs.spec.spec import Spec

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
    return load_spec(Path(given), settings, os.environ)


Made = TypeVar("Made")


def without_loop(work: Callable[[], Made]) -> Made:
    """The work's result; where an event loop runs already, as in a notebook, from a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()
