"""Where the server's answers come from: participants told apart by the form of the prompt."""

import asyncio

import pytest

from memtrial.agents.play import play
from memtrial.agents.react import ReAct
from memtrial.condensers.baselines import Native
from memtrial.gates.suite import NAMES, choose_gates
from memtrial.judges.closed_question import ModelJudge
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import Caller, ModelClient
from memtrial.models.client.keys import Keys
from memtrial.models.client.types import Message, Request
from memtrial.models.providers.open import open_backend
from memtrial.models.scripted.fault_script import ScriptedFault
from memtrial.models.scripted.protocol import Refused, ScriptFault
from memtrial.models.scripted.scripted_answers import Cast, answers_from, part
from memtrial.models.scripted.scripted_server import Script, scripted_server, serve_script
from memtrial.models.simulated.open_simulated import open_simulated
from memtrial.prompts.control_prompts import load_control
from memtrial.worlds.workshop.world import Workshop
from tests.support.scripted import Injected
from tests.support.scripted_judge import FAILED, SOLVED
from tests.support.theory_loop import theory_loop


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("nowhere.jsonl", "simulated participants"),
        ("simulated/nobody", "nobody"),
        ("simulated/reader?uptake=2", "uptake"),
        ("simulated/reader,simulated/ignorer", "one participant can play"),
        ("simulated/reader,answers.jsonl", "provider/name|no simulated|simulated"),
    ],
)
def test_answers_that_are_not_there_are_refused(text, word):
    with pytest.raises(ScriptFault, match=word):
        answers_from(text)


def test_parts_that_are_not_named_are_filled_in():
    names = {"play": "gullible", "condense": "scribe", "judge": "examiner?hit=0", "decide": "decider"}
    names |= {"perturb": "perturber", "grade": "grader"}
    cast = Cast({part: open_simulated(f"simulated/{name}") for part, name in names.items()})
    assert answers_from("simulated/examiner?hit=0, simulated/gullible") == cast


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("Write items.", "**Query:** a\n\n**Trajectory:**\n<action>\nb\n</action>"), "condense"),
        (("Rules.\n\n**Query:** a\n\n**Trajectory:**\nb", "Task: a\n\nObservation: b"), "play"),
        (("Rules.", "Task: **Query:** a\n\n**Trajectory:**\n\n\nObservation: b"), "play"),
        (("Rules.", "Task: a\n\nObservation: b", "Thought: c\nAction: d", "Observation: e"), "play"),
    ],
)
def test_the_form_of_the_prompt_says_what_is_asked_for(texts, expected):
    roles = ["system", "user", "assistant", "user"]
    assert part(tuple(Message(role, text) for role, text in zip(roles, texts, strict=False))) == expected


@pytest.mark.parametrize("model", ["anthropic/claude-x", "openai/gpt-x"])
def test_one_server_condenses_judges_and_plays_like_the_participants_themselves(model):
    """The whole of an experiment's calls, through the real clients, and the same without any server."""

    async def everything(open_model, condense, judge, playing):
        model_client = ModelClient(CallCache(MemoryCallStore()), open_model)
        judged = choose_gates(ModelJudge(Caller(model_client, judge)), NAMES)
        native = Native(Caller(model_client, condense), load_control(None))
        theory = theory_loop(Caller(model_client, condense), judged)
        made = [await one(trajectory) for one in (native, theory) for trajectory in (SOLVED, FAILED)]
        world = Workshop(1, 8, 8)
        injected = Injected("Notes from earlier tasks:\n" + "Press the red stud first.")
        episode = await play(ReAct(), world, world.tasks("test")[0], Caller(model_client, playing), injected)
        return made, episode

    with serve_script(
        Script(
            answers_from("simulated/reader,simulated/scribe?defects=0,simulated/examiner?hit=1&false_alarm=0")
        )
    ) as server:
        keys = Keys(
            {
                "ANTHROPIC_BASE_URL": server.url,
                "ANTHROPIC_API_KEY": "k" * 20,
                "OPENAI_BASE_URL": server.openai_url,
                "OPENAI_API_KEY": "k" * 20,
            }
        )
        served, episode = asyncio.run(everything(lambda one: open_backend(one, keys), model, model, model))
        counts = server.counts()
    plain, _ = asyncio.run(
        everything(
            open_backend,
            "simulated/scribe?defects=0",
            "simulated/examiner?hit=1&false_alarm=0",
            "simulated/reader",
        )
    )
    assert served == plain
    assert all(one.items and not one.faults for one in served)
    assert episode.steps
    assert not any(step.fault for step in episode.steps)
    assert counts["answered"] == counts["requests"] > 10


def test_a_structured_question_that_nobody_knows_is_refused():
    fields = "Your output fields are:\n1. `poem` (str)\nAll interactions will be structured"
    asked = Request("m", (Message("system", fields), Message("user", "[[ ## topic ## ]]\nspring")))
    with pytest.raises(Refused, match="examiner"):
        asyncio.run(answers_from("simulated/reader").say(asked, 0))


def test_without_its_system_prompt_a_question_gets_another_answer():
    async def within():
        import anthropic

        faults = (ScriptedFault("drop system", at=(2,)),)
        async with (
            scripted_server(Script(answers_from("simulated/scribe"), faults)) as server,
            anthropic.AsyncAnthropic(base_url=server.url, api_key="k", max_retries=0) as client,
        ):
            asked = {
                "model": "m",
                "max_tokens": 500,
                "system": load_control(None).success,
                "messages": [
                    {"role": "user", "content": "**Query:** a\n\n**Trajectory:**\n<action>\nb\n</action>"}
                ],
            }
            return [(await client.messages.create(**asked)).content[0].text for _ in range(2)]

    whole, lost = asyncio.run(within())
    assert "# Memory Item 1" in whole
    assert "Memory Item" not in lost
