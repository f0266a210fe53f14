"""Templates by file name: rendering, and the digest that names a wording in the record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import jinja2

ROOT = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Prompt:
    """One template file of this folder, by its name without the ending."""

    name: str

    @property
    def digest(self) -> str:
        """Sha256 of the file as it is shipped."""
        return sha256(_source(self.name)).hexdigest()

    def render(self, values: Mapping[str, object] | None = None) -> str:
        """The text with `values` filled in. A value that the template needs and does not get is an error."""
        template = _template(self.name)
        # as `Template.render`, but for Jinja's own globals, which no template uses: to copy them takes longer
        # than to fill in a short text
        context = template.new_context(dict(values or {}), shared=True)
        return "".join(template.root_render_func(context))


def cue_line() -> str:
    """The line above the items in every slot, in our own wording."""
    return (ROOT / "cue.txt").read_text(encoding="utf-8").strip()


@cache
def _source(name: str) -> bytes:
    # read once: the digest in the record is that of the rendered text, even if the file is edited meanwhile
    return (ROOT / f"{name}.jinja").read_bytes()


@cache
def _template(name: str) -> jinja2.Template:
    import jinja2

    # plain text, not markup: what worlds and memories say must arrive verbatim
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)
    return environment.from_string(_source(name).decode("utf-8"))
