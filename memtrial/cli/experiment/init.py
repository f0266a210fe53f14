"""`init`: a spec to begin with. It runs at once, on simulated participants, and says what to change."""

import os
import re
from pathlib import Path
from typing import Annotated, Literal

import typer

from memtrial.cli.options import BaseUrl
from memtrial.console.standard_output import put
from memtrial.faults import SpecFault, refused

Provider = Literal["anthropic", "openai", "vllm", "ollama", "llama.cpp"]
NAME = "experiment.yaml"
BACKBONES: dict[Provider, str] = {
    "anthropic": "anthropic/claude-haiku-4-5",
    "openai": "openai/gpt-5-mini",
    "vllm": "vllm/Qwen/Qwen3-8B",
    "ollama": "ollama/qwen3:8b",
    "llama.cpp": "llama.cpp/default",
}
"""The model that stands in a spec; of a server of one's own, where it does not say which it has."""

SPEC = """\
# What is compared, on what, by whom. Every key has a default except environment, backbone and arms;
# `memtrial schema spec` lists them all. Any key can be set from outside: -S seed=3.
#
#   memtrial plan {file}    every cell, episodes, calls, cost; spends nothing
#   memtrial run {file}     the same command again goes on where it stopped
name: {name}
question: Does the content of condensed memory carry weight in what the agent does next?
seed: 0

# The world that ships. It is small and quick, and calibrates the instrument.
environment: {{world: workshop, train: 48, test: 24}}
# A real benchmark (pip install 'memtrial[scienceworld]', Java 11 or newer):
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
# advice is followed; without it, or oddity+KIND, nothing is called load-bearing. paraphrase is the placebo;
# oddity+corrupt_invert negates as often and keeps the advice: without it no inversions can be compared.
conditions: [corrupt_invert, irrelevant_swap, counter, paraphrase, oddity+corrupt_invert]
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
# A real one (its key in ANTHROPIC_API_KEY or OPENAI_API_KEY), or one that a server of yours has:
# backbone: {BACKBONES["anthropic"]}
# backbone: {BACKBONES["openai"]}
# backbone: {BACKBONES["vllm"]}      # or ollama/…, llama.cpp/…: no key, no price""",
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


LOCAL = REAL | {
    "backbone": """\
# A server of your own: no key, no price. It is asked at ADDRESS; another address
# stands in VARIABLE, or is given as --base-url PROVIDER=URL.
backbone: MODEL""",
    "budget": """\
# No dollars are counted here. The run stops after so many hours, or so many requests (max_calls: 10000);
# the same command with more goes on.
budget: {max_hours: 12}""",
}


def init_spec(
    target: Annotated[
        Path, typer.Argument(help="A file that ends in .yaml, or a folder.", metavar="TARGET")
    ] = Path(NAME),
    provider: Annotated[
        Provider | None,
        typer.Option(help="Whose model plays; simulated unless given.", metavar="|".join(BACKBONES)),
    ] = None,
    base_url: BaseUrl = None,
) -> Path:
    """Write a spec; where it stands.

    A server of one's own is asked which model it has; nothing else is sent anywhere.

    Raises:
        SpecFault: there is a file already, it cannot be written, or an address is none.
    """
    from memtrial.models.providers.provider_table import known_provider

    path = target if target.suffix in (".yaml", ".yml") and not target.is_dir() else target / NAME
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", path.stem)
    row = None if provider is None else known_provider(provider)
    if base_url and (row is None or row.key_needed):
        raise SpecFault("--base-url is where a server of your own is: name it with --provider, as vllm")
    parts = SIMULATED if row is None else REAL if row.key_needed else LOCAL
    text = SPEC.format(file=path.name, name=name if name[:1].isalnum() else f"e{name}", **parts)
    more = ""
    if row is not None and provider is not None:
        model, address, notice = BACKBONES[provider], row.address, ""
        if not row.key_needed:
            model, address, notice = _first_served(provider, tuple(base_url or ()))
        for word, value in (
            ("MODEL", model), ("KEY", row.keys[0]), ("ADDRESS", row.address),
            ("VARIABLE", f"{row.prefix}_BASE_URL"), ("PROVIDER", row.name),
        ):  # fmt: skip
            text = text.replace(word, value)
        more = f" --base-url {provider}={address}" if base_url else ""
    try:
        path.parent.mkdir(exist_ok=True)
        _write_new(path, text)
    except FileExistsError as fault:
        raise SpecFault(f"init overwrites nothing; {fault.filename} is there; name another file") from fault
    except OSError as fault:
        raise SpecFault(f"init needs a place where a file can be made; {path}: {fault}") from fault
    put(f"{path} written. Look at it, then:\n  memtrial plan {path}{more}\n  memtrial run {path}{more}")
    if row is not None and not row.key_needed:
        put(notice)
    return path


def _write_new(path: Path, text: str) -> None:
    """Write a file that is not there yet, in full or not at all: init would refuse to write over the rest."""
    with path.open("x", encoding="utf-8") as file:
        try:
            file.write(text)
            file.flush()
        except OSError:
            path.unlink()
            raise


def _first_served(provider: Provider, base_urls: tuple[str, ...]) -> tuple[str, str, str]:
    """The first model that a server of one's own has, its address, and a line on both."""
    from memtrial.models.client.keys import read_keys
    from memtrial.models.client.types import ModelFault
    from memtrial.models.providers.provider_table import reach
    from memtrial.models.providers.served_models import served_models

    usual = BACKBONES[provider]
    with refused(ModelFault):
        reached = reach(usual, provider, read_keys(os.environ, Path.cwd(), base_urls))
    models = served_models(reached)
    if not models:
        notice = (
            f"{reached.address} gave no list of models: write the one that it has in the place of {usual}."
        )
        return usual, reached.address, notice
    model = f"{provider}/{models[0]}"
    others = f"; it also has {', '.join(models[1:4])}" if models[1:] else ""
    return model, reached.address, f"{reached.address} has {models[0]}, which plays{others}."
