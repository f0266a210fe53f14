"""`memory`: a bank in a folder: its items, what fits a task, its meters, its changes, out and in."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from memtrial.cli.options import BaseUrl, Json
from memtrial.faults import SpecFault, refused

Action = Literal[
    "list", "search", "audit", "meters", "rate", "consolidate", "rollback", "export", "import", "bench"
]
TAKES: dict[Action, tuple[int, int, str]] = {
    "list": (0, 0, "no more than FOLDER"),
    "search": (1, 1, "FOLDER and the QUERY, the text of a task"),
    "audit": (0, 1, "FOLDER, and at most one ID"),
    "meters": (0, 0, "no more than FOLDER"),
    "rate": (1, 1, "FOLDER and the ID of an item"),
    "consolidate": (0, 0, "no more than FOLDER"),
    "rollback": (1, 1, "FOLDER and ID@VERSION, as rm_01J…@1"),
    "export": (1, 1, "FOLDER and a FILE that ends in .jsonl or .parquet"),
    "import": (1, 1, "FOLDER and the FILE that export wrote"),
    "bench": (0, 0, "no folder: its banks are in a temporary one"),
}
"""How many words stand behind the folder, and which."""


def memory(
    action: Annotated[
        Action,
        typer.Argument(
            help="list; search QUERY; audit [ID]; meters; rate ID; consolidate; rollback ID@VERSION;"
            " export or import FILE; bench.",
            metavar="ACTION",
        ),
    ],
    folder: Annotated[
        Path | None, typer.Argument(help="Where the bank's memory.db lies.", metavar="[FOLDER]")
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Argument(help="QUERY, the ID of an item, ID@VERSION, or FILE.", metavar="[WHAT]..."),
    ] = None,
    project: Annotated[
        str | None, typer.Option(help="list, search, meters: the project that asks, as org/team/project.")
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(help="search: upstream, paper, seed000, seed001, seed003 (default), or a YAML file."),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="search: each score as a sum.")] = False,
    domain: Annotated[str | None, typer.Option(help="search: only items of this domain.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="search: only items with all of these.")] = None,
    most: Annotated[int | None, typer.Option(min=1, help="search: items to list; default 10.")] = None,
    embedder: Annotated[
        str | None,
        typer.Option(
            help="search, rate, consolidate: what made the bank's vectors; hashing, or provider/model."
        ),
    ] = None,
    apply: Annotated[
        bool, typer.Option("--apply", help="consolidate: do it; without it nothing is changed.")
    ] = False,
    who: Annotated[str, typer.Option(help="rollback, consolidate: who changes it; it is in the audit.")] = "",
    why: Annotated[str, typer.Option(help="rollback, rate: the reason; it is in the audit.")] = "",
    helpful: Annotated[
        bool | None, typer.Option("--helpful/--unhelpful", help="rate: whether the item helped.")
    ] = None,
    task: Annotated[str, typer.Option(help="rate: the id of the task in which it was followed.")] = "",
    writer: Annotated[
        str, typer.Option(help="rate: the model that makes a guardrail of an unhelpful item.")
    ] = "",
    sizes: Annotated[
        str | None, typer.Option(help="bench: numbers of memories; default 1000,2431,10000,100000.")
    ] = None,
    as_json: Json = False,
    base_url: BaseUrl = None,
) -> None:
    """A bank of items: list them, search what a task would be shown and why, list every change, read how well
    it serves, rate an item, link and put aside what repeats or contradicts other items, bring back a version,
    write the bank out, take one in; or time a made one beside plain programs.

    Nothing is ever lost: a rollback is one more change. Exit code 2 where there is no such bank or item.
    """
    fewest, upmost, needed = TAKES[action]
    words = tuple(given or ())
    if not fewest <= len(words) <= upmost:
        raise SpecFault(f"memory {action} takes {needed}; got {' '.join(words) or 'nothing more'}")
    if project is not None and action not in ("list", "search", "meters"):
        raise SpecFault("--project is an option of memory list, of memory search and of memory meters")
    if action != "search" and (explain or any((profile, domain, tag, most))):
        raise SpecFault("--profile, --explain and what else names search are options of memory search")
    if action not in ("search", "rate", "consolidate") and (embedder or base_url):
        raise SpecFault("--embedder and --base-url are options of memory search, rate and consolidate")
    if (apply and action != "consolidate") or (who and action not in ("rollback", "consolidate")):
        raise SpecFault("--apply is an option of memory consolidate, --who of that and of memory rollback")
    if why and action not in ("rollback", "rate"):
        raise SpecFault("--why is an option of memory rollback and of memory rate")
    if action != "rate" and (helpful is not None or task or writer):
        raise SpecFault("--helpful, --unhelpful, --task and --writer are options of memory rate")
    if action == "rate" and helpful is None:
        raise SpecFault("memory rate takes --helpful or --unhelpful; got neither")
    if sizes is not None and action != "bench":
        raise SpecFault("--sizes is an option of memory bench")
    if action == "bench":
        if folder is not None:
            raise SpecFault(f"memory bench takes {TAKES['bench'][2]}; got {folder}")
        _bench(sizes, as_json)
        return
    if folder is None:
        raise SpecFault(f"memory {action} takes {needed}; got nothing")
    from memtrial.api.bank.kept_bank import (
        audit_folder,
        export_folder,
        import_folder,
        list_folder,
        read_folder_meters,
        roll_back_item,
    )
    from memtrial.cli.bank.bank_lines import (
        audit_lines,
        describe_item,
        describe_meter,
        item_lines,
        meter_lines,
    )
    from memtrial.console.standard_output import put_either
    from memtrial.memory.stored_item import MemoryFault

    with refused(MemoryFault):
        if action == "list":
            items = list_folder(folder, project)
            put_either([describe_item(item) for item in items], item_lines(items), as_json)
        elif action == "search":
            from memtrial.api.bank.search_memory import SearchChoice, search_memory

            usual = SearchChoice()
            choice = SearchChoice(
                profile or usual.profile,
                project or usual.project,
                domain or usual.domain,
                tuple(tag or ()),
                usual.most if most is None else most,
                embedder or usual.embedder,
                tuple(base_url or ()),
            )
            answer = search_memory(folder, words[0], choice)
            put_either(answer.body(), answer.lines(explain), as_json)
        elif action == "consolidate":
            from memtrial.api.bank.consolidate_memory import consolidate_memory
            from memtrial.cli.bank.bank_lines import describe_plan, plan_lines

            plan = consolidate_memory(folder, apply, embedder or "hashing", tuple(base_url or ()), who)
            put_either(describe_plan(plan, apply), plan_lines(plan, apply), as_json)
        elif action == "rate":
            from memtrial.api.bank.rate_memory import RatingChoice, rate_memory
            from memtrial.cli.bank.bank_lines import describe_rated, rated_lines
            from memtrial.memory.bank.rated_items import Rating

            rated = rate_memory(
                folder,
                Rating(words[0], bool(helpful), task, why),
                RatingChoice(writer, embedder or "hashing", tuple(base_url or ())),
            )
            put_either(describe_rated(rated), rated_lines(rated), as_json)
        elif action == "audit":
            changes = audit_folder(folder, words[0] if words else None)
            put_either(changes, audit_lines(changes), as_json)
        elif action == "meters":
            readings = read_folder_meters(folder, project or "")
            put_either([describe_meter(reading) for reading in readings], meter_lines(readings), as_json)
        elif action == "rollback":
            item = roll_back_item(folder, words[0], who, why)
            line = f"{item.id} is of version {item.version} now, with the words of {words[0]}"
            put_either(describe_item(item), [line], as_json)
        elif action == "export":
            head = export_folder(folder, Path(words[0]))
            put_either(head.model_dump(), [f"{head.events} events are in {words[0]}"], as_json)
        else:
            head = import_folder(folder, Path(words[0]))
            put_either(head.model_dump(), [f"{head.events} events of {words[0]} are in {folder}"], as_json)


def _bench(sizes: str | None, as_json: bool) -> None:
    import sys

    from memtrial.api.bank.bench_memory import SIZES, bench_memory, read_sizes
    from memtrial.cli.bank.bench_lines import bench_lines, describe_bench
    from memtrial.console.standard_output import put_either, put_line, width_of

    chosen = SIZES if sizes is None else read_sizes(sizes)
    bench = bench_memory(chosen, lambda step: put_line(step, sys.stderr))
    put_either(describe_bench(bench), bench_lines(bench, width_of()), as_json)
