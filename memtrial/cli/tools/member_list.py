"""`list`: what a spec may name, one line each.

To list loads none of it: the lines stand in a file, which `python -m tests.house.made_pages` makes.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal, get_args

import typer

from memtrial.cli.options import Json
from memtrial.console.line_width import columns
from memtrial.console.standard_output import put_either, width_of

Topic = Literal["kinds", "gates", "worlds", "condensers", "agents", "memories", "models"]
Entry = tuple[str, str]
"""A name as a spec has it, and what it is."""
TOPICS: dict[Topic, str] = {
    "kinds": "conditions: what can be done to the text of a memory",
    "gates": "what an item is checked for before it is stored",
    "worlds": "where tasks come from, and who says that one is solved",
    "condensers": "what makes memory of a trajectory",
    "agents": "who plays: agents of this project, and those that people run",
    "memories": "memory systems that people run, by the word that an arm names them by",
    "models": "providers, as provider/model, and simulated participants",
}
CONDENSERS = {
    "native": "Title, Description and Content, by ReasoningBank's prompts or ours: the control.",
    "theory": "Claim, Trigger, Mechanism, Scope and Form, checked by gates and revised: the treatment.",
    "additive": "The native fields with those of theory beside them, through the gates.",
    "raw": "The trajectory itself, as one item: nothing is condensed.",
    "steps": "The recorded steps in up to three windows, each an item that gates let through or drop.",
    "nothing": "Every record stays empty, and every slot with it.",
}
OWN = "path/to/module.py:Object"
MEMBERS = Path(__file__).with_name("member_lines.json")


def list_members(
    topic: Annotated[
        Topic | None, typer.Argument(help=", ".join(TOPICS), metavar="WHAT", show_choices=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """What a spec may name: kinds, gates, worlds, condensers, agents, memories or models, one line each."""
    entries = kept_entries()[topic] if topic is not None else tuple(TOPICS.items())
    lines = columns([("", ""), *entries], width_of())
    put_either([{"name": name, "about": about} for name, about in entries], lines, as_json)


def kept_entries() -> Mapping[str, tuple[Entry, ...]]:
    """By topic, as they were when the file was made."""
    kept = json.loads(MEMBERS.read_text(encoding="utf-8"))
    return {topic: tuple(map(tuple, entries)) for topic, entries in kept.items()}


def members_text() -> str:
    """The file's text, from the members themselves."""
    listed = {topic: list(entries_of(topic)) for topic in TOPICS}
    return json.dumps(listed, indent=1, ensure_ascii=False) + "\n"


def entries_of(topic: Topic) -> Iterator[Entry]:
    """The members of a topic in the order of their tuple; your own go in by path where that can be."""
    if topic == "kinds":
        from memtrial.perturbations.kinds import NAMED

        yield from ((kind.name, _first_sentence(type(kind).__doc__)) for kind in NAMED)
        yield (
            "oddity+KIND",
            "As odd to read as that kind, with its advice whole: content or startle?",
        )
    elif topic == "gates":
        from memtrial.gates.suite import ALL as GATES

        yield from ((kind.name, kind.failure) for kind in GATES)
    elif topic == "worlds":
        yield from _worlds()
    elif topic == "condensers":
        yield from CONDENSERS.items()
    elif topic == "agents":
        yield from _agents()
    elif topic == "memories":
        yield from _memories()
    else:
        yield from _models()
    if topic not in ("gates", "models"):
        yield OWN, "Your own."


def _worlds() -> Iterator[Entry]:
    from memtrial.runs.spec.environment import (
        GivenSpec,
        ScenariosSpec,
        ScienceWorldSpec,
        SingleTurnSpec,
        WorkshopSpec,
    )

    for settings in (WorkshopSpec, ScienceWorldSpec, SingleTurnSpec, ScenariosSpec, GivenSpec):
        (name,) = get_args(settings.model_fields["world"].annotation)
        yield name, re.sub(r" \([a-z_/]+\)", "", _first_sentence(settings.__doc__))


def _agents() -> Iterator[Entry]:
    from memtrial.coding_agents.shipped_agents import SHIPPED_AGENTS
    from memtrial.plugins.own_agent import SHIPPED

    for agent in SHIPPED:
        yield agent.name, _first_sentence(type(agent).__doc__)
    for record in SHIPPED_AGENTS:
        yield record.name, f"Played by `memtrial try`; memory reaches it by {', '.join(record.carriers)}."


def _memories() -> Iterator[Entry]:
    from memtrial.memory.systems.shipped_systems import SHIPPED_SYSTEMS

    for system in SHIPPED_SYSTEMS:
        about = f"The package {system.package}: pip install {system.needed}"
        if not system.package:
            about = "This project's own: files of notes, found by their likeness to the task."
        elif system.must:
            about = f"A server of yours, as `{system.word}?{system.must}=PATH` describes it. {about}"
        yield system.word, about


def _models() -> Iterator[Entry]:
    from memtrial.models.client.types import WEIGHTS
    from memtrial.models.providers.provider_table import ALL as PROVIDERS
    from memtrial.models.simulated.open_simulated import OTHERS, PARTS
    from memtrial.models.simulated.participants import SimulatedParticipant

    for provider in PROVIDERS:
        key = f"the key in {provider.keys[0]}" if provider.key_needed else "no key needed"
        yield f"{provider.name}/MODEL", f"{provider.address}, {key}"
    yield f"{WEIGHTS}/MODEL", "A file of weights on this machine, served in a process of its own."
    about = " ".join((SimulatedParticipant.__doc__ or "").split())
    for name in PARTS:
        if name in OTHERS:
            yield f"simulated/{name}", _first_sentence(OTHERS[name][1].__doc__)
        else:
            # a clause of the docstring each; one is described by the other before it
            clause = re.split("[;.]", about.partition(f"`{name}` ")[2])[0]
            yield f"simulated/{name}", f"Plays: {clause.replace('is the same', 'as startled')}."


def _first_sentence(text: str | None) -> str:
    """The first sentence of a docstring, on one line."""
    whole = " ".join((text or "").split())
    head, dot, _ = whole.partition(". ")
    return head + dot.rstrip() if dot else whole
