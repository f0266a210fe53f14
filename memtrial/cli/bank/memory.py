"""`memory`: a bank in a folder: its items, what fits a task, its meters, its changes, out and in."""

from pathlib import Path
from typing import Annotated

import typer

from memtrial.cli.bank.action_words import TAKES, Action, MemoryAsked, check_words
from memtrial.cli.options import BaseUrl, Json
from memtrial.faults import SpecFault, refused
from memtrial.memory.interchange.upstream_record import BankFormat


def memory(
    action: Annotated[
        Action,
        typer.Argument(
            help="list; search QUERY; cache; audit [ID]; meters; weeks; rate ID; consolidate;"
            " rollback ID@VERSION; export or import FILE; queue FILE; work; rewrite; bench.",
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
        str | None, typer.Option(help="Whose items or sessions, as org/team/project; default: of no project.")
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            help="search, cache: upstream, paper, seed000, seed001, seed003 (default), or a YAML file."
        ),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="search: each score as a sum.")] = False,
    domain: Annotated[str | None, typer.Option(help="search, cache: only items of this domain.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="search, cache: items with all of these.")] = None,
    most: Annotated[
        int | None, typer.Option("--most", "--n", min=1, help="Items; default 10 of search, 64 of cache.")
    ] = None,
    near: Annotated[str | None, typer.Option(help="cache: the text that its items fit best.")] = None,
    out: Annotated[Path | None, typer.Option(help="cache: a new folder for the small bank.")] = None,
    embedder: Annotated[
        str | None,
        typer.Option(help="What made the bank's vectors: hashing (default), or provider/model."),
    ] = None,
    writer: Annotated[
        str | None, typer.Option(help="work, rewrite, rate: the model that writes items, provider/name.")
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="consolidate: a model that says what contradicts; default: the words.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="consolidate, work, rewrite: document 003's YAML of a bank.")
    ] = None,
    apply: Annotated[
        bool, typer.Option("--apply", help="consolidate, rewrite: do it; without it nothing is changed.")
    ] = False,
    who: Annotated[str, typer.Option(help="rollback, consolidate: who changes it; it is in the audit.")] = "",
    why: Annotated[str, typer.Option(help="rollback, rate: the reason; it is in the audit.")] = "",
    helpful: Annotated[
        bool | None, typer.Option("--helpful/--unhelpful", help="rate: whether the item helped.")
    ] = None,
    task: Annotated[str, typer.Option(help="rate: the id of the task in which it was followed.")] = "",
    verdicts: Annotated[
        bool, typer.Option("--verdicts", help="audit: a judge's verdicts beside the world's own word.")
    ] = False,
    form: Annotated[
        BankFormat | None, typer.Option(help="export: as lines of ReasoningBank's code, in this form.")
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="weeks: the table as CSV.")] = False,
    sizes: Annotated[
        str | None, typer.Option(help="bench: numbers of memories; default 1000,2431,10000,100000.")
    ] = None,
    as_json: Json = False,
    base_url: BaseUrl = None,
) -> None:
    """A bank of items: list them, search what a task would be shown and why, carry the nearest away, list
    every change, read how well it serves and what each week gave, link and put aside what repeats or
    contradicts other items, bring back a version, write the bank out, take one in; queue sessions, distil
    them, write anew what a task taught; or time a made one beside plain programs.

    Nothing is ever lost: a rollback is one more change. Exit code 2 where there is no such bank or item.
    """
    words = tuple(given or ())
    options = {
        "--project": project is not None, "--profile": profile, "--explain": explain, "--domain": domain,
        "--tag": tag, "--most": most, "--near": near is not None, "--out": out, "--embedder": embedder,
        "--base-url": base_url, "--writer": writer, "--judge": judge, "--config": config, "--apply": apply,
        "--who": who, "--why": why, "--verdicts": verdicts, "--form": form, "--sizes": sizes is not None,
        "--helpful": helpful is not None, "--task": task, "--csv": as_csv,
    }  # fmt: skip
    check_words(action, words, [name for name, value in options.items() if value])
    if action == "bench":
        if folder is not None:
            raise SpecFault(f"memory bench takes {TAKES['bench'][2]}; got {folder}")
        _bench(sizes, as_json)
        return
    if folder is None:
        raise SpecFault(f"memory {action} takes {TAKES[action][2]}; got nothing")
    from memtrial.cli.bank.memory_actions import ACTIONS
    from memtrial.memory.stored_item import MemoryFault

    asked = MemoryAsked(
        folder, words, project, profile, explain, domain, tuple(tag or ()), most, embedder, apply, who, why,
        verdicts, near, out, writer, judge, config, form, as_json, tuple(base_url or ()),
        helpful, task, as_csv,
    )  # fmt: skip
    with refused(MemoryFault):
        if action in ACTIONS:
            ACTIONS[action](asked)
            return
        from memtrial.cli.bank.embedder_actions import EMBEDDER_ACTIONS

        EMBEDDER_ACTIONS[action](asked)


def _bench(sizes: str | None, as_json: bool) -> None:
    import sys

    from memtrial.api.bank.bench_memory import SIZES, bench_memory, read_sizes
    from memtrial.cli.bank.bench_lines import bench_lines, describe_bench
    from memtrial.console.standard_output import put_either, put_line, width_of

    chosen = SIZES if sizes is None else read_sizes(sizes)
    bench = bench_memory(chosen, lambda step: put_line(step, sys.stderr))
    put_either(describe_bench(bench), bench_lines(bench, width_of()), as_json)
