"""`memory`: a bank in a folder: what it holds, what fits a task, what was changed, back, out and in."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from memtrial.cli.options import BaseUrl, Json
from memtrial.faults import SpecFault, refused

Action = Literal["list", "search", "audit", "rollback", "export", "import"]
TAKES: dict[Action, tuple[int, int, str]] = {
    "list": (0, 0, "no more than FOLDER"),
    "search": (1, 1, "FOLDER and the QUERY, the text of a task"),
    "audit": (0, 1, "FOLDER, and at most one ID"),
    "rollback": (1, 1, "FOLDER and ID@VERSION, as rm_01J…@1"),
    "export": (1, 1, "FOLDER and a FILE that ends in .jsonl or .parquet"),
    "import": (1, 1, "FOLDER and the FILE that export wrote"),
}
"""How many words stand behind the folder, and which."""


def memory(
    action: Annotated[
        Action,
        typer.Argument(
            help="list; search QUERY; audit [ID]; rollback ID@VERSION; export FILE; import FILE.",
            metavar="ACTION",
        ),
    ],
    folder: Annotated[Path, typer.Argument(help="Where the bank's memory.db lies.", metavar="FOLDER")],
    given: Annotated[
        list[str] | None,
        typer.Argument(help="QUERY, the ID of an item, ID@VERSION, or FILE.", metavar="[WHAT]..."),
    ] = None,
    project: Annotated[
        str | None, typer.Option(help="list, search: what this project sees, as org/team/project.")
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
        str | None, typer.Option(help="search: what made the bank's vectors; hashing, or provider/model.")
    ] = None,
    who: Annotated[str, typer.Option(help="rollback: who changes it; it is in the audit.")] = "",
    why: Annotated[str, typer.Option(help="rollback: the reason; it is in the audit.")] = "",
    as_json: Json = False,
    base_url: BaseUrl = None,
) -> None:
    """A bank of items: list them, search what a task would be shown and why, list every change, bring back a
    version, write the bank out, take one in.

    Nothing is ever lost: a rollback is one more change. Exit code 2 where there is no such bank or item.
    """
    fewest, upmost, needed = TAKES[action]
    words = tuple(given or ())
    if not fewest <= len(words) <= upmost:
        raise SpecFault(f"memory {action} takes {needed}; got {' '.join(words) or 'nothing more'}")
    if project is not None and action not in ("list", "search"):
        raise SpecFault("--project is an option of memory list and of memory search")
    if action != "search" and (explain or any((profile, domain, tag, most, embedder, base_url))):
        raise SpecFault("--profile, --explain and what else names search are options of memory search")
    if (who or why) and action != "rollback":
        raise SpecFault("--who and --why are options of memory rollback")
    from memtrial.api.bank.kept_bank import (
        audit_folder,
        export_folder,
        import_folder,
        list_folder,
        roll_back_item,
    )
    from memtrial.cli.bank.bank_lines import audit_lines, describe_item, item_lines
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
        elif action == "audit":
            changes = audit_folder(folder, words[0] if words else None)
            put_either(changes, audit_lines(changes), as_json)
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
