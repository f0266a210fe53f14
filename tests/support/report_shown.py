"""A report as it is shown: the text of a terminal, the parts of a page."""

import io
import re
from functools import cache
from html.parser import HTMLParser
from itertools import chain

from rich.console import Console

from memtrial.reports.render.html_report import render_html
from memtrial.reports.render.terminal import print_results
from memtrial.views.rows.results import Results
from tests.support.report_example import HOSTILE, bare, full, hostile, past

VOID = {"meta", "link", "br", "img", "input", "hr", "use", "path"}


class Page(HTMLParser):
    """Text by section, attributes, and whether every tag is closed where it should be."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {"": []}
        self.title = ""
        self.headings: list[str] = []
        self._open: list[str] = []
        self._section = ""
        self._closed = 0
        self.visible: list[str] = []
        self.misnested: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        if tag not in VOID:
            self._open.append(tag)
        if tag == "details":
            self._closed += 1
        if re.fullmatch("h[1-6]", tag) and "id" in attributes:
            self._section = attributes["id"] or ""
            self.texts[self._section] = []
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        self._closed -= tag == "details"
        if not self._open or self._open.pop() != tag:
            self.misnested.append(tag)

    def handle_data(self, data):
        if self._open and self._open[-1] == "title" and "svg" not in self._open:
            self.title += data
        outermost = self._open.count("details") == 1 and "summary" in self._open
        if "style" not in self._open and "head" not in self._open and (not self._closed or outermost):
            self.visible.append(data)
        if "style" not in self._open:
            self.texts[self._section].append(data)

    def text(self, section: str | None = None) -> str:
        parts = self.texts[section] if section is not None else chain(*self.texts.values())
        return " ".join(" ".join(parts).split())


@cache
def page_of(which: str) -> tuple[str, Page]:
    """The report of an example, `full`, `bare` or `hostile`: its source and its parts; drawn once."""
    made = {"full": full, "bare": bare, "hostile": hostile}[which]()
    told = {"full": past(), "hostile": (HOSTILE,)}
    source = render_html(made, told.get(which, ()))
    return source, Page(source)


@cache
def demo_page(backbones: int) -> str:
    """The report of the demo on so many backbones; drawn once."""
    return render_html(demo(backbones))


def terminal(results: Results, width: int = 80, encoding: str = "utf-8", height: int = 24) -> str:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    print_results(results, Console(file=file, width=width, height=height))
    file.flush()
    return raw.getvalue().decode(encoding)


def two_backbones() -> Results:
    """The full example on two of its backbones."""
    results = full()
    names = results.backbones[:2]
    return results.model_copy(
        update={
            "lock": None,
            "backbones": names,
            "verdicts": {name: results.verdicts[name] for name in names},
            "utility": {name: results.utility[name] for name in names},
            "hypotheses": tuple(entry for entry in results.hypotheses if entry.backbone in names),
        }
    )


def demo(n: int = 2):
    """The full example cut to what the demo holds: so many backbones, three kinds of damage, no lock."""
    results = full()
    names = results.backbones[:n]
    of_these = {name: found for name, found in results if isinstance(found, tuple)}
    fewer = {
        name: tuple(row for row in rows if getattr(row, "backbone", names[0]) in (*names, "all"))
        for name, rows in of_these.items()
    }
    primary = [entry for entry in fewer["hypotheses"] if entry.condition in results.conditions[2:]]
    words_of = {name: {one: getattr(results, name)[one] for one in names} for name in ("utility", "verdicts")}
    kept = {**fewer, **words_of, "backbones": names, "hypotheses": tuple(primary), "lock": None}
    return results.model_copy(update=kept)
