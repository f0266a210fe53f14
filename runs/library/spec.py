"""A spec as it may be given: a file, a mapping of its keys, or the spec itself."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import JsonValue, ValidationError

from loadbearing.runs.errors import SpecFault
from loadbearing.runs.spec.load import first_of, load_spec
from loadbearing.runs.spec.spec import Spec

Given = str | Path | Mapping[str, JsonValue] | Spec


def spec_of(given: Given, settings: Iterable[str] = ()) -> Spec:
    """The spec.

    Args:
        settings: `key=value`, each wins over the file; only a file takes them.

    Raises:
        SpecFault: it cannot be read, or is wrong.
    """
    if isinstance(given, Spec):
        return given
    if isinstance(given, Mapping):
        try:
            return Spec.model_validate(dict(given))
        except ValidationError as fault:
            raise SpecFault(first_of(fault, "the spec", {})) from fault
    return load_spec(Path(given), settings, os.environ)
