"""Asks the cells of decisions, and makes shares of actions of what comes back, read as the agent would."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memtrial.agents.react import parse
from memtrial.analysis.probe.action_shares import AskedCell, Shares, count_shares
from memtrial.api.probe.probed_cells import ProbedCell
from memtrial.api.probe.recorded_decision import RecordedDecision
from memtrial.call_purpose import Purpose
from memtrial.models.client.client import ModelClient
from memtrial.models.client.content_blocks import ToolUse
from memtrial.models.client.types import Reply, Request
from memtrial.outcomes.reserved_names import INTACT
from memtrial.perturbations.advice.known_actions import words_of

PURPOSE = Purpose("probe")
FIRST_DRAW, DRAWS_APART = 100_000, 1_000
"""Draws of a probe are none of the run's; those of one repeat of the run are none of another's."""
HALVES = 2
UNREADABLE = ""
"""The action of a reply that holds none."""
LABEL = "Action:"
LONGEST_REPLY = 2048
"""Tokens of a reply at most, where nothing says how many."""


@dataclass(frozen=True, slots=True)
class AskingRules:
    """How decisions are asked.

    Args:
        agent: whose reading of a reply counts, as in `read_action`.
        model: asked in the place of the one that decided; empty: that one.
        samples: replies to a cell, where they are drawn.
        scored: shares of choices are asked for.
        exact: one reply a cell tells all: the server gives shares, or the temperature is 0.
    """

    agent: str
    model: str = ""
    temperature: float | None = None
    max_tokens: int | None = LONGEST_REPLY
    samples: int = 1
    scored: bool = True
    exact: bool = False

    def count_calls(self, cells: Sequence[ProbedCell]) -> int:
        """Calls that the cells of one decision take."""
        return sum(self.draws_of(cell) for cell in cells)

    def draws_of(self, cell: ProbedCell) -> int:
        """Replies to a cell; the intact memory is asked twice, to see what chance alone does."""
        if self.exact:
            return 1
        return self.samples * (HALVES if cell.condition == INTACT else 1)

    @property
    def replies(self) -> int:
        """Replies behind a cell, or how finely shares are known that a server gave."""
        return 100 if self.exact else self.samples

    def request(self, decision: RecordedDecision, cell: ProbedCell) -> Request:
        """The request of a cell."""
        return Request(
            self.model or decision.backbone,
            decision.show(cell.text),
            self.temperature,
            self.max_tokens,
            settings=decision.settings,
            wire=decision.wire,
            choices=decision.choices,
            scored=self.scored and bool(decision.choices),
        )


async def ask_cell(
    client: ModelClient,
    rules: AskingRules,
    decision: RecordedDecision,
    cell: ProbedCell,
    tick: Callable[[], None],
) -> AskedCell:
    """Ask a cell as often as the rules say. Raises what `ModelClient.ask` raises."""
    request, replies = rules.request(decision, cell), []
    for draw in range(rules.draws_of(cell)):
        replies.append(await client.ask(request, number_draw(decision, draw), PURPOSE))
        tick()
    if rules.exact:
        return AskedCell((read_shares_of(replies[0], rules.agent, decision.choices),))
    named = [name_action(read_action(reply, rules.agent, decision.choices)) for reply in replies]
    n = rules.samples
    return AskedCell(tuple(count_shares(named[low : low + n]) for low in range(0, len(named), n)))


def number_draw(decision: RecordedDecision, draw: int) -> int:
    """The number under which a model is asked: equal requests of other trials get answers of their own."""
    return FIRST_DRAW + decision.repeat * DRAWS_APART + draw


def read_shares_of(reply: Reply, agent: str, choices: tuple[str, ...]) -> Shares:
    """The shares of a reply that tells all; of one without shares its action alone."""
    if reply.shares:
        shares: dict[str, float] = {}
        for choice, share in zip(choices, reply.shares, strict=True):
            shares[name_action(choice)] = shares.get(name_action(choice), 0.0) + share
        return shares
    return {name_action(read_action(reply, agent, choices)): 1.0}


def read_action(reply: Reply, agent: str, choices: tuple[str, ...] = ()) -> str:
    """The action, or `UNREADABLE`.

    Args:
        agent: `react` reads a thought and an action; any other takes what stands behind the last label
            `Action:`, or the whole reply. Tools that a reply calls are its action.
        choices: where the reply was to be one of them, nothing else is an action.
    """
    if choices:
        return reply.text if reply.text in choices else UNREADABLE
    calls = [block for block in reply.blocks if isinstance(block, ToolUse)]
    if calls:
        return "; ".join(f"{call.name} {_arguments(call)}" for call in calls)
    if reply.stop == "refusal":
        return UNREADABLE
    if agent == "react":
        return parse(reply.text)[1] or UNREADABLE
    return reply.text.rpartition(LABEL)[2].strip()


def name_action(action: str) -> str:
    """One name for all spellings of an action; what holds no word stays as it is."""
    return " ".join(words_of(action)) or action.strip()


def _arguments(call: ToolUse) -> str:
    """In one order of its keys, where it is JSON."""
    try:
        return json.dumps(json.loads(call.arguments), sort_keys=True, ensure_ascii=False)
    except (ValueError, RecursionError):
        return call.arguments.strip()
