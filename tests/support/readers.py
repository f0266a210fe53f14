"""Everything of the product that reads a text from outside, as functions of one text."""

import asyncio
import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType

from starlette.exceptions import HTTPException

from memtrial.agents import react
from memtrial.agents.slot import Slot
from memtrial.agents.traces import TraceFault, read_traces
from memtrial.agents.trajectory import Moment, Step, Trajectory
from memtrial.agents.trajectory_views import recount
from memtrial.agents.trajectory_views import render as rendered
from memtrial.arms.arm import check_of
from memtrial.arms.trigger_watch import watch, watch_states
from memtrial.condensers.baselines import as_long
from memtrial.condensers.schema_form import check_form
from memtrial.console.escape import one_line, printable
from memtrial.faults import SpecFault
from memtrial.gates.calibration.labelled_items import FixtureFault, read_fixtures
from memtrial.gates.gate import GateCase, Surroundings
from memtrial.gates.questions.other_tasks import show_other_tasks
from memtrial.gates.questions.worked_examples import show_examples
from memtrial.gates.suite import ALL as GATES
from memtrial.judges.failure_coder import FailureCase
from memtrial.judges.failure_rules import code_by_rules
from memtrial.judges.success import read_grade
from memtrial.ledger.review_facts import GateFinding
from memtrial.memory.item import NativeItem, TheoryItem, field_names
from memtrial.memory.item_roles import roles_of
from memtrial.memory.leakage import echo_runs, remembers, secrets_of, without_echo
from memtrial.memory.markdown import parse_all, render, split_items
from memtrial.memory.trigger import TriggerFault, breaks_check, compile_form, compile_trigger
from memtrial.models.client.block_text import read_blocks
from memtrial.models.client.prompt_delivery import is_verbatim
from memtrial.models.client.types import Message, Request
from memtrial.models.simulated.odd_text import ODD
from memtrial.models.simulated.open_simulated import open_simulated
from memtrial.models.wire.json_fields import image_of_url
from memtrial.outcomes.column_roles import plain
from memtrial.outcomes.failures.failure_columns import read_counts, read_labels
from memtrial.outcomes.files.table_files import read_sheet
from memtrial.outcomes.table_fault import TableFault
from memtrial.pages.decision_file import read_decisions, read_rows
from memtrial.pages.decision_form import parse_form
from memtrial.pages.failure_desk import LabelledCase
from memtrial.pages.finding_groups import read_findings
from memtrial.pages.quote_marks import Quote, mark_quotes
from memtrial.perturbations.advice.advised_action import exchangeable, exclusions, find_advice, named_actions
from memtrial.perturbations.advice.alternatives import whole_commands
from memtrial.perturbations.advice.known_actions import NOTHING_KNOWN, Repertoire, same_action
from memtrial.perturbations.advice.phrase_exchange import closed_spans, conditions, domain_of, things_in
from memtrial.perturbations.corrupt_invert import CorruptInvert
from memtrial.perturbations.counter import Counter
from memtrial.perturbations.kinds import ALL
from memtrial.perturbations.language import grammar
from memtrial.perturbations.language.differences import count_touched, n_changed, n_contradicted, n_flips
from memtrial.perturbations.language.fluency import Fluency
from memtrial.perturbations.manipulation_check import check
from memtrial.perturbations.one_field import ONE_FIELD
from memtrial.perturbations.shuffle import Shuffle
from memtrial.prompts.control_prompts import ControlFault, load_cue
from memtrial.protocols import Perturbation
from memtrial.reports.render.markdown_report import escape
from memtrial.runs.setup.model_roles import read_calibration
from memtrial.runs.spec.read_spec import read_yaml
from memtrial.runs.trials.exposure import find_citation
from memtrial.views.evidence.bundle_audit import audit, bundle, sentence, stretches
from memtrial.worlds.scienceworld import action_commands
from memtrial.worlds.world import Task, Truth
from tests.support.agent_readers import AGENT_READERS
from tests.support.damaging import damage, refusal
from tests.support.repository_readers import REPOSITORY_READERS
from tests.support.room_readers import room_readers
from tests.support.wire_texts import carry

Reader = Callable[[str], object]
SITUATION = "Observation: A lamp is lit.\nActions: open door | pull the lever"
ASKS = "Your output fields are:\n1. %s (list)\nAll interactions"
KNOWN = Repertoire((("open door", "pull the lever", "wait"),), ("use OBJ on OBJ with OBJ", "go to LOC"))
ORDINARY = Slot(
    "Notes", ("## Claim When the lamp is lit, pull the lever.\n## Mechanism Steam moves the gate.",)
)


def _item(text: str) -> TheoryItem:
    return TheoryItem(text, text, text, text, text)


