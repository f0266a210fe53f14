"""Items as JSON, and as what models take for it: Python literals, comments, trailing commas, curly quotes.

An object with the fields of an item is one, wherever it stands: alone, in a list under any key, in a fence,
between sentences. Each is read from its own brackets, so one that is cut off spoils none before it. A quote
that nothing of JSON follows stands within its text. Nothing is repaired: where a bracket or a quote does not
fit, that object is none.
"""

import re
from dataclasses import dataclass, field

from memtrial.memory.layouts.fields import Field, ItemBlock, ItemLayout, Span, field_of, is_item

_OPENS = re.compile(r"[\[{]")
_TOKEN = re.compile(
    r"""
      (?P<blank> \s++ | //[^\n]*+ | \#(?!\#)[^\n]*+ | /\*(?:[^*]|\*(?!/))*+(?:\*/|\Z) )
    | (?P<long> \"\"\"(?:[^"\\]|\\.|"(?!""))*+(?:\"\"\"|\Z) )
    | (?P<text> "(?:[^"\\]|\\.|"(?!\s*+(?:[}\]:：\#/]|\Z|,\s*+(?:[\[{"'“}\]\d/\#-]|\w++[ ]?:|null|None
          |true|false|\Z))))*+(?:"|\\?\Z) | '(?:[^'\\]|\\.)*+(?:'|\\?\Z) | “[^”]*+(?:”|\Z) )
    | (?P<sign> [{}\[\],:：，] )
    | (?P<word> [\w.+-]++ )
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|\r?\n|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": "", "\r\n": ""}
_NULL = ("null", "none", "undefined")
_WORDS = (*_NULL, "true", "false")
_CUES = ("task", "state", "action")
DEEPEST = 100


@dataclass(frozen=True, slots=True)
class _Text:
    """A string or a bare word, where it stands between its quotes."""

    value: str
    span: Span
    quoted: bool


@dataclass(slots=True)
class _Open:
    """A container that is being read; `pairs` of a list have no key."""

    mark: str
    start: int
    n_blocks: int
    pairs: list[tuple[str, object]] = field(default_factory=list)
    key: _Text | None = None
    colon: bool = False


@dataclass(frozen=True, slots=True)
class _Closed:
    mark: str
    pairs: tuple[tuple[str, object], ...]


@dataclass
class _Scan:
    """What was read so far. `roots` are the spans of outermost containers that hold an item."""

    blocks: list[ItemBlock] = field(default_factory=list)
    roots: list[Span] = field(default_factory=list)
    stack: list[_Open] = field(default_factory=list)
    empty: int = 0
    missed: int = 0

    def take(self, value: object) -> bool:
        """Put a value into the open container; whether it fits there."""
        top = self.stack[-1]
        if top.mark == "[":
            top.pairs.append(("", value))
        elif top.key is None:
            if not isinstance(value, _Text):
                return False
            top.key = value
        elif top.colon:
            top.pairs.append((top.key.value, value))
            top.key, top.colon = None, False
        else:
            return False
        return not (isinstance(value, _Text) and not value.quoted) or self._bare(top, value)

    def _bare(self, top: _Open, value: _Text) -> bool:
        """A word without quotes is a key, a number or one of few words."""
        is_key = top.mark == "{" and top.key is value
        return is_key or value.value.lower() in _WORDS or value.value[:1] in "-0123456789"

    def separate(self, sign: str) -> bool:
        """A comma or a colon; whether it may stand here."""
        top = self.stack[-1]
        if sign in ":：":
            fits = top.key is not None and not top.colon
            top.colon = True
            return fits
        return top.key is None

    def close(self, sign: str, stop: int) -> bool:
        """A closing bracket; whether it fits the open container."""
        top = self.stack.pop()
        if top.mark + sign not in ("[]", "{}") or top.key is not None:
            return False
        made = _Closed(top.mark, tuple(top.pairs))
        if top.mark == "{" and len(self.blocks) == top.n_blocks:
            if fields := _fields(made):
                self.blocks.append(ItemBlock(fields, top.start, stop))
            else:
                self.missed += len({*filter(None, (field_of(key) for key, _ in made.pairs))}) > 1
        if not self.stack:
            if len(self.blocks) > top.n_blocks:
                self.roots.append((top.start, stop))
            elif _says_none(made):
                self.empty += 1
            return True
        return self.take(made)


def read_json(text: str) -> ItemLayout | None:
    """The objects of the text that are items; None where there is none, nor an empty list alone."""
    scan, place, cut = _Scan(), 0, False
    while place < len(text):
        if not scan.stack:
            opens = _OPENS.search(text, place)
            if opens is None:
                break
            place = opens.start()
        token = _TOKEN.match(text, place)
        if token is None:
            scan.stack.clear()
            place += 1
            continue
        place, fits = token.end(), True
        kind, sign = token.lastgroup, token[0]
        if kind == "sign" and sign in "[{":
            scan.stack.append(_Open(sign, token.start(), len(scan.blocks)))
            fits = len(scan.stack) <= DEEPEST
        elif kind == "sign" and sign in "]}":
            fits = scan.close(sign, place)
        elif kind == "sign":
            fits = scan.separate("," if sign == "，" else sign)
        elif kind in ("text", "long", "word"):
            width = {"text": 1, "long": 3, "word": 0}[kind]
            if width and not _ends(sign, width):
                break  # no quote closes this text: what follows cannot be told from it
            inner = sign[width : len(sign) - width]
            span = (token.start() + width, place - width)
            fits = scan.take(_Text(unescape(inner) if width else inner, span, width > 0))
        if not fits:
            scan.stack.clear()
    cut = any(_begun(opened) for opened in scan.stack)
    if scan.blocks:
        spans = [*scan.roots, *((block.start, block.stop) for block in scan.blocks)]
        start, stop = min(spans)[0], max(stop for _, stop in spans)
        return ItemLayout("json", tuple(scan.blocks), start, stop, cut, missed=scan.missed)
    if cut or scan.missed or scan.empty == 1:
        none = not cut and not scan.missed
        return ItemLayout("json", (), 0, len(text), cut, none, scan.missed)
    return None


def unescape(text: str) -> str:
    """The text of a JSON string; an escape that JSON does not know stands for its own character."""
    if "\\" not in text:
        return text
    plain = _ESCAPE.sub(lambda match: _escape(match[1]), text)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _escape(name: str) -> str:
    return chr(int(name[1:], 16)) if len(name) == 5 else _ESCAPED.get(name, name)


def _ends(sign: str, width: int) -> bool:
    closing = {"“": "”"}.get(sign[0], sign[0]) * width
    return len(sign) >= 2 * width and sign.endswith(closing)


def _begun(container: _Open) -> bool:
    """Whether an object that the text breaks off in has a field of an item."""
    keys = [key for key, _ in container.pairs] + ([container.key.value] if container.key else [])
    return container.mark == "{" and any(field_of(key) for key in keys)


def _says_none(root: _Closed) -> bool:
    """An empty list, or one under a key."""
    if root.mark == "[":
        return not root.pairs
    values = [value for _, value in root.pairs]
    return len(values) == 1 and isinstance(values[0], _Closed) and not values[0].pairs


def _fields(container: _Closed) -> tuple[Field, ...]:
    """The fields of an object that is an item; none where one stands twice or cannot be read."""
    fields: list[Field] = []
    for key, value in container.pairs:
        name = field_of(key)
        if name is None or (isinstance(value, _Text) and not value.quoted and value.value.lower() in _NULL):
            continue
        value_text = _read_told(name, value)
        if value_text is None:
            return ()
        fields.append(Field(name, *value_text))
    names = [field.name for field in fields]
    return tuple(fields) if is_item(names) and len(set(names)) == len(names) else ()


def _read_told(name: str, value: object) -> tuple[str, tuple[Span, ...]] | None:
    """A field's text and where it stands: a list of cues is joined by bars, one of sentences by blanks."""
    if isinstance(value, _Text):
        return value.value, (value.span,)
    assert isinstance(value, _Closed)
    texts, spans = list[str](), list[Span]()
    if value.mark == "{":
        cue = _typed_cue(value) if name == "trigger" else None
        pairs = [cue] if cue else list(value.pairs)
        if name == "trigger" and any(_cue_name(key) not in _CUES for key, _ in pairs):
            return None
        for key, inner in pairs:
            if (value_text := _read_told(name, inner)) is None:
                return None
            texts.append(f"{key.strip()}: {value_text[0]}")
            spans += value_text[1]
    else:
        for _, inner in value.pairs:
            if (value_text := _read_told(name, inner)) is None:
                return None
            texts.append(value_text[0])
            spans += value_text[1]
    joint = {"trigger": " | ", "content": "\n"}.get(name, " ")
    return joint.join(text.strip() for text in texts), tuple(spans)


def _cue_name(key: str) -> str:
    return key.strip().lower().removeprefix("not ")


def _typed_cue(value: _Closed) -> tuple[str, object] | None:
    """The cue of an object such as {"type": "state", "text": "…"}."""
    texts = [inner for _, inner in value.pairs]
    if len(texts) != 2 or not isinstance(texts[0], _Text) or _cue_name(texts[0].value) not in _CUES:
        return None
    return texts[0].value, texts[1]
