"""Condensers without gates: the control, the baselines, and those that follow another one, trace by trace.

The control is ReasoningBank's native condenser. One call a trajectory, by its outcome; its reply is shown.
Source: UPSTREAM 3.4 (`induce_memory.py`); the prompts come from `prompts.control`.

Gates cost calls, shorten a record and make it longer. Each of those that follow has one of that, and no
criteria.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from numpy.random import Generator

from memtrial.agents.trajectory import Trajectory
from memtrial.agents.trajectory_views import View, keep_parts, recount
from memtrial.agents.trajectory_views import render as render_run
from memtrial.condensers.condenser import MOST_ITEMS, Condensation, Dropped
from memtrial.condensers.loop import Drafting
from memtrial.condensers.schema_form import check_form
from memtrial.gates.suite import kinds_of
from memtrial.memory.item import ProseItem, is_template
from memtrial.memory.markdown import item_texts, read_reply, render
from memtrial.models.client.client import Caller
from memtrial.models.client.structured import ReplyFault
from memtrial.models.client.types import Message, ProviderFault
from memtrial.prompts.control_prompts import ControlPrompts
from memtrial.prompts.templates import Prompt
from memtrial.protocols import Condenser


@dataclass(frozen=True)
class Nothing:
    """Every record stays empty, so every slot of its arm is."""

    name: str = "nothing"

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        return Condensation(trajectory.trace_id, self.name, ())


@dataclass(frozen=True)
class Raw:
    """One prose item a trajectory: the task, the numbered steps, the outcome. No model is asked.

    Source: the raw experience of arXiv 2601.22436, to which the condensed one is compared.
    """

    view: View = "full"
    name: str = "raw"

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        return Condensation(trajectory.trace_id, self.name, (ProseItem(recount(trajectory, self.view)),))


BLANK = "the reply is blank"
PROSE = "no item could be read in the reply; it is shown as it is"
CUT_OFF = "the reply breaks off at the most tokens it may have; it is shown as it is"


@dataclass(frozen=True)
class Native:
    """Title / Description / Content, unchecked: the fair baseline.

    The agent is shown the reply as the model wrote it, as upstream shows it. It is parsed for tables only;
    what holds no item that can be read is one item of prose.

    Args:
        exhort: gates whose failures the prompt warns of, behind upstream's text. Such a prompt is no longer
            upstream's: criteria as wording alone, which seeds/002 predicts to change nothing.
    """

    caller: Caller
    prompts: ControlPrompts
    view: View = "full"
    name: str = "native"
    exhort: tuple[str, ...] = ()

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        """Ask once, keep all of it.

        Raises:
            ModelFault: no answer could be had.
        """
        try:
            reply = await self.caller.ask(native_messages(self.prompts, trajectory, self.view, self.exhort))
        except ProviderFault as fault:
            # asked as often as the engine asks, and blank each time: that is the reply, as it is upstream's
            if fault.kind != "empty reply" or fault.reply is None:
                raise
            reply = fault.reply
        if not reply.text.strip():
            return Condensation(trajectory.trace_id, self.name, (), faults=(BLANK,), reply=reply.text)
        made = with_reply(Condensation(trajectory.trace_id, self.name, ()), reply.text)
        if reply.stop == "length" and not made.unread:
            made = replace(made, faults=(CUT_OFF,), unread=(CUT_OFF,))
        return made


def native_messages(
    prompts: ControlPrompts, trajectory: Trajectory, view: View, exhort: tuple[str, ...] = ()
) -> tuple[Message, ...]:
    """As upstream asks; the paper's harness in one message of the user, and without marks in its headings.

    With `exhort` the warning of these gates' failures stands behind upstream's instruction.
    """
    trajectory = keep_parts(trajectory, prompts.reason, prompts.blank_actions)
    instruction = prompts.success if trajectory.outcome == "success" else prompts.failure
    if exhort:
        instruction = f"{instruction.rstrip()}\n\n{warn_of(exhort)}"
    if prompts.layout == "harness":
        return (Message("user", f"{instruction}\n\n{render_run(trajectory, view, bold='')}"),)
    return Message("system", instruction), Message("user", render_run(trajectory, view))


EXHORTATION, PADDING = Prompt("exhortation"), Prompt("padding")


def warn_of(gates: tuple[str, ...]) -> str:
    """What a prompt says of the failures of these gates, in the gates' own words."""
    failures = "\n".join(f"- {kind.failure}" for kind in kinds_of(gates))
    return EXHORTATION.render({"failures": failures})


SENTENCE_END = re.compile(r"[.!?](?=\s)|\n|\Z")


