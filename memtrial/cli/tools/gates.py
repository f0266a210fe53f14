"""`gates`: the gates on their own."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memtrial.cli.options import BaseUrl, Json
from memtrial.cli.tools.notes_lines import check_notes_given
from memtrial.console.standard_output import put, put_either
from memtrial.faults import SpecFault, refused

if TYPE_CHECKING:
    from memtrial.gates.calibration.rates import GateRow, Rates
    from memtrial.gates.gate import GateKind


def gates(
    action: Annotated[
        Literal["list", "show", "check", "regress", "label"],
        typer.Argument(help="list, show GATE, check FILES, regress, or label ITEMS.", metavar="ACTION"),
    ],
    given: Annotated[
        list[str] | None,
        typer.Argument(
            help="The gate to show, the files or folders to check, or the items to label.",
            metavar="[WHAT]...",
        ),
    ] = None,
    judge: Annotated[str, typer.Option(help="rules, pass, warn or provider/model.")] = "rules",
    chosen: Annotated[str, typer.Option("--gates", help="By name, with commas; seed or all.")] = "all",
    fixtures: Annotated[Path | None, typer.Option(help="Your own, a folder or a file.")] = None,
    held_out: Annotated[
        Path | None, typer.Option(help="A second folder or file that no rule was written from.")
    ] = None,
    temperature: Annotated[float | None, typer.Option(min=0, max=2, help="Of the judge.")] = None,
    trace: Annotated[Path | None, typer.Option(help="The traces that ITEMS were condensed from.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the calibration, or the fixtures, here.")] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(
            help="check: exit code 1 from this on; fail, warn or the name of a finding.", metavar="WHAT"
        ),
    ] = None,
    as_json: Json = False,
    base_url: BaseUrl = None,
) -> None:
    """The gates of the suite: list them, show one, check what people wrote by hand, measure them on labelled
    fixtures, label items.

    Exit code 1: a gate did not reach its rates, or the check found what `--fail-on` names.
    """
    if action == "check":
        raise typer.Exit(
            check_notes_given(given or [], judge, chosen, fail_on, as_json, tuple(base_url or ()))
        )
    if fail_on is not None:
        raise SpecFault("--fail-on is an option of gates check")
    if len(given or ()) > 1:
        raise SpecFault(f"gates {action} takes one name; got {' '.join(given or ())}")
    what = given[0] if given else None
    if action == "list" or action == "show":
        from memtrial.gates.suite import gate_names, kinds_of

        with refused(ValueError):
            kinds = kinds_of(gate_names(chosen if action == "list" else (what or "",)))
        shown = "\n\n".join(_gate_text(kind, full=action == "show") for kind in kinds)
        put_either([_describe(kind) for kind in kinds], [shown], as_json)
        return
    from memtrial.api.gates import regress, to_label
    from memtrial.gates.calibration.labelled_items import SHIPPED
    from memtrial.private_file import write_whole
    from memtrial.runs.run_folder.output_file import refuse_below, refuse_filled, refuse_unwritable

    if action == "label":
        if what is None or trace is None or out is None:
            raise SpecFault("gates label needs ITEMS, --trace with their traces and --out with a new file")
        refuse_unwritable(out, Path(what))
        refuse_filled(out)
        lines = to_label(Path(what), trace, chosen)
        write_whole(out, "\n".join(lines) + "\n")
        put(f"{len(lines)} fixtures to label are in {out}: `memtrial review {out}` shows them one by one")
    else:
        if out is not None:
            read = (fixtures or SHIPPED, held_out or SHIPPED)
            refuse_unwritable(out, *read)
            for folder in read:
                refuse_below(out, folder)
        done = regress(judge, chosen, fixtures or SHIPPED, temperature, tuple(base_url or ()), held_out)
        if out is not None:
            write_whole(out, done.model_dump_json(indent=2) + "\n")
        head = f"judge {done.judge}" + (" (simulated)" if done.judge.startswith("simulated/") else "")
        shown_rows = [line for row in done.gates for line in _lines(row, done.in_sample)]
        put_either(done.model_dump(mode="json"), [head, *_sets(fixtures, held_out), *shown_rows], as_json)
        raise typer.Exit(0 if done.passed else 1)


def _describe(kind: "GateKind") -> dict[str, object]:
    question = kind.question
    return {
        "gate": kind.name,
        "failure": kind.failure,
        "needs": kind.needs,
        "judged": kind.judged,
        "negative_control": kind.control,
        "proves": kind.proves,
        "rule": (kind.rule.__doc__ or "").strip(),
        "question": question.render() if question else None,
    }


def _gate_text(kind: "GateKind", full: bool) -> str:
    asked = "a program and a judge, by the worse of their words" if kind.judged else "a program alone"
    blocks = ", ".join(("a missing part", *kind.proves))
    lines = [
        kind.name,
        f"  {kind.failure}",
        f"  needs: {', '.join(kind.needs)}; decided by {asked}",
        f"  the program blocks on proof ({blocks}) and warns of all else",
        *["  a negative control: it ought to make no difference to what is followed"] * kind.control,
    ]
    question = kind.question
    if full:
        from memtrial.gates.questions.worked_examples import show_examples

        lines.append(f"  the program: {' '.join((kind.rule.__doc__ or '').split())}")
        lines += ["", question.render(), "", show_examples(kind.name, "")] if question else []
    return "\n".join(lines)


def _sets(fixtures: Path | None, held_out: Path | None) -> list[str]:
    first = (
        f"fixtures: {fixtures}" if fixtures else "in-sample: the shipped fixtures, which the rules are from"
    )
    return [first, f"held-out: {held_out or 'none given (--held-out), so no rate is of new items'}"]


def _lines(row: "GateRow", in_sample: bool) -> list[str]:
    """A gate's rates; with a second set, each set on a line of its own."""
    parts = []
    if row.n_mutants:
        parts.append(f"made by code {row.mutants_caught} of {row.n_mutants}")
    first = "in-sample " if in_sample else ""
    lines = [f"{'passed' if row.passed else 'FAILED'}  {row.gate}: {first}{'; '.join([_rates(row), *parts])}"]
    if row.held_out is not None:
        lines.append(f"        {row.gate}: held-out {_rates(row.held_out)}")
    if (held := row.confidence) is not None:
        lines += [
            f"  flags from confidence {held.threshold:g} on, learnt from {held.n_trained} fixtures, scored on"
            f" {held.n_scored} others; area under the ROC {held.area:.2f} and {held.scored_area:.2f}",
            f"  says, and is: {', '.join(f'{mean:.2f} {true:.2f}' for mean, true in held.reliability)}",
        ]
    for half, rates in (("", row), ("held-out, ", row.held_out)):
        if rates is not None:
            named = ("missed", rates.missed), ("false alarms", rates.false_alarms), ("blocked", rates.blocked)
            lines += [f"  {half}{what}: {', '.join(names)}" for what, names in named if names]
    return lines


def _rates(rates: "Rates") -> str:
    def share(rate: float | None, low: float, high: float, n: int) -> str:
        return f"{'none' if rate is None else f'{rate:.2f}'} [{low:.2f}, {high:.2f}] of {n}"

    hits = share(rates.hit_rate, rates.hit_low, rates.hit_high, rates.n_positive)
    alarms = share(rates.false_alarm_rate, rates.false_alarm_low, rates.false_alarm_high, rates.n_negative)
    parts = [f"hits {hits}", f"false alarms {alarms}"]
    if rates.judge_hit_rate is not None:
        parts.append(f"the judge's own hits {rates.judge_hit_rate:.2f}")
    if rates.n_errors:
        parts.append(f"not answered {rates.n_errors}")
    return "; ".join(parts)
