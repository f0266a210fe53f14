"""`try`: a memory file on trial with the agent that reads it, on tasks of one's own."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memtrial.api.coding.few_calls import FEW_CALLS
from memtrial.cli.experiment.probe_trial import offer_probe
from memtrial.cli.experiment.run import exit_code
from memtrial.cli.experiment.section_trial import offer_sections
from memtrial.cli.options import BaseUrl, HowHeld, Json, MaxCost, Mode, Out
from memtrial.console.display import Display
from memtrial.console.line_width import columns
from memtrial.console.standard_output import complain, put, put_json, width_of
from memtrial.faults import SpecFault
from memtrial.reports.text.memory_meanings import MEANINGS

if TYPE_CHECKING:
    from memtrial.api.coding.try_agent import PreparedTry, TryEnd

UNASKED = (
    "try asks before it begins, and there is no terminal to ask at; --yes begins, --dry-run only says what it"
    " comes to"
)


def try_agent(
    agent: Annotated[
        str, typer.Option(help="One that `memtrial agents` lists, or a command: 'python a.py {task_file}'.")
    ],
    memory: Annotated[
        str,
        typer.Option(
            help="The memory in question, a text file, as CLAUDE.md; marker:FILE: between marks;"
            " mcp:FILE: behind a server's tools."
        ),
    ],
    tasks: Annotated[str, typer.Option(help="git:N, as git:10, or a folder of tasks.")] = "git:10",
    repo: Annotated[Path, typer.Option(help="The repository, or a folder in it.")] = Path(),
    marks: Annotated[
        tuple[str, str], typer.Option(help="What stands around memory in requests, for marker:FILE.")
    ] = ("[[memory]]", "[[/memory]]"),
    model: Annotated[str, typer.Option(help="What the agent works with, in its own words.")] = "",
    check: Annotated[
        str, typer.Option(help="What checks a task: 'python -m pytest -q {tests}'; chosen unless named.")
    ] = "",
    setup: Annotated[str, typer.Option(help="Makes each fresh work tree ready.")] = "",
    tests: Annotated[
        list[str] | None, typer.Option(help="Which files are tests, as 't/*.sh'; by convention unless named.")
    ] = None,
    pass_on: Annotated[
        list[str] | None, typer.Option(help="A variable of yours that agent and checks shall get, as HOME.")
    ] = None,
    timeout_s: Annotated[float, typer.Option(min=0.1, help="Seconds for the agent in a trial.")] = 600,
    check_timeout_s: Annotated[float, typer.Option(min=0.1, help="Seconds for a check, a set-up.")] = 300,
    condition: Annotated[
        list[str] | None, typer.Option(help="A kind of damage; several are played by default.")
    ] = None,
    sandbox: HowHeld = "auto",
    perturber: Annotated[
        str | None, typer.Option(help="A model that writes the damage, as anthropic/...; rules unless named.")
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="A model that reads what the perturber writes; itself unless named.")
    ] = None,
    sections: Annotated[
        bool, typer.Option("--sections", help="Which sections of the file matter, instead of damage to it.")
    ] = False,
    probe: Annotated[
        bool,
        typer.Option("--probe", help="Is it read? Ask the requests of one session a task again, changed."),
    ] = False,
    calls: Annotated[int, typer.Option(help="With --probe: that ask again, at most.")] = FEW_CALLS,
    advised: Annotated[
        Path | None, typer.Option(help="With --probe: what items advise, where it cannot be read.")
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Trials of each task and condition.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Of the order of trials, and of damage.")] = 0,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Play this many blocks, a task in all conditions, and stop.")
    ] = None,
    max_cost: MaxCost = None,
    max_connections: Annotated[int, typer.Option(min=1, help="Trials at a time.")] = 1,
    base_url: BaseUrl = None,
    out: Out = None,
    clean: Annotated[bool, typer.Option("--clean", help="Remove the run folder first.")] = False,
    retry_errors: Annotated[bool, typer.Option("--retry-errors", help="Play errors again.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Begin without asking.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it comes to, and stop.")] = False,
    display: Annotated[Mode, typer.Option(help="How to show progress.")] = "full",
    fail_on: Annotated[
        str | None,
        typer.Option(
            help=f"Exit 1 where one of these holds: {', '.join(MEANINGS)}; several joined by commas.",
            metavar="WORD[,WORD]",
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """Try a memory file: your agent, your tasks, with the file, without it, and with it damaged.

    It first says what it costs and what it can show, and asks. The same command resumes it.
    """
    from memtrial.api.coding.opened_try import TryOptions
    from memtrial.api.coding.tasks import KEPT
    from memtrial.api.coding.try_agent import play_try, prepare_try
    from memtrial.api.coding.try_probe import TryProbeOptions, prepare_try_probe
    from memtrial.api.coding.try_sections import prepare_sections
    from memtrial.api.probe.probe_options import ProbeOptions
    from memtrial.repositories.mining.mined_tasks import MiningOptions
    from memtrial.repositories.workspace import CheckTerms

    failing = _read_words(fail_on)
    options = TryOptions(
        model=model, out=out, seed=seed, repeats=repeats, timeout_s=timeout_s, limit=limit, budget=max_cost,
        max_connections=max_connections, conditions=tuple(condition or ()), perturber=perturber, judge=judge,
        base_urls=tuple(base_url or ()), clean=clean, retry_errors=retry_errors, marks=marks,
    )  # fmt: skip
    terms = CheckTerms(check_timeout_s, tuple(pass_on or ()))
    mining = MiningOptions(check, setup, tuple(tests or ()), terms=terms, sandbox=sandbox, kept=KEPT)
    if not (yes or dry_run) and not sys.stdin.isatty():
        raise SpecFault(UNASKED)
    if sections and probe:
        raise SpecFault("--sections plays trials, and --probe none: leave one of them out")
    if failing and (sections or probe):
        named = "--sections" if sections else "--probe"
        raise SpecFault(f"--fail-on judges the file as a whole: leave {named} out, or --fail-on")
    if sections:
        of_sections = prepare_sections(agent, memory, tasks, repo, options, mining, Display(display))
        return offer_sections(of_sections, Display(display), begin=yes, only_said=dry_run, as_json=as_json)
    if probe:
        both = TryProbeOptions(options, ProbeOptions(advised=advised, calls=calls))
        of_sessions = prepare_try_probe(agent, memory, tasks, repo, both, mining, Display(display))
        return offer_probe(of_sessions, Display(display), begin=yes, only_said=dry_run, as_json=as_json)
    prepared = prepare_try(agent, memory, tasks, repo, options, mining, Display(display))
    if dry_run and as_json:
        put_json(prepared.forecast.as_json())
        return 0
    put("\n".join(prepared.forecast.lines()), sys.stderr if as_json else sys.stdout)
    if dry_run or not (yes or _is_wanted(prepared)):
        return 0
    begun = time.monotonic()
    ended = play_try(prepared, Display(display))
    if as_json:
        put_json(ended.as_json())
    else:
        _show(ended, f"{time.monotonic() - begun:.0f} s. ")
    held = [word for word in ended.words if word in failing]
    for word in held:
        complain(f"--fail-on {word}: {prepared.memory}: {MEANINGS[word]}")
    return exit_code(ended.run, require_decision=False) or int(bool(held))


def _read_words(given: str | None) -> tuple[str, ...]:
    """What `--fail-on` names; none unless it is given. Raises SpecFault for a word that is none of them."""
    words = () if given is None else tuple(word.strip() for word in given.split(","))
    for word in words:
        if word not in MEANINGS:
            raise SpecFault(f"--fail-on takes {', '.join(MEANINGS)}, joined by commas; got {word!r}")
    return words


def _is_wanted(prepared: PreparedTry) -> bool:
    """Ask whether to begin."""
    left = prepared.forecast.left
    return typer.confirm(f"Play {left:,} trials?", default=False, err=True)


def _show(ended: TryEnd, took: str) -> None:
    """Costs by condition, the figure's place, the sentence and what to do next."""
    from memtrial.reports.text.memory_answer import cost_lines
    from memtrial.reports.text.reading import SIMULATED

    if ended.answer is None or ended.run.results is None:
        return
    put("")
    if ended.run.results.simulated:
        put(SIMULATED)
    put("\n".join(columns(list(cost_lines(ended.costs)), width_of(), right=(1, 2, 3, 4))))
    put(f"{took}Report, with the figure: {ended.run.folder / 'report.html'}")
    if ended.readings is not None:
        put("\n".join(ended.readings.lines()))
    put(ended.answer.sentence)
    put(f"Next: {ended.answer.next_step}")
