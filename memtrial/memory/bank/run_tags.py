"""Tags of a run: the languages of the files that it was about, and the kind of problem that its task poses.

They follow from its text alone, so that the same run has the same tags always. Source: seeds/001 (an item is
tagged with its language and type of problem); REQUIREMENTS C-06.
"""

import re
from collections import Counter
from collections.abc import Iterable

from memtrial.agents.trajectory import Trajectory
from memtrial.memory.words import folded_words, stem

MOST_LANGUAGES = 3
"""Of a run that has files of more, those of which most are named."""
LONGEST = 200_000
"""Characters of a run that are read, from its beginning."""
_ENDINGS = (
    ("c", "c h"),
    ("c++", "cc cpp cxx hh hpp hxx"),
    ("c#", "cs"),
    ("css", "css scss sass less"),
    ("dart", "dart"),
    ("elixir", "ex exs"),
    ("go", "go"),
    ("haskell", "hs"),
    ("html", "html htm"),
    ("java", "java"),
    ("javascript", "js jsx mjs cjs"),
    ("julia", "jl"),
    ("kotlin", "kt kts"),
    ("lua", "lua"),
    ("perl", "pl pm"),
    ("php", "php"),
    ("python", "py pyi pyx ipynb"),
    ("r", "r rmd"),
    ("ruby", "rb erb"),
    ("rust", "rs"),
    ("scala", "scala sc"),
    ("shell", "sh bash zsh"),
    ("sql", "sql"),
    ("swift", "swift"),
    ("terraform", "tf"),
    ("typescript", "ts tsx mts cts"),
    ("zig", "zig"),
)
_LANGUAGES = {ending: language for language, endings in _ENDINGS for ending in endings.split()}
_KINDS = (
    ("debugging", "bug crash debug error exception fail failure fix panic traceback"),
    ("testing", "coverage test unittest"),
    ("performance", "benchmark latency optimise optimize performance slow speed throughput"),
    ("security", "authentication authorization encrypt permission secret security vulnerability"),
    ("refactoring", "refactor rename restructure simplify"),
    ("migration", "migrate migration upgrade"),
    ("deployment", "deploy deployment rollout"),
    ("documentation", "docstring documentation readme"),
    ("configuration", "config configuration configure install setup"),
    ("scraping", "crawl crawler paginate pagination scrape scraper"),
    ("data", "csv database dataset query schema spreadsheet"),
)
"""Kinds of problems, and words of a task's text that tell each."""
_STEMS = tuple((kind, frozenset(map(stem, words.split()))) for kind, words in _KINDS)
# what stands before the dot ends a name; a field, a call or a further part behind it is no file's ending
_ENDING = re.compile(
    r"(?<=[\w)\]-])(?<!\bself)(?<!\bthis)"
    rf"\.({'|'.join(sorted(_LANGUAGES, key=len, reverse=True))})(?![\w(]|\.\w|\s?=[^=])",
    re.IGNORECASE,
)


def tag_run(run: Trajectory) -> tuple[str, ...]:
    """Its languages, those of most files first, then its kinds of problem in a fixed order; none where it
    tells neither."""
    return (*_languages(run), *_kinds(run.query))


def _languages(run: Trajectory) -> tuple[str, ...]:
    """By the files that the task and the agent's actions name; where these name none, by those it saw."""
    named = _count([run.query, *(step.action for step in run.steps)])
    counts = named or _count([run.start, *(step.observation for step in run.steps)])
    return tuple(sorted(counts, key=lambda language: (-counts[language], language))[:MOST_LANGUAGES])


def _count(texts: Iterable[str]) -> Counter[str]:
    counts, left = Counter[str](), LONGEST
    for text in texts:
        counts.update(_LANGUAGES[match[1].lower()] for match in _ENDING.finditer(text[:left]))
        left -= min(left, len(text))
    return counts


def _kinds(query: str) -> tuple[str, ...]:
    stems = set(map(stem, folded_words(query[:LONGEST].casefold())))
    return tuple(kind for kind, words in _STEMS if words & stems)
