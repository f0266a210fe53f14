"""What a simulated participant answers where its reply is to be one of given texts."""

from memtrial.models.client.types import Request
from memtrial.models.simulated.prompt import ACTION, look
from memtrial.models.simulated.text import choice


def settle_choice(text: str, request: Request, seed: str, repeat: int) -> str:
    """The choice that its free reply names.

    One that loses its turn, by an action that is not there or a reply that cannot be read, loses it here by
    doing once more what it did last; in its first turn by any choice.
    """
    lines = ACTION.findall(text)
    action = lines[-1].strip() if lines else text.strip()
    if action in request.choices:
        return action
    before = look(request.messages).done[-1:]
    return (
        before[0]
        if before and before[0] in request.choices
        else choice(request.choices, seed, repeat, "lost")
    )
