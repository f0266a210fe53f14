"""What a memory text tells the agent to do here, read by a judge who knows neither arm nor damage."""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from loadbearing.models.client.client import Caller
from loadbearing.models.client.structured import ReplyFault, Structured
from loadbearing.prompts.templates import Prompt

INSTRUCTIONS = Prompt("decision")
NOTHING = "nothing"
_AROUND = "`\"'“”‘’*. \t\n"


@dataclass(frozen=True, slots=True)
class Decision:
    """What the notes advise here.

    Args:
        action: `nothing` where they advise none; empty with a fault.
        quote: the passage of the notes that decides it, verbatim; may be empty for `nothing`.
        fault: why there is no answer.
    """

    action: str
    quote: str
    fault: str = ""


@dataclass(frozen=True)
class ModelReader:
    """A language model that says what notes advise."""

    caller: Caller

    @cached_property
    def _structured(self) -> Structured:
        return Structured(self.caller)

    async def __call__(self, rules: str, situation: str, notes: str) -> Decision:
        """Ask, and check that the quoted passage is there.

        Args:
            rules: how to act in this world.
            situation: the task and the first observation, as the agent is shown them.
            notes: the text of the slot.

        Raises:
            ModelFault: no answer could be had at all.
        """
        inputs = {"rules": rules, "situation": situation, "notes": notes}
        try:
            said = await self._structured.ask(_signature(), inputs)
        except ReplyFault as fault:
            return Decision("", "", f"the judge's reply could not be read: {fault}")
        action, quote = " ".join(said.action.strip(_AROUND).split()), said.quote.strip()
        if action.lower() == NOTHING:
            action = NOTHING
        if not action:
            return Decision("", "", "the judge named neither an action nor nothing")
        if quote not in notes or (not quote and action != NOTHING):
            return Decision("", "", f"the judge quoted what does not stand in the notes: {quote[:80]!r}")
        return Decision(action, quote)


@cache  # a signature is a class: making one for every call costs more than the call
def _signature() -> Any:
    import dspy

    return dspy.Signature(
        {
            "rules": (str, dspy.InputField(desc="how the agent acts here")),
            "situation": (str, dspy.InputField(desc="the task, and what the agent is shown first")),
            "notes": (str, dspy.InputField(desc="the notes the agent is given")),
            "action": (str, dspy.OutputField(desc="what the notes tell it to do now, or: nothing")),
            "quote": (str, dspy.OutputField(desc="one passage of the notes, copied letter by letter")),
        }
    ).with_instructions(INSTRUCTIONS.render())
