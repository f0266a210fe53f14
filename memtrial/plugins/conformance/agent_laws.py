"""What every agent must do, tried in the workshop with a model whose replies are fixed.

An agent need not play well. Its memory must reach the prompt whole and when it comes up, and nothing but its
memory's text may tell the agent which memory that is, or that there is one.
"""

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from memtrial.agents.episode import Episode, Sent
from memtrial.agents.play import GAVE_UP, play
from memtrial.agents.slot import BrokenCheck, Firing
from memtrial.agents.trajectory import Moment
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import Caller, ModelClient
from memtrial.models.client.types import Reply, Request
from memtrial.plugins.conformance.fixtures import SEED
from memtrial.plugins.conformance.laws import Law, LawResult
from memtrial.protocols import Agent
from memtrial.worlds.workshop.world import Workshop

MakeAgent = Callable[[], Agent]
N_TASKS = 4
NOTES = (
    "Notes from earlier tasks:\n\n# Note 1\n"
    "\u201cPull\u201d the *brass* lever; {{ wait }} <b>twice</b>.\n\n  Then stop."
)
OTHER = "Notes from earlier tasks:\n\n# Note 1\nBake the loaf.\n\nFor seven minutes, never longer."

UNASKED = "no model was asked through `ask`, and these laws read what one is shown"


@dataclass(frozen=True, slots=True)
class FirstListed:
    """A model that thinks the same and takes the first action listed last; every third reply is nonsense.

    It reads nothing else, so that memory which is shown changes no reply, wherever it stands.
    """

    free: bool = True

    async def answer(self, request: Request, repeat: int) -> Reply:  # noqa: ARG002
        if request.choices:
            return Reply(request.choices[0], 100, 10, "first-listed")
        texts = "\n".join(message.text for message in request.messages if message.role != "assistant")
        turns = texts.count("Actions: ")
        listed = texts.rpartition("Actions: ")[2].partition("\n")[0] if turns else ""
        action = listed.partition(" | ")[0] or "wait"
        text = "I am not sure." if turns % 3 == 2 else f"Thought: I try this.\nAction: {action}"
        return Reply(text, 100, 10, "first-listed")

    async def close(self) -> None: ...


@dataclass
class SetCarrier:
    """Shows set texts: from the start, with a turn, and where an action is proposed in a turn."""

    start: str = ""
    turns: Mapping[int, str] = field(default_factory=dict)
    proposals: Mapping[int, str] = field(default_factory=dict)

    def opening(self) -> str:
        return self.start

    def turn(self, step: int, moment: Moment) -> str:  # noqa: ARG002
        return self.turns.get(step, "")

    def proposal(self, step: int, moment: Moment) -> str:  # noqa: ARG002
        return self.proposals.get(step, "")

    def firings(self) -> tuple[Firing, ...]:
        return ()

    def broken(self) -> tuple[BrokenCheck, ...]:
        return ()


async def _play(make: MakeAgent, carrier: Callable[[], SetCarrier]) -> list[Episode]:
    """A few episodes, each by a fresh agent."""
    world, played = Workshop(SEED, 12, 8, 8), []
    for task in world.tasks("test")[:N_TASKS]:
        caller = Caller(ModelClient(CallCache(MemoryCallStore()), lambda _: FirstListed()), "first/listed")
        played.append(await play(make(), world, task, caller, carrier()))
    return played


def read_requests(episode: Episode) -> list[tuple[Sent, str]]:
    """Each request with the texts that were sent in it, the model's own replies left out."""
    return [
        (
            sent,
            "\n".join(
                message.text
                for message in episode.conversation[sent.since : sent.messages]
                if message.role != "assistant"
            ),
        )
        for sent in episode.sent
    ]


async def _ends(make: MakeAgent) -> LawResult:
    """It begins, asks, and goes on until a state is done. The replies never give it a reason to give up."""
    episodes = await _play(make, SetCarrier)
    cases = [_describe_ending(episode) for episode in episodes]
    turns = sum(len(episode.steps) for episode in episodes)
    return LawResult(cases, f"{turns} turns, {sum(len(episode.sent) for episode in episodes)} requests")


def _describe_ending(episode: Episode) -> str:
    """What is wrong with the way an episode went; empty where nothing is."""
    turns = f"{len(episode.steps)} turns, {len(episode.sent)} requests"
    if not episode.steps:
        return turns
    if not episode.sent:
        return f"{len(episode.steps)} turns; {UNASKED}"
    return f"it gave up after {turns}" if episode.outcome.cause == GAVE_UP else ""