def _trace(text: str) -> Trajectory:
    return Trajectory("t", "t", text, "success", (Step(text, text, text), Step("", text, text)), text)


def _refused(read: Reader, *faults: type[Exception]) -> Reader:
    def tried(text: str) -> object:
        try:
            return read(text)
        except faults as fault:
            return str(fault)

    return tried


def _from_file(name: str, read: Callable[[Path], object], *faults: type[Exception]) -> Reader:
    """A reader of files, given what the text makes of one."""

    def written(text: str) -> object:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_text(text, encoding="utf-8")
            return _refused(lambda _: read(path), *faults)(text)

    return written


def _headed(head: str, read: Reader) -> Reader:
    return lambda text: read(head + text)


def _damaged(kind: Perturbation, text: str, known: Repertoire = NOTHING_KNOWN) -> object:
    """All of a kind of damage and its check, the text as the memory and as that of somebody else."""
    slot = Slot("Notes", (text,))
    _damage(kind, slot, ORDINARY, known)
    if _asks_somebody_else(kind):
        _damage(kind, ORDINARY, slot, known)
    return None


def _damage(kind: Perturbation, slot: Slot, donor: Slot, known: Repertoire) -> None:
    refusal(kind, slot, donor, known=known)
    check(kind, slot, damage(kind, slot, 0, donor, known=known), known)


@cache
def _asks_somebody_else(kind: Perturbation) -> bool:
    """Whether it looks at the memory of somebody else; where not, the ordinary one always ends alike."""
    try:
        _damage(kind, ORDINARY, None, NOTHING_KNOWN)  # type: ignore[arg-type]
    except AttributeError:
        return True
    return False


def _triggered(text: str) -> object:
    watched = watch(
        (TheoryItem("", text, "", "", ""), TheoryItem("", 'state: lamp | task: "a  b"', "", "", text))
    )
    moment = Moment(text, text, text)
    holds = [one.trigger.holds(moment) or (one.check and breaks_check(one.check, moment)) for one in watched]
    return [*holds, *(one.trigger.holds(moment) for one in watch_states((text, "the lamp")))]


def _said(model: str, *roles: tuple[str, str]) -> object:
    """What a participant answers."""
    messages = tuple(Message(role, text) for role, text in roles)  # type: ignore[arg-type]
    return asyncio.run(open_simulated(model).answer(Request(model, messages), 0))


def _played(model: str, text: str) -> object:
    told = f"Rules\n\nNotes from earlier tasks:\n\n{text}"
    return _said(model, ("system", told), ("user", f"Task: a\n\n{SITUATION}"))


def _seen(model: str, text: str) -> object:
    rules = f"- open OBJ\n{text}\n\nNotes from earlier tasks:\n\nWhen the lamp is lit, open door."
    turns = ("user", f"Task: {text}\n\nObservation: {text}"), ("assistant", text)
    return _said(model, ("system", rules), *turns, ("user", f"Observation: {text}\nActions: {text}"))


def _asked(model: str, fields: str, text: str) -> object:
    system = f"Your output fields are:\n{fields}\nAll interactions"
    given = {
        "item": f"# Memory Item 1\n## Claim {text}",
        "trajectory": rendered(_trace(text)),
        "outcome": "success",
    }
    given |= {
        "question": "mechanism",
        "notes": text,
        "rules": text,
        "situation": f"Task: {text}\n\n{SITUATION}",
    }
    told = "\n\n".join(f"[[ ## {name} ## ]]\n{one}" for name, one in given.items())
    return _said(model, ("system", system), ("user", told))


def _perturbed(text: str) -> object:
    notes = f"[[ ## notes ## ]]\n{json.dumps([text])}"
    odd = "\n\n[[ ## words ## ]]\n9\n\n[[ ## negations ## ]]\n[1]"
    more = (f"\n\n[[ ## accepted ## ]]\n{json.dumps([text])}", odd, "")
    writer = partial(_said, "simulated/perturber?sloppy=0.5&cheat=0.5", ("system", ASKS % "`rewritten`"))
    return [writer(("user", notes + kind)) for kind in more]


def _compared(text: str) -> object:
    told = f"[[ ## first_text ## ]]\n{text}\n\n[[ ## second_text ## ]]\n{text[::-1]}"
    return _said("simulated/decider", ("system", ASKS % "`pairs`"), ("user", told))


def _sent(text: str) -> object:
    told = (Message("system", f"{text}{'s' * 60}"), Message("user", f"{'u' * 60}{text}"))
    body = {"messages": [{"content": one.content} for one in told]}
    return is_verbatim(told, body, {"echo": body, "more": text, "body": json.dumps(body)})


