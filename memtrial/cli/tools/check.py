"""`check`: the conformance laws on somebody's own condenser, gate, perturbation, agent, world or memory."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from memtrial.cli.options import Json
from memtrial.console.line_width import columns
from memtrial.console.standard_output import complain, put_either, width_of
from memtrial.faults import RunFault, SpecFault

if TYPE_CHECKING:
    from memtrial.plugins.child_process import Say
    from memtrial.plugins.conformance.laws import Result

CALLED = ("condenser", "gate", "perturbation", "agent")
"""What a thing that is called is, by how many arguments it takes."""
OF_AN_AGENT = {"task", "world", "memory", "ask"}
"""A function that names these is an agent: it gets its `ask` with each episode, and not when it is made."""


def check_object(
    name: Annotated[
        str,
        typer.Argument(
            help="path/to/module.py:Object, or a memory system that ships, as mem0.", metavar="OBJECT"
        ),
    ],
    as_json: Json = False,
) -> int:
    """Try the laws and print what was seen: 0 when all laws hold, 1 when some do not.

    The laws are tried in a process of their own, which the object may end.

    Raises:
        SpecFault: it cannot be loaded, or is none of the kinds.
    """
    from memtrial.plugins.child_process import INTERRUPTED, ChildEnded, said_by_child
    from memtrial.plugins.conformance.laws import Result

    kind, doing, results = "", f"loading {name}", list[Result]()
    lines_said = said_by_child(partial(_try_laws, name))
    try:
        for word, value in cast(Iterator[tuple[str, Any]], lines_said):
            if word == "refused":
                raise SpecFault(value)
            if word == "result":
                results.append(Result(**value))
            kind, doing = (value, doing) if word == "kind" else (kind, value if word == "law" else "")
    except KeyboardInterrupt:
        complain(f"interrupted at: {doing or 'the end'}; run the same command to check again")
        return INTERRUPTED
    except ChildEnded as ended:
        if not kind:
            raise SpecFault(f"{doing} {ended}; a module is loaded without ending anything") from ended
        results.append(Result(doing, False, f"the object {ended}, so that no further law was tried"))
    finally:
        lines_said.close()
    kept = sum(result.passed for result in results)
    rows = [(result.law, "yes" if result.passed else "NO", result.seen) for result in results]
    table = columns([("law", "holds", "seen"), *rows], width_of())
    lines = [f"{name}: {kind}", *table, f"{kept} of {len(results)} laws hold"]
    put_either({"object": name, "kind": kind, "laws": [asdict(law) for law in results]}, lines, as_json)
    return 0 if kept == len(results) else 1


def kind_of(name: str) -> str:
    """What the object is, from its methods and the arguments it takes."""
    from memtrial.plugins.conformance.fixtures import SEED, steady_caller
    from memtrial.plugins.load_plugin import Ask, UserCode, load_object, object_of, parameters_of
    from memtrial.plugins.load_plugin import make as make_object
    from memtrial.plugins.shipped_memory import is_shipped

    if is_shipped(name):
        return "memory store"
    _refuse_unchecked(name)
    thing = make_object(name, {"ask": Ask(steady_caller()), "seed": SEED, "settings": {}})
    with UserCode(f"looking at {name}", SpecFault, name):
        has = {method for method in dir(thing) if not method.startswith("_")}
    if {"read", "replace"} <= has:
        return "memory store"
    if {"observe", "recall"} & has:
        return "memory"
    if {"reset", "step"} & has:
        return "world"
    if "apply" in has:
        return "perturbation"
    loaded = load_object(name)
    if inspect.isfunction(loaded) and parameters_of(loaded).keys() >= OF_AN_AGENT:
        return "agent"
    if callable(thing) and {"task", "memory"} <= parameters_of(thing).keys():
        raise SpecFault(
            f"{object_of(name)} is an agent that reports its own outcome, whose tasks nobody has here: try it"
            " by `memtrial run SPEC --limit 1`, or from Python by TrialOptions(limit=1)"
        )
    if callable(thing):
        needed = [
            parameter
            for parameter in parameters_of(thing).values()
            if parameter.default is inspect.Parameter.empty
        ]
        if 1 <= len(needed) <= len(CALLED):
            return CALLED[len(needed) - 1]
    raise SpecFault(
        f"{object_of(name)} is called like no condenser (trajectory), gate (item, trajectory), "
        "perturbation (slot, rng, context) or agent (task, world, memory, ask), and has no methods of a "
        "world (tasks, reset, step, …), a memory (observe, recall; or write, read, list, replace) or a "
        "perturbation (apply); name one that is called so"
    )


NOT_HERE = (
    ("carrier", {"opening", "turn", "proposal"}, "tests/arms/test_carriers.py"),
    ("carrier", {"by_trigger", "needs_trigger"}, "tests/arms/test_carriers.py"),
    ("ledger", {"add_trials", "sessions"}, "tests/ledger/test_ledger_stores.py"),
)
"""What no spec names by its file, what each has, and the tests that hold it to its laws."""


def _refuse_unchecked(name: str) -> None:
    """Raise a SpecFault for a carrier or a ledger, a class or what makes one."""
    from memtrial.plugins.load_plugin import UserCode, load_object, object_of

    loaded = load_object(name)
    with UserCode(f"looking at {name}", SpecFault, name):
        has = set(dir(loaded))
    for kind, members, tests in NOT_HERE:
        if members <= has:
            raise SpecFault(
                f"{object_of(name)} is a {kind}; carriers and ledgers are not checked here:"
                f" build it in as docs/your_{kind}.md says, and run {tests}"
            )


def _try_laws(name: str, say: Say) -> None:
    """Say of which kind the object is, each law before it is tried, and its result; or why it is refused."""
    from memtrial.models.client.types import ModelFault
    from memtrial.worlds.world import WorldFault

    def tell(law: str, result: Result | None) -> None:
        say(["law", law] if result is None else ["result", asdict(result)])

    try:
        kind = kind_of(name)
        laws = _laws(name, kind, tell)
        say(["kind", kind])
        asyncio.run(laws)
    except (SpecFault, RunFault, ModelFault, WorldFault) as fault:
        say(["refused", str(fault)])


def _laws(
    name: str, kind: str, tell: Callable[[str, Result | None], None]
) -> Coroutine[Any, Any, tuple[Result, ...]]:
    """The laws of the kind on fresh objects. It is loaded once before, to say first what cannot be loaded."""
    from memtrial.plugins.adapters import load_condenser, load_gate, load_perturbation, load_world
    from memtrial.plugins.conformance.agent_laws import AGENTS
    from memtrial.plugins.conformance.fixtures import SEED, caller_for
    from memtrial.plugins.conformance.fresh_process import law_across_processes
    from memtrial.plugins.conformance.laws import CONDENSERS, GATES, MEMORIES, PERTURBATIONS, Law, hold
    from memtrial.plugins.conformance.store_laws import STORES
    from memtrial.plugins.conformance.world_laws import WORLDS
    from memtrial.plugins.own_agent import load_agent
    from memtrial.plugins.own_memory import load_memory

    caller = caller_for(name)
    kinds: dict[str, tuple[Sequence[Law[Any]], Callable[[], Any]]] = {
        "condenser": (CONDENSERS, lambda: load_condenser(name, caller, SEED)),
        "gate": (GATES, lambda: load_gate(name, caller, SEED)),
        "perturbation": (PERTURBATIONS, lambda: load_perturbation(name, SEED)),
        "agent": (AGENTS, lambda: load_agent(name, SEED)),
        "world": (WORLDS, lambda: load_world(name, {}, SEED)),
        "memory store": ((*STORES, law_across_processes(name)), lambda: load_memory(name, caller, SEED)),
        "memory": (MEMORIES, lambda: load_memory(name, caller, SEED)),
    }
    laws, make = kinds[kind]
    loaded = make()
    if kind == "world":
        loaded.close()
    return hold(laws, make, tell)