@dataclass(frozen=True, slots=True)
class Peer:
    """What the other condenser did with a trace.

    Args:
        revisions: of each of its drafts.
        gate_drops: items that its gates dropped.
        words: in all that it shows, headings among them.
    """

    revisions: tuple[int, ...] = ()
    gate_drops: int = 0
    words: int = 0


PeerOf = Callable[[Trajectory], Peer]


@dataclass(frozen=True)
class PlaceboRevision:
    """The first drafts, each written again as often as in the other condenser; nobody says what is wrong.

    The calls of the condensing model are as many as there. Its gates' own calls are not made: they write
    nothing. What lacks the form of its schema in the end is not stored, as it is not there.
    """

    drafting: Drafting
    peer_of: PeerOf
    name: str

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        """Condense one trajectory; raises ModelFault where no answer could be had."""
        try:
            drafts = await self.drafting.draft(trajectory)
        except ReplyFault as fault:
            unread = (f"the draft could not be read: {fault}",)
            return Condensation(trajectory.trace_id, self.name, (), faults=unread, unread=unread)
        items = list(drafts.items[:MOST_ITEMS])
        part = (f"part of the draft could not be read: {drafts.unread}",) if drafts.unread else ()
        planned, faults = self.peer_of(trajectory).revisions[: len(items)], dict[int, str]()
        for number, times in enumerate(planned):
            for _ in range(times):
                try:
                    items[number] = await self.drafting.revise(items[number], number + 1, (), trajectory)
                except ReplyFault as fault:
                    faults[number] = f"the revision of item {number + 1} could not be read: {fault}"
        read = [item for number, item in enumerate(items) if number not in faults]
        formed = [(item, check_form(item, trajectory)) for item in read]
        unread = (*part, *faults.values())
        return Condensation(
            trajectory.trace_id,
            self.name,
            tuple(item for item, miss in formed if miss is None),
            dropped=tuple(Dropped(render(item), miss.reason, (miss.gate,)) for item, miss in formed if miss),
            faults=unread,
            revisions=planned,
            unread=unread,
        )


@dataclass(frozen=True)
class AsLong:
    """A reply, cut after the last sentence that fits and padded to the number of words of the other."""

    condenser: Condenser
    peer_of: PeerOf
    name: str

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        """Condense one trajectory; raises ModelFault where no answer could be had."""
        made = await self.condenser(trajectory)
        return with_reply(made, as_long(made.reply or "", self.peer_of(trajectory).words))


@dataclass(frozen=True)
class Thinned:
    """A condenser's items, less as many drawn at random as the other's gates dropped."""

    condenser: Condenser
    peer_of: PeerOf
    rng_of: Callable[[Trajectory], Generator]
    name: str

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        """Condense one trajectory; raises ModelFault where no answer could be had."""
        made = await self.condenser(trajectory)
        texts = [render(item) for item in made.items] if made.reply is None else list(item_texts(made.reply))
        fewer = min(self.peer_of(trajectory).gate_drops, len(texts))
        out = set(self.rng_of(trajectory).choice(len(texts), fewer, replace=False)) if fewer else set()
        dropped = tuple(Dropped(texts[number], "removed at random") for number in sorted(out))
        kept = [number for number in range(len(texts)) if number not in out]
        if made.reply is None:
            made = replace(made, items=tuple(made.items[number] for number in kept))
        elif out:
            made = with_reply(made, "\n\n".join(texts[number] for number in kept))
        return replace(made, dropped=(*made.dropped, *dropped))


def with_reply(made: Condensation, reply: str) -> Condensation:
    """A condensation with another reply, of which it says how it was read."""
    reading = read_reply(reply)
    items = tuple(item for item in reading.items if not is_template(item))
    unread: tuple[str, ...] = ()
    if reply.strip() and not reading.none and not items:
        unread = (PROSE,)
    elif reading.cut or reading.missed or len(items) < len(reading.items):
        unread = ("part of the reply could not be read as an item; it is shown as it is",)
    prose = (ProseItem(reply),) if unread == (PROSE,) else ()
    return replace(made, items=items or prose, reply=reply, faults=unread, unread=unread)


def as_long(text: str, n_words: int) -> str:
    """The text with exactly `n_words` words: whole sentences and lines of it, then neutral sentences."""
    end, n_left = 0, n_words
    for sentence_end in SENTENCE_END.finditer(text):
        n_more = len(text[end : sentence_end.end()].split())
        if n_more > n_left:
            break
        end, n_left = sentence_end.end(), n_left - n_more
    padding = PADDING.render().split()
    more = " ".join((padding * (n_left // len(padding) + 1))[:n_left])
    return "\n".join(filter(None, (text[:end].rstrip("\n") if more else text[:end], more)))
