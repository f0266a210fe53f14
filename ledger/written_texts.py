"""Damage that a model wrote before the first trial, as the ledger states it once."""

import json
from hashlib import sha256

from loadbearing.ledger.run_plan import Recorded, read_as
from loadbearing.ledger.store import Ledger

FACT = "written damage"


class WrittenText(Recorded):
    """One slot, by the digest of its intact items, under one kind of damage.

    There are no items where the rules' text is shown: no draft of `tries` was accepted (`why`).
    """

    kind: str
    before: str
    items: tuple[str, ...] = ()
    tries: int
    why: str = ""


class WrittenTexts(Recorded):
    """All of them, with the model that wrote and the one that read."""

    model: str
    judge: str
    texts: tuple[WrittenText, ...]

    @property
    def digests(self) -> dict[str, dict[str, str]]:
        """Sha256 of every text by kind and intact items, empty where the rules' text is shown."""
        found: dict[str, dict[str, str]] = {}
        for one in self.texts:
            after = sha256(json.dumps(one.items).encode()).hexdigest() if one.items else ""
            found.setdefault(one.kind, {})[one.before] = after
        return found


def written_texts(ledger: Ledger) -> WrittenTexts | None:
    """What was stated; None where nothing was."""
    text = ledger.fact_text(FACT)
    return None if text is None else read_as(WrittenTexts, text, FACT)
