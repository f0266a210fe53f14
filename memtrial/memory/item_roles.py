"""An item of any schema as its roles: what names it, what to do, why, when, where it ends, in which form."""

from dataclasses import dataclass

from memtrial.memory.item import Item, NativeItem, TypedItem
from memtrial.memory.language.roles import spans
from memtrial.memory.markdown import render


@dataclass(frozen=True, slots=True)
class ItemRoles:
    """The texts of an item by role. None: the schema has no place for it; empty: the item says nothing there.

    Args:
        title: the line that names the lesson: Claim or Title.
        what: the text that says what to do: Claim, Content, or all prose.
        why: Mechanism, or the reasons inside the sentences of a schema without that field.
        when: Trigger, as typed cues that a program can match.
        where: Scope.
        form: Form.
    """

    title: str | None
    what: str
    why: str
    when: str | None = None
    where: str | None = None
    form: str | None = None


def roles_of(item: Item) -> ItemRoles:
    """Read the item; of an additive one the fields of the theory.

    A native item has no Trigger, Scope or Form, and prose has no title either.
    """
    if isinstance(item, TypedItem):
        return ItemRoles(item.claim, item.claim, item.mechanism, item.trigger, item.scope, item.form)
    text = render(item)
    why = " ".join(text[low:high].strip() for low, high in spans(text, "why"))
    if isinstance(item, NativeItem):
        return ItemRoles(item.title, item.content, why)
    return ItemRoles(None, item.text, why)