def _coded(text: str) -> object:
    """The rules on a case that is all of this text, and on an ordinary one with this memory."""
    lamp = (
        Step("", "press the stud", "It opens."),
        Step("", "check the lid", "Sound."),
        Step("", "stop", ""),
    )
    solved = Trajectory("t", "t", "open it", "success", lamp, "The lid is shut.")
    failed = Trajectory("t", "t", "open it", "failure", (lamp[0], lamp[2]), "The lid is shut.")
    whole = FailureCase("", _trace(text), _trace(text[::-1]), text, text)
    cases = (whole, FailureCase("", solved, failed, text))
    return [code_by_rules(one) for one in cases], [one.parting for one in cases]


def _gates(text: str) -> object:
    lamp = TheoryItem("In `a`, do `b` at step 7", 'state: "lamp"', "It is 'c' in steps 8-9", "", "heuristic")
    scoped = replace(lamp, scope=f"Lamps. Does NOT apply when {text}")
    native = NativeItem(text, text, text)
    cases = [(_item(text), "a lamp"), (native, "a lamp"), (scoped, "a lamp"), (lamp, text)]
    around = Surroundings(stored=lambda trajectory: (native,))
    shown = show_other_tasks(text, "none of them", (_trace(text),), "full"), show_examples("refuter", text)
    return shown, [
        gate.rule_on(GateCase(one, roles_of(one), _trace(told), around=around))
        for one, told in cases
        for gate in GATES
    ]


def _leaking(text: str) -> object:
    task = Task("t", text, "", "", "test")
    secrets = secrets_of((task,), {"t": Truth(text, (), answers=(text,))}, ())
    steps = _trace(text).steps
    return (
        secrets.within(text[::-1]),
        without_echo(text, echo_runs((text[::-1],))),
        remembers(_trace(text), text),
        find_citation(0, text, steps),
    )


def _audited(text: str) -> object:
    memories = (text, f"{text} a", f"a {text}")
    one = {
        ("t", n): bundle([{"role": "system", "content": text}], memory, False)
        for n, memory in enumerate(memories)
    }
    other = {block: replace(found, memory="") for block, found in one.items()}
    return sentence(audit("", ("a", "b"), one, other), ("a", "b"))


