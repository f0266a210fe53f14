"""What each action of `memory` does with what was asked on the command line."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from memtrial.api.bank.consolidate_memory import consolidate_memory
from memtrial.api.bank.exchange_records import export_records, import_any
from memtrial.api.bank.kept_bank import (
    audit_folder,
    audit_judge,
    export_folder,
    list_folder,
    read_folder_meters,
    roll_back_item,
)
from memtrial.api.bank.search_memory import SearchChoice, cache_memory, search_memory
from memtrial.api.bank.taught_memory import (
    WriterChoice,
    find_dirty,
    queue_sessions,
    rewrite_memory,
    work_memory,
)
from memtrial.cli.bank.bank_lines import (
    audit_lines,
    describe_item,
    describe_meter,
    describe_plan,
    item_lines,
    meter_lines,
    plan_lines,
)
from memtrial.cli.bank.memory_words import Action
from memtrial.console.standard_output import put_either
from memtrial.faults import SpecFault
from memtrial.memory.bank.bank_config import BankConfig, read_config_file
from memtrial.memory.bank.confidence.verdict_audit import audit_words
from memtrial.memory.bank.consolidation.consolidation_policy import ConsolidationPolicy
from memtrial.memory.bank.taught_runs import Taught
from memtrial.memory.interchange.upstream_record import BankFormat


@dataclass(frozen=True, slots=True)
class MemoryAsked:
    """The words and options of a command line, as `memory` names them; `folder` is where the bank lies."""

    folder: Path
    words: tuple[str, ...]
    project: str | None = None
    profile: str | None = None
    explain: bool = False
    domain: str | None = None
    tags: tuple[str, ...] = ()
    most: int | None = None
    embedder: str | None = None
    apply: bool = False
    who: str = ""
    why: str = ""
    verdicts: bool = False
    near: str | None = None
    out: Path | None = None
    writer: str | None = None
    judge: str | None = None
    config: Path | None = None
    form: BankFormat | None = None
    as_json: bool = False
    base_urls: tuple[str, ...] = ()

    @property
    def read_config(self) -> BankConfig | None:
        """What `--config` names; SpecFault where it cannot be read."""
        return None if self.config is None else read_config_file(self.config)


def _list_bank(asked: MemoryAsked) -> None:
    items = list_folder(asked.folder, asked.project)
    put_either([describe_item(item) for item in items], item_lines(items), asked.as_json)


def _search_bank(asked: MemoryAsked) -> None:
    answer = search_memory(asked.folder, asked.words[0], _choice_of(asked))
    put_either(answer.body(), answer.lines(asked.explain), asked.as_json)


def _cache_bank(asked: MemoryAsked) -> None:
    if asked.near is None or asked.out is None:
        raise SpecFault("memory cache takes FOLDER, --near TEXT and --out, a new folder for the small bank")
    n = cache_memory(asked.folder, asked.near, asked.out, asked.most or 64, _choice_of(asked))
    put_either({"items": n, "out": str(asked.out)}, [f"{n} items are in {asked.out}"], asked.as_json)


def _audit_of(asked: MemoryAsked) -> None:
    if asked.verdicts:
        audit = audit_judge(asked.folder)
        put_either(asdict(audit) | {"checked": audit.checked}, [audit_words(audit)], asked.as_json)
        return
    changes = audit_folder(asked.folder, asked.words[0] if asked.words else None)
    put_either(changes, audit_lines(changes), asked.as_json)


def _read_meters_of(asked: MemoryAsked) -> None:
    readings = read_folder_meters(asked.folder, asked.project or "")
    put_either([describe_meter(reading) for reading in readings], meter_lines(readings), asked.as_json)


def _consolidate_bank(asked: MemoryAsked) -> None:
    config = asked.read_config
    judge = asked.judge or (None if config is None else config.consolidate.contradictions)
    policy = ConsolidationPolicy() if config is None else config.policy()
    plan = consolidate_memory(
        asked.folder, asked.apply, asked.embedder or "hashing", asked.base_urls, asked.who, policy, judge
    )
    put_either(describe_plan(plan, asked.apply), plan_lines(plan, asked.apply), asked.as_json)


def _roll_back(asked: MemoryAsked) -> None:
    item = roll_back_item(asked.folder, asked.words[0], asked.who, asked.why)
    line = f"{item.id} is of version {item.version} now, with the words of {asked.words[0]}"
    put_either(describe_item(item), [line], asked.as_json)


def _export_bank(asked: MemoryAsked) -> None:
    path = Path(asked.words[0])
    if asked.form is not None:
        n = export_records(asked.folder, path, asked.form)
        put_either({"records": n}, [f"{n} records are in {path}"], asked.as_json)
        return
    head = export_folder(asked.folder, path)
    put_either(head.model_dump(), [f"{head.events} events are in {path}"], asked.as_json)


def _import_bank(asked: MemoryAsked) -> None:
    taken = import_any(asked.folder, Path(asked.words[0]), asked.project or "")
    put_either(taken.body, [f"{taken.words} of {asked.words[0]} are in {asked.folder}"], asked.as_json)


def _queue_sessions_of(asked: MemoryAsked) -> None:
    queued = queue_sessions(asked.folder, asked.words[0], asked.project or "")
    line = f"{queued.added} sessions wait in {asked.folder}; {queued.known} were there already"
    put_either(asdict(queued), [line], asked.as_json)


def _work_off(asked: MemoryAsked) -> None:
    taught = work_memory(asked.folder, _writer_of(asked))
    n_items = sum(len(made.item_ids) for made in taught)
    lines = [*_lost(taught), f"{len(taught)} sessions taught {n_items} items"]
    put_either(_counts(taught) | {"sessions": len(taught)}, lines, asked.as_json)


def _rewrite_bank(asked: MemoryAsked) -> None:
    if not asked.apply:
        dirty = find_dirty(asked.folder, asked.project or "")
        names = [
            f"{cluster.task_id}: {cluster.unseen} of {len(cluster.runs)} runs are new" for cluster in dirty
        ]
        body = [
            {"task": cluster.task_id, "runs": len(cluster.runs), "new": cluster.unseen} for cluster in dirty
        ]
        put_either(body, [*names, f"{len(dirty)} tasks; nothing was changed; --apply does it"], asked.as_json)
        return
    done = rewrite_memory(asked.folder, _writer_of(asked))
    taught = [made for _, made in done]
    n_items = sum(len(made.item_ids) for made in taught)
    lines = [*_lost(taught), f"{len(done)} tasks were written anew: {n_items} items"]
    put_either(_counts(taught) | {"tasks": [cluster.task_id for cluster, _ in done]}, lines, asked.as_json)


def _writer_of(asked: MemoryAsked) -> WriterChoice:
    if asked.writer is None:
        raise SpecFault("--writer is needed: the model that writes items, provider/name; got none")
    config = asked.read_config
    usual = "hashing" if config is None else config.retrieve.embedder
    return WriterChoice(asked.writer, asked.embedder or usual, asked.base_urls, asked.project or "", config)


def _choice_of(asked: MemoryAsked) -> SearchChoice:
    usual = SearchChoice()
    return SearchChoice(
        asked.profile or usual.profile,
        asked.project or usual.project,
        asked.domain or usual.domain,
        asked.tags,
        usual.most if asked.most is None else asked.most,
        asked.embedder or usual.embedder,
        asked.base_urls,
    )


def _counts(taught: tuple[Taught, ...] | list[Taught]) -> dict[str, object]:
    return {
        "items": [name for made in taught for name in made.item_ids],
        "calls": sum(made.distillation.calls for made in taught),
        "lost": _lost(taught),
    }


def _lost(taught: tuple[Taught, ...] | list[Taught]) -> list[str]:
    """What could not be read, or was dropped."""
    return [why for made in taught for why in (*made.distillation.dropped, made.distillation.fault) if why]


ACTIONS: Mapping[Action, Callable[[MemoryAsked], None]] = {
    "list": _list_bank,
    "search": _search_bank,
    "cache": _cache_bank,
    "audit": _audit_of,
    "meters": _read_meters_of,
    "consolidate": _consolidate_bank,
    "rollback": _roll_back,
    "export": _export_bank,
    "import": _import_bank,
    "queue": _queue_sessions_of,
    "work": _work_off,
    "rewrite": _rewrite_bank,
}
"""All but `bench`, which has no bank."""
