"""What reaches the provider for each native control: upstream's messages and temperature (UPSTREAM 3.4)."""

import asyncio
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memtrial.agents.trajectory import Step, Trajectory
from memtrial.agents.trajectory_views import passages, render
from memtrial.condensers.baselines import Native
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import Caller, ModelClient
from memtrial.models.client.keys import Keys
from memtrial.models.client.types import Request
from memtrial.models.providers.anthropic import IN_PLACE_OF_NONE
from memtrial.models.providers.open import open_backend
from memtrial.models.scripted.protocol import Refused, ScriptedAnswer
from memtrial.models.scripted.scripted_server import serve_script
from memtrial.prompts.control_prompts import MANNERS, ControlPrompts, load_control
from memtrial.runs.spec.sampling import SamplingSpec, sampling_of
from tests.support.scripted_run import CLAUDE, GPT, script, surroundings

CHECKOUT = os.environ.get("REASONING_BANK")
STEPS = (
    Step("I list.\n\n```bash\nls\n```", "ls", "a.py\n"),
    Step("Now", "sed -i s/a/b/ a.py", "done"),
    Step("I forgot.", "", "No action."),
)
RUN = Trajectory("t", "q", "Mend it.", "failure", STEPS, "Please mend it.", reason="a test fails")
BLOCKS = (
    "<think>\nI list.\n\n```bash\nls\n```\n</think>\n<action>\nls\n</action>\n\n"
    "<think>\nNow\n</think>\n<action>\nsed -i s/a/b/ a.py\n</action>"
)
WHY = "\n\nThe task failed because: a test fails"
BLANK = "<think>\nI forgot.\n</think>\n<action>\n\n</action>"
HEADS = "**Query:** Mend it.\n\n**Trajectory:**\n"
SWE = (
    "**Query:** Mend it.\n\n**Trajectory:**\nPlease mend it.\nI list.\n\n```bash\nls\n```\na.py\n\nNow\n"
    "sed -i s/a/b/ a.py\ndone\nI forgot.\nNo action."
)
SENT = {
    "upstream webarena v0": (("system", "not"), ("user", f"{HEADS}{BLOCKS}\n\n{BLANK}")),
    "upstream webarena v1": (("system", "not"), ("user", f"{HEADS}{BLOCKS}{WHY}")),
    "upstream swe v0/v1": (("system", "not"), ("user", SWE)),
    "harness of the paper": (
        ("user", f"not\n\nQuery: Mend it.\n\nTrajectory:\n{BLOCKS}"),
    ),
}  # fmt: skip


@dataclass
class Listening:
    """Answers everything, and keeps what was asked."""

    asked: list[Request] = field(default_factory=list)
    most: int | None = None

    async def say(self, request: Request, repeat: int) -> ScriptedAnswer:
        self.asked.append(request)
        if self.most is not None and (request.max_tokens or 0) > self.most:
            said = f"max_tokens: {request.max_tokens} > {self.most}, the most output tokens of a-3-5-20241022"
            raise Refused(400, said)
        return ScriptedAnswer("Patience pays.")


def body(prompts: ControlPrompts, model: str, answers: Listening | None = None) -> Request:
    """The last request as the provider's own server read it."""
    answers = answers or Listening()
    with serve_script(script(answers=answers)) as server:
        client = ModelClient(
            CallCache(MemoryCallStore()), lambda name: open_backend(name, Keys(surroundings(server.url)))
        )
        drawn = sampling_of(SamplingSpec(), "condenser", prompts)

        async def ask() -> None:
            try:
                caller = Caller(client, model, drawn.temperature, max_tokens=drawn.max_tokens)
                await Native(caller, prompts, prompts.view)(RUN)
            finally:
                await client.close()

        asyncio.run(ask())
    return answers.asked[-1]


def told(request: Request) -> tuple[tuple[str, str], ...]:
    return tuple((one.role, one.text) for one in request.messages)


@pytest.mark.parametrize("model", [CLAUDE, GPT])
@pytest.mark.parametrize("version", list(MANNERS))
def test_each_version_asks_as_its_own_code_does(version, model):
    request = body(ControlPrompts("well", "not", version, *MANNERS[version]), model)
    assert told(request) == SENT[version]
    assert request.temperature == {"upstream webarena v0": 0.7}.get(version, 1.0)
    limit = {"upstream swe v0/v1": 65_536, "harness of the paper": 2048}.get(version)
    # Anthropic's API takes no request without a limit
    assert request.max_tokens == (limit or IN_PLACE_OF_NONE if model == CLAUDE else limit)


@pytest.mark.parametrize("model", [CLAUDE, GPT])
def test_a_model_that_takes_fewer_tokens_gets_as_many_as_it_takes_and_says_so(model):
    answers = Listening(most=8192)
    prompts = ControlPrompts("well", "not", "", *MANNERS["upstream swe v0/v1"])
    request = body(prompts, model, answers)
    assert [one.max_tokens for one in answers.asked] == [65_536, 8192]
    assert request.max_tokens == 8192


def test_prompts_of_ones_own_are_sent_untouched_at_the_providers_temperature(tmp_path):
    path = tmp_path / "memory_instruction.py"
    path.write_text("SUCCESSFUL_SI = 'well'\nFAILED_SI = '\\n not \\n'\n")
    request = body(load_control(path), GPT)
    assert told(request)[0] == ("system", "\n not \n")
    assert request.temperature is None


def test_a_quotation_of_messages_stands_in_one_of_them():
    pieces = passages(RUN, "messages")
    assert pieces[0] == RUN.query
    assert "**Query:** Mend it.\n\n**Trajectory:**\n" + "\n".join(pieces[1:]) == render(RUN, "messages")


@pytest.mark.skipif(CHECKOUT is None, reason="REASONING_BANK names no git folder of upstream's")
@pytest.mark.parametrize(
    ("at", "path", "version"),
    [
        ("1f334c1", "WebArena/prompts/memory_instruction.py", "upstream webarena v0"),
        ("ed80611", "WebArena/prompts/memory_instruction.py", "upstream webarena v1"),
        ("ed80611", "third_party/src/minisweagent/memory/instruction.py", "upstream swe v0/v1"),
    ],
)
def test_upstreams_own_file_is_verified_and_sent(tmp_path: Path, at: str, path: str, version: str):
    file = tmp_path / "instruction.py"
    file.write_bytes(subprocess.check_output(["git", "-C", str(CHECKOUT), "show", f"{at}:{path}"]))
    prompts = load_control(file)
    assert prompts.label == f"control: {version} (verified)"
    request = body(prompts, GPT)
    assert told(request) == (("system", prompts.failure), SENT[version][1])
    assert request.temperature == MANNERS[version][1]