async def _states_digests(make: MakeAgent) -> LawResult:
    """Trials share an episode where the digests, the memory and the model are the same."""
    digests, again = make().digests, make().digests
    cases = [
        "" if re.fullmatch(r"[0-9a-f]{64}", digest) else f"{digest!r} is no sha256" for digest in digests
    ]
    cases.append("" if digests else "it states none, so that nothing says what determines what it sends")
    cases.append("" if digests == again else "another one of the kind states others")
    return LawResult(cases, f"{len(digests)} digests")


async def _repeats(make: MakeAgent) -> LawResult:
    """Trials with the same texts share an episode; a resumed run takes the same course."""
    first, again = await _play(make, SetCarrier), await _play(make, SetCarrier)
    return LawResult(
        [
            "" if before.conversation == after.conversation else "another course with the same replies"
            for before, after in zip(first, again, strict=True)
        ]
    )


async def _opens(make: MakeAgent) -> LawResult:
    """The opening text stands, verbatim, in every request."""
    requests = [
        text for episode in await _play(make, lambda: SetCarrier(NOTES)) for _, text in read_requests(episode)
    ]
    cases = ["" if NOTES in text else "memory.opening is missing, or changed" for text in requests]
    return LawResult(cases or [UNASKED])


async def _shows_turns(make: MakeAgent) -> LawResult:
    """A text that comes up in a turn stands in the requests of this turn and of those that follow."""
    cases = []
    for episode in await _play(make, lambda: SetCarrier(turns={0: NOTES, 1: OTHER})):
        for sent, text in read_requests(episode):
            due = (NOTES, OTHER)[: sent.step + 1]
            lost = any(note not in text for note in due)
            cases.append(f"turn {sent.step}: what memory.turn() gave is missing, or changed" if lost else "")
    return LawResult(cases or [UNASKED])


async def _is_blind(make: MakeAgent) -> LawResult:
    """Other notes, or none, change nothing but the text that memory gave."""
    shown = [
        [[_leave_out(note, text) for _, text in read_requests(episode)] for episode in episodes]
        for note in (NOTES, OTHER, "")
        for episodes in [await _play(make, partial(SetCarrier, note, {1: note}))]
    ]
    cases = []
    for notes, others, nothing in zip(*shown, strict=True):
        cases.append("" if notes == others else "requests differ in more than the notes")
        cases.append("" if notes == nothing else "without notes the requests lack more than the notes")
    return LawResult(cases)


def _leave_out(note: str, text: str) -> list[str]:
    """The words of a request that are not the note's: how blanks stand around it is the agent's manner."""
    return (text.replace(note, " ") if note else text).split()


async def _thinks_again(make: MakeAgent) -> LawResult:
    """A text that withholds an action is shown, the model is asked once more in that turn, and it stays."""
    cases = []
    for episode in await _play(make, lambda: SetCarrier(proposals={0: NOTES, 1: NOTES})):
        if not episode.withheld:
            cases.append("no action was proposed in the first two turns")
            continue
        turn = episode.withheld[0].step
        own = [text for sent, text in read_requests(episode) if sent.step == turn]
        later = [text for sent, text in read_requests(episode) if sent.step > turn]
        if not own:
            cases.append(
                UNASKED if not episode.sent else "the model was not asked in the turn of the withheld action"
            )
            continue
        cases.append("" if NOTES in own[-1] else "what memory.propose(action) gave is not shown")
        cases += ["" if NOTES in text else "what withheld an action is shown no more" for text in later]
    return LawResult(cases)


async def _shares_nothing(make: MakeAgent) -> LawResult:
    """Episodes are played side by side: one agent keeps nothing that another one sees."""
    alone = await _play(make, lambda: SetCarrier(NOTES))
    await _play(make, lambda: SetCarrier(OTHER))
    beside, _ = await asyncio.gather(
        _play(make, lambda: SetCarrier(NOTES)), _play(make, lambda: SetCarrier(OTHER))
    )
    return LawResult(
        [
            "" if before.conversation == after.conversation else "an episode depends on others"
            for before, after in zip(alone, beside, strict=True)
        ]
    )


AGENTS: tuple[Law[Agent], ...] = (
    Law("it plays an episode to its end", "episodes played", _ends),
    Law("same replies same requests", "episodes played twice", _repeats),
    Law("memory stands in the prompt from the start", "requests read", _opens),
    Law("memory that comes up reaches the prompt and stays", "requests read", _shows_turns),
    Law("a withheld action is thought over", "requests read", _thinks_again),
    Law("it cannot tell which memory it has", "pairs of episodes", _is_blind),
    Law("episodes share nothing", "episodes played again", _shares_nothing),
    Law("it states what determines its texts", "", _states_digests),
)
