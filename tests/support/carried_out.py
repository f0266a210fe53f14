"""Carrying a spec out in a test, as the verb does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from loadbearing.cli.experiment.run import run_spec as carry_out
from loadbearing.cli.options import Mode
from loadbearing.runs.library.run import RunOptions
from loadbearing.runs.spec.spec import Spec


def run_spec(
    spec: Spec,
    out: Path | None,
    clean: bool,
    limit: int | None,
    mode: Mode,
    as_json: bool,
    require_decision: bool,
    retry_errors: bool = False,
    environment: Mapping[str, str] | None = None,
    base_urls: Sequence[str] = (),
    retry_damaged: bool = False,
) -> int:
    """The exit code."""
    options = RunOptions(out, clean, limit, retry_errors, retry_damaged, tuple(base_urls), environment)
    return carry_out(spec, options, mode, as_json, require_decision)
