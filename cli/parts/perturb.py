"""`perturb`: damage on its own, on anyone's items, with its manipulation check."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

from numpy.random import Generator

from loadbearing.episodes.slot import NOTHING, Slot
from loadbearing.ledger.random_streams import named_generator
from loadbearing.memory.markdown import split_items
from loadbearing.perturbations.advice.known_actions import NOTHING_KNOWN, Repertoire, is_form
from loadbearing.perturbations.composite import JOINT, carried_out, composed, knowing
from loadbearing.perturbations.counter import Counter
from loadbearing.perturbations.manipulation import check
from loadbearing.perturbations.members import ALL
from loadbearing.perturbations.perturbation import Perturbation
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.progress.standard_output import put, put_json
from loadbearing.runs.trials.damage import MOST_DONORS

MOST_BYTES = 256 * 1024 * 1024


def perturb_items(
    items: Path, kind: str, seed: int, donors: Path | None, as_json: bool, actions: Path | None = None
) -> None:
    """Print before, after and the check of every slot.

    Args:
        actions: what the world accepts, an action or a command form a line; `counter` puts one for another.

    Raises:
        SpecFault: there is no such kind, or a file cannot be read.
    """
    known = NOTHING_KNOWN if actions is None else _read_actions(actions)
    chosen = knowing(_named(kind), known)
    slots = read_slots(items)
    foreign = slots + (read_slots(donors) if donors is not None else ())
    rows = [_row(chosen, slot, number, foreign, seed) for number, slot in enumerate(slots)]
    if as_json:
        put_json(rows)
        return
    for number, row in enumerate(rows, 1):
        put(
            f"--- slot {number}: {kind}, "
            + ("applicable" if row["applicable"] else f"not applicable: {row['reason']}")
        )
        if row["applicable"]:
            put(row["after"])
            held = "holds" if row["passed"] else f"FAILS: {row['reason']}"
            put(f"--- check {held}: {json.dumps(row['check'])}")


def _named(kind: str) -> Perturbation:
    if JOINT in kind:
        try:
            return composed(kind, ALL)
        except ValueError as fault:
            raise SpecFault(str(fault)) from fault
    named = [one for one in ALL if one.name == kind]
    if not named:
        raise SpecFault(f"no perturbation is named {kind!r}; there are {', '.join(one.name for one in ALL)}")
    return named[0]


def _read_actions(path: Path) -> Repertoire:
    text = _text_of(path, "--actions needs a text file, an action a line")
    lines = tuple(
        dict.fromkeys(line.strip().removeprefix("- ") for line in text.splitlines() if line.strip())
    )
    if not lines:
        raise SpecFault(f"--actions needs a text file, an action a line; {path} is empty")
    forms = tuple(line for line in lines if is_form(line))
    return Repertoire((tuple(line for line in lines if line not in forms),), forms)


def read_slots(path: Path) -> tuple[Slot, ...]:
    """The slots of a file: one a line of condense's output, one for a whole file of markdown.

    Raises:
        SpecFault: the file cannot be read.
    """
    text = _text_of(path, "ITEMS needs markdown or the output of condense")
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise SpecFault(f"ITEMS needs markdown or the output of condense; {path} is empty")
    if lines[0][1].lstrip().startswith("{"):
        condensed = [_condensed(line, f"{path}, line {number}") for number, line in lines]
        return tuple(Slot("", texts) for texts in condensed if texts)
    return (Slot("", split_items(text)),)


def _text_of(path: Path, needed: str) -> str:
    try:
        # a pipe would be waited for, and a device never ends
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise SpecFault(f"{needed}; {path} is no plain file")
        if path.stat().st_size > MOST_BYTES:
            raise SpecFault(f"{needed}; {path} is larger than {MOST_BYTES // 1024**2} MiB")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        raise SpecFault(f"{needed}; {path} cannot be read: {fault}") from fault


def _condensed(line: str, where: str) -> tuple[str, ...]:
    """The items of one line of condense's output, or of a memory system's: objects with `markdown` or `text`,
    or bare texts.

    Raises:
        SpecFault: it is something else.
    """
    needed = f"{where}: markdown is needed, or a JSON object with a list of items, which have markdown"
    try:
        raw: Any = json.loads(line)
    except (ValueError, RecursionError) as fault:
        raise SpecFault(f"{needed}; this is no JSON") from fault
    if not isinstance(raw, dict) or not isinstance(raw.get("items"), list):
        raise SpecFault(f"{needed}; this has no list of items")
    texts: list[Any] = [
        item.get("markdown", item.get("text")) if isinstance(item, dict) else item for item in raw["items"]
    ]
    if not all(isinstance(text, str) and text == text.encode("utf-8", "replace").decode() for text in texts):
        raise SpecFault(f"{needed}; an item of this has none that is a text")
    return tuple(texts)


def _row(kind: Perturbation, slot: Slot, number: int, foreign: tuple[Slot, ...], seed: int) -> dict[str, Any]:
    order = named_generator(seed, "donor", number).permutation(len(foreign))
    others = (foreign[position] for position in order if foreign[position] != slot)
    candidates = list(islice(others, MOST_DONORS)) or [NOTHING]

    def rng(part: Perturbation) -> Generator:
        return named_generator(seed, part.name, number)

    done = carried_out(kind, slot, candidates, rng)
    if done.after is not None:
        verdict = check(done.kind, done.before, done.after)
        return _shown(kind, seed, slot, done.after, True, verdict.passed, verdict.reason, verdict.to_json())
    unknown = isinstance(done.kind, Counter) and not done.kind.known.known
    hint = "; --actions FILE says what the world accepts" if unknown and slot.items else ""
    measured = check(kind, slot, slot).to_json()
    return _shown(kind, seed, slot, slot, False, False, f"{done.why_not}{hint}", measured)


def _shown(
    kind: Perturbation,
    seed: int,
    before: Slot,
    after: Slot,
    applicable: bool,
    passed: bool,
    reason: str,
    measured: dict[str, Any],
) -> dict[str, Any]:
    return {
        "kind": kind.name,
        "seed": seed,
        "before": before.text,
        "after": after.text,
        "applicable": applicable,
        "passed": passed,
        "reason": reason,
        "check": measured,
    }
