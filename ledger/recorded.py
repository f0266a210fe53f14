"""Frozen values that the ledger holds as JSON: written as they are, read back or refused in one line."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from loadbearing.ledger.stored import LedgerFault


class Recorded(BaseModel):
    """A frozen value that the ledger holds as JSON. No value is converted: what came is what is compared."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    @property
    def facts(self) -> dict[str, JsonValue]:
        """The keys that were stated, as JSON holds them, in the order of the fields."""
        return dict(self.model_dump(mode="json", exclude_unset=True))


Value = TypeVar("Value", bound=Recorded)


def read_as(kind: type[Value], text: str, what: str) -> Value:
    """What a text of JSON states.

    Args:
        what: its name in the message.

    Raises:
        LedgerFault: it states something else; the message names the keys.
    """
    try:
        return kind.model_validate_json(text)
    except ValidationError as fault:
        wrong = sorted({str(one["loc"][0]) if one["loc"] else "all of it" for one in fault.errors()})
        raise LedgerFault(
            f"a ledger of this version is needed; keys of its {what} are missing or wrong: {', '.join(wrong)}"
        ) from fault
