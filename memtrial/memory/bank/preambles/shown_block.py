"""The text in which chosen items stand in a prompt; without items there is none, and no heading either."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.bank.preambles.conditioning_fields import make_fields
from memtrial.memory.bank.preambles.item_gist import gist_of, join_steps
from memtrial.memory.record_text import show_items
from memtrial.prompts.templates import Prompt, cue_line

PreambleForm = Literal["markdown", "strategies", "experiences", "fields"]


def show_block(items: Sequence[BankItem], form: PreambleForm) -> str:
    """The block of items in their order.

    Args:
        form: `strategies`: numbered titles with their steps in a line (seeds/003). `experiences`: titles and
            contents (seeds/004). `fields`: JSON of constraints and hints (seeds/000). `markdown`: whole items
            under the experiment's own heading.
    """
    if not items:
        return ""
    if form == "fields":
        return make_fields(items).model_dump_json()
    if form == "markdown":
        return "\n\n".join((cue_line(), *show_items([item.item for item in items])))
    gists = [gist_of(item) for item in items]
    if form == "experiences":
        pairs = [{"title": gist.title, "content": gist.content} for gist in gists]
        lines = "\n".join(Prompt("experience_line").render(pair) for pair in pairs)
        return Prompt("experience_block").render({"experiences": lines})
    lines = "\n".join(_show_strategy(n, gist.title, gist.content) for n, gist in enumerate(gists, 1))
    return Prompt("strategy_preamble").render({"strategies": lines})


@lru_cache(maxsize=1024)  # an item that is shown is shown again
def _show_strategy(number: int, title: str, content: str) -> str:
    return Prompt("strategy_line").render({"number": number, "title": title, "steps": join_steps(content)})