def _marked(text: str) -> object:
    """Quotes that stand nowhere and nearly everywhere, and those that stand there, more in a longer text."""
    text *= 30  # a comparison of texts is so fast that shorter ones show nothing
    half = text[: len(text) // 2]
    near = [Quote(1, f"{part}{end}") for part in (half, half[1:], half[2:]) for end in ("\0", "\1")]
    pieces = [Quote(at, text[at : at + 9]) for at in range(0, len(text), 9)]
    return mark_quotes(text, near), mark_quotes(text, pieces)


def _found(text: str) -> object:
    """Findings that quote the text, its parts and its headings, on an item and a run that hold it."""
    quotes = text, text[: len(text) // 2], f"## Claim {text}\n## Scope {text[1:]}"
    findings = [
        GateFinding(gate="refuter", finding="WARN", quote=quote, where=where, reason="")
        for quote in quotes
        for where in ("item", "trace")
    ]
    item = TheoryItem(f"a {text}", text, text, text, text)
    return read_findings(
        findings, item, {name: getattr(item, name) for name in field_names("theory")}, (text,)
    )


READERS: Mapping[str, Reader] = MappingProxyType(
    {
        **AGENT_READERS,
        "an agent's reply": react.parse,
        "blocks of a reply that is replayed": lambda text: [
            _refused(read_blocks, ValueError)(said)
            for said in (text, json.dumps([{"type": "text", "text": text}]))
        ],
        "an agent's thought": _headed("Thought: ", react.parse),
        "a condenser's reply": lambda text: [split_items(render(item)) for item in parse_all(text)],
        "labels in a reply": _headed("Title: a\nContent: ", parse_all),
        "json in a reply": _headed('[{"title": "a", "content": "', parse_all),
        "a table in a reply": _headed("| Title | Content |\n|--|--|\n| a |", parse_all),
        "tags in a reply": _headed("<title>a</title><content>", parse_all),
        "a reply of another's length": lambda text: [as_long(text, n) for n in (20, len(text))],
        "a Claim in a reply": _headed("# Memory Item 1\n## Claim ", parse_all),
        "a Trigger": _refused(compile_trigger, TriggerFault),
        "a check as shown": check_of,
        "a Trigger's cue": _refused(_headed("task: ", compile_trigger), TriggerFault),
        "a Form": _refused(compile_form, TriggerFault),
        "a Form's check": _refused(_headed("check: state: ", compile_form), TriggerFault),
        "a moment": _triggered,
        "gates": _gates,
        "an item's form": lambda text: check_form(_item(text), _trace(text)),
        "fixtures": _from_file("refuter.jsonl", read_fixtures, FixtureFault),
        "a calibration": _from_file("made.json", read_calibration, SpecFault),
        "a failure": _coded,
        "a judge of success": lambda text: (
            read_grade(text),
            read_grade(f'{{"verdict": "{text}'),
            read_grade(f"Thoughts: {text}\nStatus: {text}"),
        ),
        "counts of failures": _from_file("counts.csv", read_counts, TableFault),
        "labels of failures": lambda text: _from_file("l.csv", read_labels, TableFault)(f"case,mode\n{text}"),
        "a raw trajectory": lambda text: recount(_trace(text)),
        "decisions of people": _from_file("decisions.jsonl", read_decisions, SpecFault),
        "a form of the page": _refused(lambda text: parse_form(text.encode()), HTTPException),
        "cases of failures": _from_file(
            "cases.jsonl", lambda path: list(read_rows(path, LabelledCase, "")), SpecFault
        ),
        "traces": _from_file("traces.jsonl", read_traces, TraceFault),
        "a trace's texts": lambda text: _from_file("t.jsonl", read_traces, TraceFault)(
            json.dumps({"trace_id": text, "task_id": "", "query": text, "outcome": "success", "steps": []})
        ),
        "a spec": _refused(lambda text: read_yaml(text, "spec"), SpecFault),
        "a cue file": _from_file("cue.txt", lambda path: load_cue("upstream", None, path), ControlFault),
        "a cue in Python": lambda text: _from_file(
            "cue.py", lambda path: load_cue("upstream", None, path), ControlFault
        )(f"CUE = {text!r}\nMORE = 'discuss memory items ' + {text[:1500]!r}"),
        "a table": _from_file("table.csv", read_sheet, TableFault),
        "a column's name": plain,
        "texts side by side": lambda text: stretches(text, text[::-1], 20_000),
        "escaped markdown": lambda text: escape(one_line(printable(text))),
        "advice": lambda text: [
            read(text) for read in (find_advice, exchangeable, exclusions, named_actions)
        ],
        "exchange": lambda text: (
            closed_spans(text),
            conditions(text),
            domain_of(text),
            things_in(text, "code"),
            whole_commands(text),
        ),
        "advice the world accepts": lambda text: (
            find_advice(text, KNOWN),
            KNOWN.others(text),
            KNOWN.accepts(text),
        ),
        "advice of a Scope": _headed("## Scope ", exclusions),
        "an action": lambda text: same_action(text, f"a {text[1:]} b"),
        "differences": lambda text: [
            compare(text, text[::-1]) for compare in (n_changed, n_flips, n_contradicted, count_touched)
        ],
        "grammar": lambda text: (
            grammar.not_whole([text], [text[::-1]]),
            grammar.brought_in([text], [text[1:]]),
        ),
        "fluency": lambda text: Fluency({"a": [text, "Pull it."], "b": ["Wait."]}).distance(
            [text], [text[::-1]]
        ),
        "a simulator's reply": lambda text: (
            action_commands.readings(text),
            action_commands.clean_action(text),
            action_commands.clean_reply(text),
        ),
        "a provider's echo": _sent,
        "a request in each wire format": carry,
        "an image's address": image_of_url,
        "reader's memory": partial(_played, "simulated/reader"),
        "talker's memory": partial(_played, "simulated/talker"),
        "reader's world": partial(_seen, "simulated/reader"),
        "scribe, native": lambda text: _said(
            "simulated/scribe", ("system", "Learn."), ("user", rendered(_trace(text)))
        ),
        "scribe, a draft": partial(_asked, "simulated/scribe", "1. `memory_items` (list)"),
        "examiner": partial(_asked, "simulated/examiner", "1. `answer` (str)\n2. `quote` (str)"),
        "perturber": _perturbed,
        "quotes that are marked": _marked,
        "findings of a draft": _found,
        **{**room_readers(KNOWN), **REPOSITORY_READERS},
        "decider, a comparison": _compared,
        "decider": partial(_asked, "simulated/decider", "1. `action` (str)\n2. `quote` (str)"),
    }
    | {f"{kind.name}": partial(_damaged, kind) for kind in (*ALL, ONE_FIELD[3], ONE_FIELD[5])}
    | {f"memory, startled by {rule}": partial(_played, f"simulated/startled?by={rule}") for rule in ODD}
    | {
        "leakage": _leaking,
        "what two arms are sent": _audited,
        "corrupt_invert of a Content": _headed("## Content ", partial(_damaged, CorruptInvert())),
        "counter in a known world": partial(_damaged, Counter(), known=KNOWN),
        "shuffled steps": lambda text: _damaged(Shuffle(), recount(_trace(text)) + "\n" + text),
    }
)
"""By what they read. A new reader of texts from outside belongs here."""
