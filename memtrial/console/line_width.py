"""Text and tables in as many columns as there are; East Asian signs take two. Nothing is cut."""

from collections.abc import Collection, Iterator, Sequence

from rich.cells import cell_len

from memtrial.console.escape import printable

GAP, STEP = 2, 2
"""Blanks between columns, and before a line that goes on from the one above."""
READABLE = 16
"""A column of words is not folded into fewer columns than this."""

Row = Sequence[str]


def fold(text: str, width: int | None, step: int = STEP) -> list[str]:
    """Lines of at most `width` columns (None: any), folded between words; each that goes on is set in."""
    lines = text.split("\n")
    return lines if width is None else [part for line in lines for part in _fold_line(line, width, step)]


def _fold_line(line: str, width: int, step: int) -> list[str]:
    if line.isascii() and len(line) <= width and "\t" not in line:
        return [line]
    if line.isprintable() and cell_len(line) <= width:
        return [line]
    from rich.console import Console
    from rich.text import Text

    text = Text(line.expandtabs())
    if text.cell_len <= width:
        return [text.plain]
    bare = text.plain.lstrip(" ")
    lead = min(len(text.plain) - len(bare), width // 3)
    step = min(step, width // 8)
    parts = Text(bare).wrap(Console(width=width), width - lead - step, overflow="fold")
    return [" " * (lead + step * bool(number)) + part.plain.rstrip() for number, part in enumerate(parts)]


def columns(rows: Sequence[Row], width: int | None = None, right: Collection[int] = ()) -> list[str]:
    """A table whose first row are its heads, columns as wide as they need to be, those in `right` set right.

    Where that is too wide, words of the first and the last column are folded. Where that is not enough, each
    row becomes a block: its cells one under the other, each behind its head.
    """
    if not rows:
        return []
    cleaned = [[printable(text).replace("\n", " ").replace("\t", " ") for text in row] for row in rows]
    heads, *body = cleaned
    table = cleaned if any(heads) else body
    natural = [max((cell_len(row[column]) for row in table), default=0) for column in range(len(heads))]
    widths = natural if width is None else _widths(table, natural, width)
    if widths is None:
        return [line for row in body for line in _block(heads, row, width)]
    return [line for row in table for line in _align_row(row, widths, right)]


def _widths(table: Sequence[Row], natural: list[int], width: int) -> list[int] | None:
    """Widths that fit, the first and the last column folded where they must be; None where none do."""
    last = len(natural) - 1
    if sum(natural) + GAP * last <= width:
        return natural
    least = [
        min(
            natural[column],
            max([READABLE, *(cell_len(word) for row in table for word in row[column].split())]),
        )
        for column in (0, last)
    ]
    room = width - GAP * last - sum(natural[1:last])
    if last == 0 or sum(least) > room:
        return None
    first = min(natural[0], max(least[0], room - natural[last], min(room // 2, room - least[1])))
    return [first, *natural[1:last], min(natural[last], room - first)]


def _align_row(row: Row, widths: Sequence[int], right: Collection[int]) -> Iterator[str]:
    """One row; cells that are folded take several lines."""
    cells = [fold(cell, width, step=0) if cell else [""] for cell, width in zip(row, widths, strict=True)]
    for column in range(max(map(len, cells))):
        parts = []
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True)):
            part = cell[column] if column < len(cell) else ""
            blanks = " " * (width - cell_len(part))
            parts.append(f"{blanks}{part}" if place in right else f"{part}{blanks}")
        yield (" " * GAP).join(parts).rstrip()


def _block(heads: Row, row: Row, width: int | None) -> Iterator[str]:
    for column, (head, cell) in enumerate(zip(heads, row, strict=True)):
        if cell or not column:
            lead = " " * STEP * bool(column)
            yield from fold(f"{lead}{head}: {cell}" if head else f"{lead}{cell}", width)
