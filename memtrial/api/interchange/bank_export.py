"""A bank of a run, or one that was imported, as the files that ReasoningBank's own code reads."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import get_args

from memtrial.api.given_spec import done_by
from memtrial.faults import RunFault, SpecFault, refused
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.memory.interchange.bank_file import BANK_FILE, read_bank_file, record_lines
from memtrial.memory.interchange.upstream_bank import cache_beside
from memtrial.memory.interchange.upstream_record import BETWEEN, BankFormat, UpstreamRecord, cache_line
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import ModelClient
from memtrial.models.client.keys import read_keys
from memtrial.models.client.limits import MAX_REPLY_BYTES
from memtrial.models.client.types import ModelFault
from memtrial.models.embeddings.embedding import Array, HashingEmbedder
from memtrial.models.embeddings.provider import check_embedder, open_embedder, open_provider
from memtrial.outcomes.count_words import list_names
from memtrial.outcomes.given_path import path_of, show_text
from memtrial.private_file import write_whole
from memtrial.protocols import LedgerStore
from memtrial.runs.run_folder.folder import open_for_reading
from memtrial.runs.run_folder.output_file import refuse_other, refuse_unwritable
from memtrial.runs.run_folder.unmasked_look import note_raw

DIMENSIONS = 3072
"""Numbers of a vector, as upstream asks its own model for; all rows of a cache have as many."""
HASHING = "hashing"
SITE = re.compile(r"[\w-][\w.-]{0,99}")


@dataclass(frozen=True, slots=True)
class BankChoice:
    """Which bank of a run, and under what name.

    Args:
        form: webarena or swe.
        site: the name of the file: a site of WebArena, or the model's name for SWE; by default the
            condenser's.
        memory: a condenser of the run; only where it has several.
        backbone: one of the run's; only where it has several.
        draw: which of its banks, from 0.
        embedder: `hashing`, which `stand_in_for_gemini` serves, or a provider's of 3072 numbers.
        base_urls: where a provider's requests go, URL or PROVIDER=URL.
    """

    form: BankFormat
    site: str | None = None
    memory: str | None = None
    backbone: str | None = None
    draw: int = 0
    embedder: str = HASHING
    base_urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExportedBank:
    """Where it was written, how many records it has, and how many of them hold no text."""

    bank: Path
    cache: Path
    records: int
    blank: int


@dataclass(frozen=True, slots=True)
class _Lines:
    """A bank as it will be written, with the ids and queries that its cache is of."""

    condenser: str
    lines: tuple[str, ...]
    keys: tuple[tuple[str, str], ...]
    blank: int


def export_bank(source: str | Path, folder: str | Path, choice: BankChoice) -> ExportedBank:
    """Write a bank and its cache of vectors, byte for byte in upstream's form.

    Args:
        source: a run's folder, its name below logs, or the file that `import bank` wrote: its records go out
            as they came in.
        folder: upstream's, made where it is not there.

    Raises:
        SpecFault: there is no such bank, more than one, or nothing can be written there.
        RunFault: no vectors could be had, or writing failed.
    """
    place = path_of(folder, "a folder for the bank", SpecFault)
    given = path_of(source, "a run folder, or a bank's file", SpecFault)
    if choice.form not in get_args(BankFormat):
        raise SpecFault(f"--format is {' or '.join(get_args(BankFormat))}; got {show_text(str(choice.form))}")
    if given.suffix == BANK_FILE:
        held = _read_imported(given, choice)
    else:
        with open_for_reading(given) as (run, ledger):
            note_raw(run, ledger, "export")
            held = _read_run(ledger, choice)
    site = choice.site or held.condenser
    if not SITE.fullmatch(site) or (choice.form == "webarena" and "." in site):
        raise SpecFault(
            f"--site is the name of a file, without dots for webarena, as shopping; got {show_text(site)}"
        )
    bank, records = place / f"{site}.jsonl", "".join(held.lines)
    # before vectors are paid for
    refuse_other(bank, records, "--bank")
    vectors = _embed([query for _, query in held.keys], choice.embedder, choice.base_urls)
    rows = "".join(
        cache_line(task, query, vector)
        for (task, query), vector in zip(held.keys, vectors.tolist(), strict=True)
    )
    try:
        place.mkdir(parents=True, exist_ok=True)
        for path in (bank, cache_beside(bank)):
            refuse_unwritable(path, given, option="--bank")
        refuse_other(cache_beside(bank), rows, "--bank")
        write_whole(bank, records)
        write_whole(cache_beside(bank), rows)
    except OSError as fault:
        raise RunFault(f"the bank cannot be written: {fault}") from fault
    return ExportedBank(bank, cache_beside(bank), len(held.lines), held.blank)


def _read_imported(path: Path, choice: BankChoice) -> _Lines:
    held = read_bank_file(path)
    if other := {line.layout for line in held.lines} - {choice.form}:
        raise SpecFault(f"{path} was imported from a bank of {', '.join(other)}; use --format {min(other)}")
    return _Lines(
        held.bank.condenser,
        tuple(record_lines(held)),
        tuple((line.task_id, line.query) for line in held.lines),
        sum(not line.reply.strip() for line in held.lines),
    )


def _read_run(ledger: LedgerStore, choice: BankChoice) -> _Lines:
    rows = list(ledger.condensations())
    memory = _choose("--memory", sorted({row.condenser for row in rows}), choice.memory)
    backbone = _choose("--backbone", sorted({row.backbone for row in rows}), choice.backbone)
    chosen = [row for row in rows if (row.condenser, row.backbone) == (memory, backbone)]
    draws = sorted({row.draw for row in chosen})
    if choice.draw not in draws:
        raise SpecFault(f"--draw is {' or '.join(map(str, draws))} in this run; got {choice.draw}")
    traces = {body["task_id"]: body for names, body in ledger.shared_traces() if backbone in names}
    families = list(dict.fromkeys(body["family"] or task for task, body in traces.items()))
    records = []
    for row in chosen:
        if row.draw == choice.draw:
            body, trace = row.body, traces[row.task]
            shown = body["reply"]
            if shown is None:
                shown = BETWEEN.join(item["markdown"] for item in body["items"])
            records.append(
                UpstreamRecord(
                    task_id=row.task,
                    query=trace["query"],
                    reply=shown,
                    outcome=trace["outcome"],
                    think_list=[step["thought"] for step in trace["steps"]],
                    action_list=[step["action"] for step in trace["steps"]],
                    template_id=families.index(trace["family"] or row.task),
                )
            )
    return _Lines(
        memory,
        tuple(record.line(choice.form) for record in records),
        tuple((record.task_id, record.query) for record in records),
        sum(not record.reply.strip() for record in records),
    )


def _choose(option: str, there: Sequence[str], asked: str | None) -> str:
    """The name that was asked for, or the only one."""
    if not there:
        raise SpecFault("this run has no bank: none of its memories was condensed")
    if asked is None and len(there) == 1:
        return there[0]
    if asked is None or asked not in there:
        got = "" if asked is None else f"; got {show_text(asked)}"
        raise SpecFault(f"{option} is needed: this run has {list_names(there)}{got}")
    return asked


def _embed(queries: list[str], embedder: str, base_urls: tuple[str, ...]) -> Array:
    """A vector for each query, of the length that upstream searches with."""
    if embedder == HASHING:
        return HashingEmbedder(DIMENSIONS).vectors(queries)
    with refused(ModelFault):
        keys = read_keys(os.environ, Path.cwd(), base_urls)
        check_embedder(embedder, keys)
    opener = partial(open_provider, keys=keys, max_reply_bytes=MAX_REPLY_BYTES)
    client = ModelClient(CallCache(MemoryCallStore()), opener)
    made = open_embedder(embedder, client)
    vectors = done_by(client, lambda: made.embed(queries), lambda: "no vectors could be had")
    if vectors.shape[1] != DIMENSIONS:
        raise SpecFault(
            f"--embedder needs vectors of {DIMENSIONS} numbers, as upstream searches with; those of"
            f" {embedder} have {vectors.shape[1]}; nothing was written"
        )
    return vectors
