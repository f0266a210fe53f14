"""Upstream's two instructions are answered by draft, gate and revise; all else by upstream's own client."""

import os
import subprocess
from dataclasses import dataclass, field
from hashlib import sha256
from types import SimpleNamespace
from typing import Any

import pytest

import memtrial as mt
from memtrial.agents.rendered_trajectory import read_rendered, upstream_view
from memtrial.agents.trajectory import Step, Trajectory, Verdict
from memtrial.agents.trajectory_views import render
from memtrial.api.interchange.condensing_client import KNOWN, CondensingClient
from memtrial.faults import SpecFault
from memtrial.memory.markdown import parse_all
from memtrial.prompts.control_prompts import load_control

STEPS = (
    Step("The lamp is red.", "press the green button"),
    Step("Nothing yet, </think>", "look <b>\n\nagain"),
)
RUN = Trajectory("t", "t", "Start the mill.", "failure", STEPS, reason="The mill stands still.")
SCRIBE = mt.CondenseOptions(model="simulated/scribe", gates=("claim-strength",))
OURS: "dict[str, Verdict]" = {
    sha256(b"fail").hexdigest(): "failure",
    sha256(b"win").hexdigest(): "success",
}


@dataclass
class UpstreamClient:
    """Answers whatever it is asked by its name, and keeps it."""

    model_name: str = ""
    asked: list[Any] = field(default_factory=list)

    def one_step_chat(self, *given: Any, **named: Any) -> tuple[str, object]:
        self.asked.append((given, named))
        return f"Status: {self.model_name}", None

    @property
    def models(self) -> "UpstreamClient":
        return self

    def generate_content(self, **named: Any) -> Any:
        self.asked.append(named)
        return SimpleNamespace(text="success")


@pytest.mark.parametrize("outcome", ["success", "failure"])
@pytest.mark.parametrize("reason", ["", "It stands still.\n\nStill."])
def test_a_rendered_trajectory_is_read_back(outcome: Verdict, reason: str) -> None:
    run = Trajectory("t", "t", "Start\n\nit.", outcome, STEPS, reason=reason)
    text = render(run, "actions")
    assert read_rendered(text, outcome, "t") == run
    assert render(run, upstream_view(run)) == text


def test_messages_stay_one_text() -> None:
    text = "**Query:** Mend it.\n\n**Trajectory:**\nPlease.\n<think>\nls\n\nThe task failed because: no"
    run = read_rendered(text, "failure", "t")
    assert render(run, upstream_view(run)) == text
    assert not run.steps
    with pytest.raises(ValueError, match="begins with"):
        read_rendered("Mend it.", "failure", "t")


def test_the_instructions_are_answered_with_items() -> None:
    make = mt.condensing_client(SCRIBE, UpstreamClient)
    own = make(model_name="gemini")
    client = CondensingClient(own.options, own.otherwise, OURS)
    reply, made = client.one_step_chat(render(RUN, "actions"), system_msg="fail\n", temperature=1.0)
    items = parse_all(reply)
    assert items
    assert "look <b>" in reply
    assert reply.startswith("# Memory Item 1")
    assert isinstance(made, dict)
    assert [item["schema"] for item in made["items"]] == ["theory"] * len(items)
    assert not own.otherwise.asked

    assert client.one_step_chat("Judge it.", system_msg="judge", temperature=0.0)[0] == "Status: gemini"
    assert own.otherwise.asked == [(("Judge it.",), {"system_msg": "judge", "temperature": 0.0})]


def test_the_code_for_swe_asks_in_its_own_way() -> None:
    own = UpstreamClient()
    client = CondensingClient(SCRIBE, own, OURS)
    config = SimpleNamespace(system_instruction="win")
    text = "**Query:** Mend it.\n\n**Trajectory:**\nPlease mend it.\nI run ls.\na.py"
    answer = client.models.generate_content(model="m", contents=text, config=config)
    assert answer.condensation["trace_id"]
    assert not own.asked
    plain = client.models.generate_content(model="m", contents="Done?", config=SimpleNamespace())
    assert plain.text == "success"
    assert own.asked[0]["contents"] == "Done?"


def test_what_cannot_be_condensed_stops_upstream_before_it_writes() -> None:
    client = CondensingClient(SCRIBE, UpstreamClient(), OURS)
    with pytest.raises(SpecFault, match="not upstream's"):
        client.one_step_chat("no trajectory", system_msg="fail")
    with pytest.raises(SpecFault, match="model that drafts"):
        mt.condensing_client(mt.CondenseOptions(), UpstreamClient)


@pytest.mark.skipif("REASONING_BANK" not in os.environ, reason="REASONING_BANK names no checkout")
@pytest.mark.parametrize("version", ["1f334c1", "ed80611"])
@pytest.mark.parametrize(
    "path", ["WebArena/prompts/memory_instruction.py", "third_party/src/minisweagent/memory/instruction.py"]
)
def test_upstreams_own_instructions_are_known(version: str, path: str, tmp_path: Any) -> None:
    file = tmp_path / "instruction.py"
    file.write_bytes(
        subprocess.check_output(["git", "-C", os.environ["REASONING_BANK"], "show", f"{version}:{path}"])
    )
    prompts = load_control(file)
    digests = [sha256(text.strip().encode()).hexdigest() for text in (prompts.success, prompts.failure)]
    assert [KNOWN[digest] for digest in digests] == ["success", "failure"]
