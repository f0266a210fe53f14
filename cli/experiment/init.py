"""`init`: a spec to begin with. It runs at once, on simulated participants, and says what to change."""

import re
from pathlib import Path
from typing import Annotated, Literal

import typer

from loadbearing.runs.errors import SpecFault
from loadbearing.runs.progress.standard_output import put

Provider = Literal["anthropic", "openai"]
NAME = "experiment.yaml"
BACKBONES: dict[Provider, str] = {"anthropic": "anthropic/claude-haiku-4-5", "openai": "openai/gpt-5-mini"}

SPEC = """\
# What is compared, on what, by whom. Every key has a default except environment, backbone and arms;
# `loadbearing schema spec` lists them all. Any key can be set from outside: -S seed=3.
#
#   loadbearing plan {file}    every cell, episodes, calls, cost; spends nothing
#   loadbearing run {file}     the same command again goes on where it stopped
name: {name}
question: Does the content of condensed memory carry weight in what the agent does next?
seed: 0

# The world that ships. It is small and quick, and calibrates the instrument.
environment: {{world: workshop, train: 48, test: 24}}
# A real benchmark (pip install 'loadbearing[scienceworld]', Java 11 or newer):
# environment: {{world: scienceworld, tasks: [find-non-living-thing], train: 10, test: 10}}

# Who plays. One model string or a list of them.
{backbone}

# Who condenses and who answers the gates; the backbone unless named.
{roles}

# All condensers get the same trajectories: each training task is tried without memory, `attempts` times
# at most.
{traces}

# none: no memory. control: the native condenser. artifact: theory items, always shown. activation: theory
# items that enter when their Trigger matches. oracle: the world's own lesson, the positive control.
arms: [none, control, artifact, activation, oracle]

# Damage, beside `intact` and `without`, which always run. counter tells another action and shows whether
# advice is followed; without it, or oddity+KIND, nothing is called load-bearing. paraphrase is the placebo.
conditions: [corrupt_invert, irrelevant_swap, counter, paraphrase]
repeats: {repeats}

# The native prompts are ReasoningBank's. Without a checkout our own wording of the same contract runs.
# control: {{source: path/to/memory_instruction.py}}

{budget}

# engine:
#   max_connections: 16     # requests in flight to one provider at most
#   max_error_share: 0.2    # the run stops early when more of its trials are errors
"""

SIMULATED = {
    "backbone": f"""\
backbone: simulated/reader
# A real one (its key in ANTHROPIC_API_KEY or OPENAI_API_KEY):
# backbone: {BACKBONES["anthropic"]}
# backbone: {BACKBONES["openai"]}""",
    "roles": f"""\
roles: {{condenser: simulated/scribe, gate: simulated/examiner}}
# With a real backbone, leave roles out or name cheaper models:
# roles: {{condenser: {BACKBONES["anthropic"]}, gate: {BACKBONES["anthropic"]}}}""",
    "traces": "traces: {player: simulated/ignorer, attempts: 4}",
    "repeats": "2",
    "budget": """\
# With a real backbone: the run stops before it spends more; the same command with more goes on.
# budget: {max_cost_usd: 5}""",
}
REAL = {
    "backbone": """\
# Its key stands in KEY, in the environment or a .env file.
backbone: MODEL""",
    "roles": "# roles: {condenser: MODEL, gate: MODEL}",
    "traces": "traces: {attempts: 2}",
    "repeats": "1",
    "budget": """\
# The run stops before it spends more; the same command with more goes on.
budget: {max_cost_usd: 5}""",
}


def init_spec(
    target: Annotated[
        Path, typer.Argument(help="A file that ends in .yaml, or a folder.", metavar="TARGET")
    ] = Path(NAME),
    provider: Annotated[
        Provider | None, typer.Option(help="Whose model plays; simulated unless given.")
    ] = None,
) -> Path:
    """Write a spec; where it stands. Raises SpecFault: there is a file already, or it cannot be written."""
    path = target if target.suffix in (".yaml", ".yml") and not target.is_dir() else target / NAME
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", path.stem)
    parts = SIMULATED if provider is None else REAL
    text = SPEC.format(file=path.name, name=name if name[:1].isalnum() else f"e{name}", **parts)
    if provider is not None:
        text = text.replace("MODEL", BACKBONES[provider]).replace("KEY", f"{provider.upper()}_API_KEY")
    try:
        path.parent.mkdir(exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as fault:
        raise SpecFault(f"init overwrites nothing; {fault.filename} is there; name another file") from fault
    except OSError as fault:
        raise SpecFault(f"init needs a place where a file can be made; {path}: {fault}") from fault
    put(f"{path} written. Look at it, then:\n  loadbearing plan {path}\n  loadbearing run {path}")
    return path
