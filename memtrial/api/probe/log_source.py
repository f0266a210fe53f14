"""What a probe asks again where there is no run: requests of logs, and a memory that stood in them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from memtrial.analysis_rules import AnalysisRules
from memtrial.api.perturb import read_slots
from memtrial.api.probe.log_decisions import LogDecisions
from memtrial.api.probe.probe_calls import LONGEST_REPLY, AskingRules
from memtrial.api.probe.probe_options import ProbeOptions
from memtrial.api.probe.probe_size import take_enough
from memtrial.api.probe.probe_source import ProbeSource
from memtrial.api.probe.recorded_decision import RecordedDecision
from memtrial.faults import SpecFault, refused
from memtrial.ledger.random_streams import named_generator
from memtrial.memory.markdown import item_texts
from memtrial.memory.notes.note_parts import find_parts
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.given_path import path_of
from memtrial.plugins.given_memory import read_text
from memtrial.runs.run_folder.folder import LOGS
from memtrial.transcripts.logged_run import LogFault

MOST_ITEMS = 2_000
"""Each is looked for in every text of every request."""
MARGIN = 0.1
HOW_TO_KEEP = (
    "`memtrial proxy --out FOLDER` keeps requests as they are sent, and files of chats hold messages;"
    " sessions of Claude Code and Codex do not hold the whole request"
)


def read_logs(paths: Sequence[Path], options: ProbeOptions) -> ProbeSource:
    """The decisions of logs. SpecFault where a memory or a model is not named, or stands in no request."""
    if options.memory is None:
        raise SpecFault(
            "logs do not say what of a prompt is memory: --memory FILE names what stood there, word for word"
        )
    if options.model is None:
        raise SpecFault("logs are asked again of a model that is named: --model provider/name")
    if options.arms:
        raise SpecFault("--arm is of a run; logs have none: leave it out")
    items, text = read_items(options.memory)
    name = paths[0].stem if len(paths) == 1 else f"{paths[0].stem} and {len(paths) - 1} more"
    place = options.out or LOGS / f"probe_{paths[0].stem}_{options.memory.stem}"
    return read_requests(KeptRequests(paths, name, place, options.memory, items, text), options)


@dataclass(frozen=True, slots=True)
class KeptRequests:
    """Requests as they were sent, and the memory that stood in them.

    Args:
        name: in reports; folder: of the probe.
        memory: the file; items: of it; frame: its own text that may stand between them.
        tasks: what a path holds requests of, where that is known.
    """

    paths: Sequence[Path]
    name: str
    folder: Path
    memory: Path
    items: tuple[str, ...]
    frame: str
    tasks: Mapping[Path, str] = field(default_factory=dict)


def read_requests(kept: KeptRequests, options: ProbeOptions) -> ProbeSource:
    """Their decisions. SpecFault where the memory stands in none of them."""
    with refused(LogFault):
        decisions = LogDecisions(kept.items, options.model or "", kept.frame, tasks=kept.tasks)
        listed = list(decisions.of_paths(kept.paths))
    left_out = {why: n for why, n in decisions.left_out.items() if n}
    if not listed:
        told = "; ".join(f"{n:,} {why}" for why, n in left_out.items()) or "no request at all"
        raise SpecFault(
            f"a request in which the memory of {kept.memory} stands verbatim is needed; there is {told}."
            f" Name the file as it stood in the prompts; {HOW_TO_KEEP}"
        )
    temperatures = decisions.temperatures
    asking = AskingRules(
        agent="",
        model=options.model or "",
        temperature=next(iter(temperatures)) if len(temperatures) == 1 else None,
        # a request that thinks is refused where its thoughts alone may be longer
        max_tokens=max(filter(None, decisions.limits), default=LONGEST_REPLY),
        samples=max(1, options.samples),
    )
    seed = options.seed or 0
    ordered = order_decisions(listed, seed)
    n_items = len({item for decision in listed for item in decision.slot.items})
    note = (
        f"Taken for memory: {how_many(n_items, 'item')} of {kept.memory} that stand verbatim in"
        f" {how_many(len(listed), 'request')}. The next action is a tool that is called, what stands behind"
        " `Action:`, or else the whole reply."
    )
    rules = AnalysisRules(margin=MARGIN if options.margin is None else options.margin, seed=seed)
    taken = tuple(take_enough(ordered, options.calls))
    return ProbeSource(kept.name, kept.folder, (taken,), rules, asking, "task", left_out, (note,))


def read_items(path: Path) -> tuple[tuple[str, ...], str]:
    """The items of a memory's file, and its own text: items under headings, the output of `condense`, or the
    sections, points or paragraphs of a file by hand."""
    given = path_of(path, "a memory's file", SpecFault)
    text = read_text(given)
    items = item_texts(text.strip("\n"))
    if given.suffix in (".jsonl", ".ndjson"):
        items = tuple(chain.from_iterable(slot.items for slot in read_slots(given)))
    elif len(items) == 1:
        items = tuple(part.text.strip("\n") for part in find_parts(text).parts) or items
    if len(items) > MOST_ITEMS:
        raise SpecFault(f"a memory of at most {MOST_ITEMS:,} items is looked for; {path} has {len(items):,}")
    return items, text


def order_decisions(listed: Sequence[RecordedDecision], seed: int) -> list[RecordedDecision]:
    """A first decision of every task before a second one of any, in an order of tasks that is drawn; those at
    which something that the memory advises applies before all others."""
    by_task: dict[str, list[RecordedDecision]] = {}
    for decision in sorted(listed, key=lambda decision: not decision.due):
        by_task.setdefault(decision.task, []).append(decision)
    names = list(by_task)
    drawn = [names[place] for place in named_generator(seed, "probe").permutation(len(names)).tolist()]
    most = max(map(len, by_task.values()))
    rounds = [
        [by_task[name][number] for name in drawn if number < len(by_task[name])] for number in range(most)
    ]
    flat = list(chain.from_iterable(rounds))
    applying = [decision for decision in flat if decision.due]
    return applying or flat
