"""The command line."""

from __future__ import annotations

import sys

import typer

from runs.fault import RunFault, SpecFault
from runs.verbs_of_parts import check, condense, perturb, serve_scripted
from runs.verbs_reading import compare, export, init, report, schema, show, status
from runs.verbs_running import plan, run

VERBS = (
    *(init, plan, run, status, report, show, compare, export),
    *(condense, perturb, check, serve_scripted, schema),
)


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
        code = typer.main.get_command(application()).main(arguments, "loadbearing", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except (typer.Abort, KeyboardInterrupt):
        print("loadbearing: interrupted; what was committed stays, the same command goes on", file=sys.stderr)
        sys.exit(130)
    except typer.TyperException as fault:
        said = " ".join(fault.format_message().split()).rstrip(".")
        print(f"loadbearing: {said}; --help says what there is", file=sys.stderr)
        sys.exit(2)
    except (SpecFault, RunFault) as fault:
        if debug:
            raise
        print(f"loadbearing: {fault}", file=sys.stderr)
        sys.exit(2 if isinstance(fault, SpecFault) else 1)
    except BrokenPipeError:
        # the reader of our output went away (`| head`); nothing is wrong
        sys.stderr.close()
        sys.exit(0)
