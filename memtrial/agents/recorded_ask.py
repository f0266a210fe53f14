"""How an agent asks its model in an episode: what was sent and what came back is written down for it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from memtrial.agents.episode import AgentFault, Sent
from memtrial.agents.stage import EpisodeMemory, LastReply
from memtrial.models.client.client import Caller
from memtrial.models.client.types import OWN, Message, Reply, TalkDigest, key_of, provider_of

MOST_ASKS = 100
"""Requests that an agent may send in one turn."""


class AskLimitFault(AgentFault):
    """The agent's requests are spent; its episode ends as it stands."""


@dataclass
class RecordedAsk:
    """Asks the model of the episode, and keeps what was sent and what came back.

    Args:
        most: requests of the whole episode; None: as many as it takes.
    """

    caller: Caller
    memory: EpisodeMemory
    last: LastReply
    most: int | None = None
    sent: list[Sent] = field(default_factory=list)
    conversation: list[Message] = field(default_factory=list)
    _since: int = 0
    _begun: TalkDigest = field(default_factory=TalkDigest)

    async def __call__(self, messages: Sequence[Message], choices: Sequence[str] = ()) -> Reply:
        """The model's reply to a conversation, one of the choices where there are any; a refusal is one, too,
        and ends the episode.

        Raises:
            AskLimitFault: it has asked as often as it may.
            AgentFault: the agent asked after a refusal, or far too often without acting.
            ModelFault, HaltFault, StoreFault: as `ModelClient.ask`.
        """
        memory = self.memory
        memory.enter()
        if self.last.refused:
            raise AgentFault("the agent asked on after the model refused; act, and the episode ends")
        if self.most is not None and len(self.sent) >= self.most:
            raise AskLimitFault(f"the agent may ask {self.most} times for this task")
        if len(self.sent) >= MOST_ASKS and self.sent[-MOST_ASKS].step == memory.turns:
            raise AgentFault(f"the agent asked {MOST_ASKS} times in one turn without acting")
        if provider_of(self.caller.model) == OWN:
            raise AgentFault("the agent asked a model, and none is named; name one, as model='anthropic/...'")
        request = self.caller.request(tuple(messages), tuple(choices), self._begun)
        reply = await self.caller.send(request)
        known = self.conversation[self._since :]
        if list(messages[: len(known)]) != known:
            self._since, known = len(self.conversation), []
        self.conversation += messages[len(known) :]
        key = key_of(request, self.caller.repeat)
        shown, since = len(self.conversation), self._since
        self.sent.append(Sent(memory.turns, shown, key, reply.verbatim, since, request.choices))
        self.conversation.append(Message("assistant", reply.blocks or reply.text))
        self.last.text, self.last.refused = reply.text, reply.stop == "refusal"
        return reply
