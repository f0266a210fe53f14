"""A reply that is to be one of given texts: nothing else comes out, and what it was chosen from is kept."""

import asyncio
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memtrial.agents.play import play
from memtrial.agents.stage import EpisodeMemory, EpisodeWorld
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.client.cache import CallCache
from memtrial.models.client.choices import hold_to_choices, read_shares, write_shares
from memtrial.models.client.client import ModelClient
from memtrial.models.client.limits import RetryPolicy
from memtrial.models.client.transport import Transport
from memtrial.models.client.types import Message, ProviderFault, Reply, Request
from memtrial.protocols import AskModel
from memtrial.worlds.world import Task
from tests.support.scripted import CORRIDOR, Corridor, Injected, caller_of, client_to, request_of, saying

FREE = request_of("s", "u")
CLOSED = replace(FREE, choices=("go on", "turn back"))


def reply_with(text: str, **more) -> Reply:
    return replace(Reply(text, 7, 3, "m-1"), **more)


def test_choices_their_order_and_that_they_are_scored_are_part_of_the_question() -> None:
    asked = [
        FREE,
        CLOSED,
        replace(CLOSED, scored=True),
        replace(CLOSED, choices=("turn back", "go on")),
        replace(CLOSED, choices=("go on turn back",)),
    ]
    assert len({request.digest for request in asked}) == len(asked)
    assert replace(FREE, scored=True).digest == FREE.digest


@pytest.mark.parametrize("said", ["go on", " go on\n"])
def test_a_choice_comes_out_as_it_was_given(said: str) -> None:
    assert hold_to_choices(CLOSED, reply_with(said)).text == "go on"
    odd = replace(CLOSED, choices=(" go on ", "stay"))
    assert hold_to_choices(odd, reply_with(said)).text == " go on "


@pytest.mark.parametrize("said", ["", "go", "Go on", "go on.", "go on turn back", "Action: go on"])
def test_whatever_is_no_choice_never_comes_out(said: str) -> None:
    with pytest.raises(ProviderFault, match="none of the 2 choices") as raised:
        hold_to_choices(CLOSED, reply_with(said))
    assert (raised.value.kind, raised.value.heals) == ("malformed reply", True)
    with pytest.raises(ProviderFault, match="none of the 2 choices"):
        hold_to_choices(CLOSED, reply_with("go on", stop="length"))
    assert hold_to_choices(FREE, reply_with(said)).text == said
    assert hold_to_choices(CLOSED, reply_with(said, stop="refusal")).text == said
    with pytest.raises(ProviderFault, match="none of the 2 choices"):
        asyncio.run(client_to(saying(said)).ask(CLOSED, 0))


def test_choices_that_differ_in_blanks_alone_are_told_apart() -> None:
    alike = replace(CLOSED, choices=("go ", "go", "go\n"))
    for choice in alike.choices:
        assert hold_to_choices(alike, reply_with(choice)).text == choice
    assert hold_to_choices(alike, reply_with("\tgo")).text == "go "


def test_a_choice_that_was_cut_off_says_so() -> None:
    with pytest.raises(ProviderFault, match=r"was cut off at its limit .* sampling\.agent\.max_tokens"):
        hold_to_choices(CLOSED, reply_with("turn b", stop="length"))


@dataclass
class Refusing:
    """A server that takes no request."""

    fault: ProviderFault
    free: bool = False

    async def answer(self, request: Request, repeat: int) -> Reply:
        raise self.fault

    async def close(self) -> None:
        pass


def test_a_server_that_takes_no_list_says_what_to_do() -> None:
    def ask(request: Request, fault: ProviderFault) -> str:
        with pytest.raises(ProviderFault) as raised:
            asyncio.run(client_to(Refusing(fault)).ask(request, 0))
        assert raised.value.kind == fault.kind
        return str(raised.value)

    refused = ProviderFault("m: 400 bad request: extra field", "bad request", heals=False)
    told = ask(CLOSED, refused)
    assert told.startswith("if it takes no closed list of choices, another server is needed, or agent react")
    assert told.endswith(str(refused))
    # a free request, and a fault of another kind, are told as they came
    assert ask(FREE, refused) == str(refused)
    unknown = ProviderFault("m: 404 not found", "not found", heals=False)
    assert ask(CLOSED, unknown) == str(unknown)


@dataclass
class Paid:
    """Answers in turn, at a price, with shares where they are asked for."""

    says: list[str]
    free: bool = False

    async def answer(self, request: Request, repeat: int) -> Reply:
        shares = (0.1, 0.9) if request.scored else ()
        return reply_with(self.says.pop(0), shares=shares)

    async def close(self) -> None:
        pass


def test_it_is_asked_again_and_resumed_with_the_same_shares(tmp_path: Path) -> None:
    scored = replace(CLOSED, scored=True)
    for says, faults in ((["nonsense", "turn back"], {"malformed reply": 1}), ([], {})):
        with closing(SqliteLedger(tmp_path / "ledger.sqlite")) as ledger:
            transport, paid = Transport(RetryPolicy(attempts=2, first_wait_s=0.001)), Paid(says)
            model_client = ModelClient(CallCache(ledger.calls), lambda _, paid=paid: paid, transport)
            reply = asyncio.run(model_client.ask(scored, 0))
            assert (reply.text, reply.shares, reply.cached) == ("turn back", (0.1, 0.9), not faults)
            assert model_client.stats().faults == faults


def test_shares_come_back_as_they_were_and_others_are_none() -> None:
    thirds = (1 / 3, 1e-300, 2 / 3)
    assert read_shares(write_shares(thirds)) == thirds
    for text in ("", "{}", "[]", "[0.5, 0.4]", "[1.5, -0.5]", "[NaN, 1.0]", '["1.0"]', "[1]"):
        with pytest.raises(ValueError):  # noqa: PT011 — of JSON, or of what it says
            read_shares(text)


def test_an_episode_keeps_what_each_request_could_be_answered_with() -> None:
    @dataclass(frozen=True)
    class Walker:
        name: str = "walker"
        digests: tuple[str, ...] = ()

        async def __call__(
            self, task: Task, world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel
        ) -> None:
            state, talk = await world.begin(), [Message("system", world.rules)]
            while not state.done:
                action = (await ask(talk, ["go on", "turn back"])).text
                memory.propose(action)
                state = await world.act(action)

    backend = saying("go on")
    episode = asyncio.run(play(Walker(), Corridor(), CORRIDOR, caller_of(backend), Injected()))
    assert {sent.choices for sent in episode.sent} == {("go on", "turn back")}
    assert [request.choices for request, _ in backend.asked] == [("go on", "turn back")]
