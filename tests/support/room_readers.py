"""Readers of texts that lie in files of their own: drafts of damage, and what people write by hand."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from memtrial.agents.rendered_trajectory import read_rendered
from memtrial.agents.trajectory import Step, Trajectory
from memtrial.faults import SpecFault
from memtrial.gates.notes.dead_references import TreeNames, find_dead_references
from memtrial.gates.notes.note_phrases import find_wording, is_english_note
from memtrial.gates.notes.note_report import NoteFinding
from memtrial.gates.notes.note_sections import find_idle_sections, find_skill_faults, measure_sections
from memtrial.gates.notes.opposed_notes import find_opposed_notes
from memtrial.gates.notes.repeated_notes import find_repeated_notes
from memtrial.gates.notes.rival_limits import find_rival_limits
from memtrial.gates.notes.rival_rules import find_rival_rules
from memtrial.ledger.natural_order import spell_order
from memtrial.memory.bank.bank_config import read_config
from memtrial.memory.bank.canonical.canonical_form import canonicalise, shorten_name
from memtrial.memory.bank.canonical.canonical_lint import find_instance_words
from memtrial.memory.bank.canonical.exemplar_limits import find_exemplar_faults
from memtrial.memory.bank.canonical.form_profiles import count_sentences, count_steps
from memtrial.memory.bank.consolidation.advice_polarity import read_advice
from memtrial.memory.bank.distillation.distil_reply import read_distillation
from memtrial.memory.bank.events.item_body import read_event
from memtrial.memory.bank.events.project_scope import cascade
from memtrial.memory.bank.events.redacted_events import redact_json
from memtrial.memory.bank.exports.log_lines import read_lines
from memtrial.memory.bank.preambles.item_gist import join_steps
from memtrial.memory.bank.ranking.own_profile import read_profile
from memtrial.memory.bank.ranking.tokenizer import count_tokens
from memtrial.memory.bank.redaction.redactor import redact
from memtrial.memory.bank.run_tags import tag_run
from memtrial.memory.notes.note_files import NoteFile, find_imports
from memtrial.memory.notes.note_items import read_note
from memtrial.memory.notes.note_parts import find_parts
from memtrial.memory.stored_item import MemoryFault
from memtrial.memory.systems.chat_door import read_calls
from memtrial.memory.systems.mcp_calls import fill_arguments, rank_items, read_list
from memtrial.memory_relay.listed_items import ListedItem
from memtrial.memory_relay.server_description import ServerEntry
from memtrial.models.client.types import Message
from memtrial.models.simulated.system_questions import COMPARING, FORMS, read_question
from memtrial.models.wire.closed_choice import find_closed_list, read_choice
from memtrial.pages.view.word_difference import mark_difference
from memtrial.perturbations.advice.known_actions import Repertoire
from tests.support.draft_readers import draft_readers


def note_of(text: str, name: str = "SKILL.md") -> NoteFile:
    """A file of this text that lies nowhere."""
    path, read = Path("/none") / name, read_note(text)
    return NoteFile(path, name, path.parent, text, read, tuple(find_imports(read.blocks, path, path.parent)))


PLAIN = ServerEntry.model_validate({"command": "x", "reads": ["list"], "list": {"tool": "list"}})


def _rank(text: str) -> tuple[str, ...]:
    """Items that stand in the text, and one that stands in none."""
    held = {text[place : place + 8]: ListedItem(text[place : place + 8]) for place in range(0, 64, 8)}
    return rank_items([text], held, PLAIN)


def _read_export(text: str) -> None:
    with suppress(MemoryFault):
        read_lines([text, *text.splitlines()], "an export")
    with suppress(MemoryFault):
        read_event("ItemAdded", text, None)


def _cascade(text: str) -> None:
    with suppress(MemoryFault):
        cascade(text)


def room_readers(known: Repertoire) -> dict[str, Callable[[str], object]]:
    """By what they read."""
    return draft_readers(known) | {
        "a file by hand": _read_file,
        "the parts of a file by hand": find_parts,
        "an export of a bank": _read_export,
        "JSON that is redacted": lambda text: redact_json(f'["{text}", {text}', str),
        "a bank's project": _cascade,
        "a closed list in a request": lambda text: find_closed_list({"grammar": f'root ::= "{text}'}),
        "a choice in a reply": lambda text: read_choice(f'{{"choice": "{text}'),
        "the words in braces of a call": lambda text: fill_arguments({"text": [text]}, {"run": "x"}),
        "items of a memory server's list": lambda text: read_list([text], PLAIN),
        "items in what a memory server's search gives": _rank,
        "calls of tools in a reply": lambda text: read_calls(f"[{text}]", ["Memory"]),
        "what a memory system asks": lambda text: [
            read_question((Message("user", f"{mark}\n{begins}{text}"),)) for mark, begins, *_ in FORMS
        ],
        "attempts that are compared": lambda text: read_question(
            (Message("user", f"{COMPARING[0][0]}\n# Attempt 1 (Success)\n{text}"),)
        ),
        "what a distiller replies": lambda text: (
            read_distillation(text, None),
            read_distillation(f'{{"memories": [{{"title": "{text}', "failure"),
            read_distillation(json.dumps({"title": "T", "content": text}), "failure"),
        ),
        "what upstream's condenser is sent": lambda text: read_rendered(
            f"**Query:** {text}\n\n**Trajectory:**\n<think>\n{text}\n</action>", "failure", "t"
        ),
        "the words of an item by hand": lambda text: _wording(f"Use it {text}"),
        "points by hand": lambda text: _wording("\n".join(f"- {part}" for part in text.split("\n"))),
        "orders by hand": lambda text: list(find_opposed_notes([note_of(f"Never {text}\n\nAlways {text}")])),
        "rules by hand": lambda text: _rivals(
            f"Never {text}\n\nAlways {text}\n\nUse {text} instead of {text}"
        ),
        "limits by hand": lambda text: _rivals(
            f"Line length is 8 {text}\n\nAt most {text}, of 9 {text} rows"
        ),
        "the steps of an item": join_steps,
        "a profile of a ranking": _profile,
        "a bank's configuration": lambda text: _configure(f"retrieve: {{k: {text}"),
        "a bank's configuration as JSON": lambda text: _configure(
            json.dumps({"judge": {"model": text, text: 1}})
        ),
        "the tokens of a text": lambda text: [count_tokens(text, name) for name in ("cl100k_base", "words")],
        "two texts word by word": lambda text: mark_difference(text, f"{text[::-1]} {text}"),
        "names in natural order": spell_order,
        "secrets in a text": lambda text: [
            redact(text),
            redact(f"password: {text}"),
            redact(f"://a:{text}@b.de"),
        ],
        "a text without its instance": _canonical,
        "tags of a run": _tag,
        "what an item advises": lambda text: read_advice(text, f"Never {text}"),
        "items said twice": lambda text: list(find_repeated_notes([note_of(f"{text}\n\n- {text}")])),
    }


def _read_file(text: str) -> object:
    file = note_of(text)
    measured = measure_sections(file)
    return [
        is_english_note(text),
        *find_skill_faults(file),
        *find_idle_sections(file, measured),
        *find_dead_references(file, TreeNames(file.root), english=True),
    ]


def _configure(text: str) -> None:
    with suppress(SpecFault):
        read_config(text)


def _profile(text: str) -> object:
    with suppress(SpecFault):
        return read_profile(f"name: {text}")
    return None


def _rivals(text: str) -> list[NoteFinding]:
    file = note_of(text)
    return [*find_rival_rules(file), *find_rival_limits(file)]


def _tag(text: str) -> tuple[str, ...]:
    return tag_run(Trajectory("", "", text, "success", (Step(text, text, text),), text))


def _canonical(text: str) -> object:
    counted = count_sentences(text), count_steps(text), shorten_name(text)
    faults = find_exemplar_faults(text, f"{text} more"), list(find_instance_words(text))
    return canonicalise(text), counted, faults


def _wording(text: str) -> list[NoteFinding]:
    file = note_of(text)
    return [finding for item in file.read.items for finding in find_wording(file, item)]
