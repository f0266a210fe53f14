"""The command line."""

from __future__ import annotations

import os
import sys

import typer

from reports.printable import one_line, printable
from runs.fault import RunFault, SpecFault
from runs.interrupting import like_ctrl_c
from runs.verbs_of_parts import calibrate, check, condense, perturb, serve_scripted
from runs.verbs_of_tables import analyze
from runs.verbs_reading import compare, export, init, report, schema, show, status
from runs.verbs_running import lock, plan, run

VERBS = (
    *(init, plan, lock, run, status, report, show, compare, export, analyze),
    *(condense, perturb, check, calibrate, serve_scripted, schema),
)
LONGEST, TAIL = 1_000, 300
"""Characters of an error line; of a longer one, the end is kept as well, which says what to do."""


def application() -> typer.Typer:
    """All verbs, in the order of the help."""
    app = typer.Typer(
        name="loadbearing",
        help="Does the condensed memory of an LLM agent carry weight, or is it decoration?",
        epilog="--debug, anywhere, shows where an error came from.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    for verb in VERBS:
        app.command()(verb)
    return app


def main() -> None:
    """Entry point: faults become one line and an exit code; `--debug` shows where they came from."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    debug = len(arguments) < len(sys.argv) - 1
    arguments = arguments or ["--help"]
    try:
        with like_ctrl_c():
            code = _carry_out(arguments)
        # what is still on its way out may meet a reader that went away
        sys.stdout.flush()
        sys.exit(code)
    except (typer.Abort, KeyboardInterrupt):
        _complain("interrupted; what was committed stays, the same command goes on")
        sys.exit(130)
    except typer.TyperException as fault:
        _complain(f"{one_line(fault.format_message()).rstrip('.')}; --help says what there is")
        sys.exit(2)
    except (SpecFault, RunFault) as fault:
        if debug:
            raise
        _complain(str(fault))
        sys.exit(2 if isinstance(fault, SpecFault) else 1)
    except BrokenPipeError:
        # the reader of our output went away (`| head`); nothing is wrong
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as fault:
        # a path that nobody looked at before: too long, in a folder that may not be entered, on a lost disk
        if debug:
            raise
        what = f"{fault.filename} cannot be used" if fault.filename else "the system refused"
        _complain(f"{what}: {fault.strerror or type(fault).__name__}; name another path, or mend this one")
        sys.exit(2 if fault.filename else 1)


def _carry_out(arguments: list[str]) -> int:
    """The verb's exit code. Not by typer's own `main`: that swallows an interrupt and a closed pipe."""
    command = typer.main.get_command(application())
    try:
        with command.make_context("loadbearing", arguments) as context:
            command.invoke(context)
    except typer.Exit as ended:
        return ended.exit_code
    return 0


def _complain(text: str) -> None:
    """One line on standard error, of bounded length, which no terminal obeys."""
    line = printable(one_line(text))
    if len(line) > LONGEST:
        line = f"{line[: LONGEST - TAIL]} [...] {line[-TAIL:]}"
    print(f"loadbearing: {line}", file=sys.stderr)
