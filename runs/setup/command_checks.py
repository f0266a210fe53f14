"""What is checked of an agent that is a command before anything is begun, and what is said of it."""

import os
from dataclasses import replace

from memtrial.commands.command_spec import CommandSpec
from memtrial.commands.sandbox import Sandbox, find_sandbox
from memtrial.commands.tool_places import find_named
from memtrial.faults import SpecFault, refused
from memtrial.models.client.keys import Keys
from memtrial.models.client.types import ModelFault
from memtrial.proxy.proxy_routes import ANTHROPIC, OPENAI
from memtrial.proxy.upstreams import Upstreams, open_upstreams
from memtrial.runs.spec.spec import Spec


def keys_of_models(spec: Spec, keys: Keys) -> Keys:
    """The keys without the addresses that are meant for the provider of a command alone."""
    if not isinstance(spec.agent, CommandSpec):
        return keys
    named = {model.partition("/")[0] for model in (*spec.backbone, spec.roles.judge or "")}
    own = {ANTHROPIC, OPENAI} - named
    return replace(keys, given={name: url for name, url in keys.given.items() if name not in own})


def upstreams_of(keys: Keys) -> Upstreams:
    """Where a command's requests go; a command need not ask any model, and one that does is told why it
    cannot."""
    try:
        return open_upstreams(keys)
    except ModelFault as fault:
        return Upstreams({}, {ANTHROPIC: str(fault), OPENAI: str(fault)})


def command_notices(spec: Spec, keys: Keys) -> tuple[str, ...]:
    """A line on each key that goes to another address than its provider's own, and whether a sandbox holds
    the command; none where the agent is no command.

    Raises:
        SpecFault: a variable that is passed on is not set, a base URL cannot be used, or the sandbox that is
            required is missing.
    """
    if not isinstance(spec.agent, CommandSpec):
        return ()
    if unset := [name for name in spec.agent.env if name not in os.environ]:
        raise SpecFault(f"agent.env passes variables on that are set; {unset[0]} is not")
    if keys.given:
        with refused(ModelFault):
            open_upstreams(keys)
    sent = [upstream.notice for upstream in upstreams_of(keys).reached.values() if upstream.notice]
    return (*sent, sandbox_of(spec.agent).says)


def sandbox_of(asked: CommandSpec) -> Sandbox:
    """What holds a command. SpecFault where it is required and missing."""
    texts = [text for words in asked.commands() for text in ((words,) if isinstance(words, str) else words)]
    return find_sandbox(asked.sandbox, (asked.base, *find_named(texts)), asked.env)
