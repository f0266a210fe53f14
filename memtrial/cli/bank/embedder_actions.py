"""The actions of `memory` that need an embedder or a model: each with what was asked on the command line."""

from collections.abc import Callable, Mapping
from dataclasses import asdict

from memtrial.api.bank.consolidate_memory import consolidate_memory
from memtrial.api.bank.rate_memory import RatingChoice, rate_memory
from memtrial.api.bank.search_memory import SearchChoice, cache_memory, search_memory
from memtrial.api.bank.taught_memory import (
    WriterChoice,
    find_dirty,
    queue_sessions,
    rewrite_memory,
    work_memory,
)
from memtrial.cli.bank.action_words import Action, MemoryAsked
from memtrial.cli.bank.bank_lines import describe_plan, describe_rated, plan_lines, rated_lines
from memtrial.console.standard_output import put_either
from memtrial.faults import SpecFault
from memtrial.memory.bank.bank_config import BankConfig, read_config_file
from memtrial.memory.bank.consolidation.consolidation_policy import ConsolidationPolicy
from memtrial.memory.bank.rated_items import Rating
from memtrial.memory.bank.taught_runs import Taught


def _search_bank(asked: MemoryAsked) -> None:
    answer = search_memory(asked.folder, asked.words[0], _choice_of(asked))
    put_either(answer.body(), answer.lines(asked.explain), asked.as_json)


def _cache_bank(asked: MemoryAsked) -> None:
    if asked.near is None or asked.out is None:
        raise SpecFault("memory cache takes FOLDER, --near TEXT and --out, a new folder for the small bank")
    n = cache_memory(asked.folder, asked.near, asked.out, asked.most or 64, _choice_of(asked))
    put_either({"items": n, "out": str(asked.out)}, [f"{n} items are in {asked.out}"], asked.as_json)


def _consolidate_bank(asked: MemoryAsked) -> None:
    config = _config_of(asked)
    judge = asked.judge or (None if config is None else config.consolidate.contradictions)
    policy = ConsolidationPolicy() if config is None else config.policy()
    plan = consolidate_memory(
        asked.folder, asked.apply, asked.embedder or "hashing", asked.base_urls, asked.who, policy, judge
    )
    put_either(describe_plan(plan, asked.apply), plan_lines(plan, asked.apply), asked.as_json)


def _rate_of(asked: MemoryAsked) -> None:
    if asked.helpful is None:
        raise SpecFault("memory rate takes --helpful or --unhelpful; got neither")
    rated = rate_memory(
        asked.folder,
        Rating(asked.words[0], asked.helpful, asked.task, asked.why),
        RatingChoice(asked.writer or "", asked.embedder or "hashing", asked.base_urls),
    )
    put_either(describe_rated(rated), rated_lines(rated), asked.as_json)


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
    config = _config_of(asked)
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


def _config_of(asked: MemoryAsked) -> BankConfig | None:
    return None if asked.config is None else read_config_file(asked.config)


EMBEDDER_ACTIONS: Mapping[Action, Callable[[MemoryAsked], None]] = {
    "search": _search_bank,
    "cache": _cache_bank,
    "consolidate": _consolidate_bank,
    "rate": _rate_of,
    "queue": _queue_sessions_of,
    "work": _work_off,
    "rewrite": _rewrite_bank,
}
