"""The message of a commit as the text of a task: what would lead to the solution is taken out."""

import re
from collections.abc import Iterator

LONGEST = 8_000
"""Characters of a task's text."""
REFERENCE = re.compile(r"(?:[\w.-]{1,100}/[\w.-]{1,100})?[#!]\d{1,9}|gh-\d{1,9}", re.IGNORECASE)
HASH = re.compile(r"(?=[0-9a-f]{0,39}\d)(?=[0-9a-f]{0,39}[a-f])[0-9a-f]{7,40}")
ADDRESS = re.compile(r"https?://", re.IGNORECASE)
FORGE = ("/pull/", "/pulls/", "/issues/", "/commit/", "/commits/", "/merge_requests/", "/compare/")
_CLOSING = (
    "fix fixes fixed close closes closed resolve resolves resolved ref refs see re issue pr related "
    "to part of cherry picked from commit link closes: fixes: refs: see: bug: issue: link:"
)
CLOSING = frozenset(_CLOSING.split())
"""Words of a line that does nothing but point elsewhere."""
_TRAILERS = (
    "change-id git-svn-id cc pr-url reviewed-on backport-of merge-request differential-revision "
    "test-plan summary-of fossil-origin-name"
)
TRAILERS = frozenset(_TRAILERS.split())
_EMPTY = (
    "wip fix fixes fixed fixing update updates updated updating change changes changed stuff misc "
    "more some test tests tmp temp minor small little typo typos cleanup clean up commit save "
    "checkpoint work in progress the a of and it things refactor refactoring tweak tweaks bug bugs "
    "code version bump release oops done"
)
EMPTY = frozenset(_EMPTY.split())
"""Words that say nothing of what is to be done."""
EDGES = "()[]{}<>.,;:'\""


def clean_message(message: str) -> str:
    """The message without trailers, references, addresses of a forge and names of commits."""
    kept = [line for raw in message[: 4 * LONGEST].split("\n") if (line := _clean_line(raw)) is not None]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()
    if len(text) <= LONGEST:
        return text
    return text[:LONGEST].rpartition("\n")[0].rstrip() or text[:LONGEST]


def _clean_line(line: str) -> str | None:
    """What stays of a line; None where nothing does that did before."""
    key, colon, _ = line.partition(":")
    name = key.strip().lower()
    if colon and len(name) < 40 and " " not in name and (name.endswith("-by") or name in TRAILERS):
        return None
    words = line.split()
    if not any(_points(word) for word in words):
        return line.rstrip()
    rest = [word for word in words if not _points(word)]
    if all(word.lower().strip(EDGES) in CLOSING for word in rest):
        return None
    return "".join(_replace_words(line)).rstrip(" \t-–—:")


def _points(word: str) -> bool:
    bare = word.strip(EDGES)
    forge = ADDRESS.match(bare) is not None and any(part in bare for part in FORGE)
    return bool(forge or REFERENCE.fullmatch(bare) or HASH.fullmatch(bare))


def _replace_words(line: str) -> Iterator[str]:
    """A reference goes; the name of a commit, which may be a word of a sentence, leaves a mark."""
    for part in re.split(r"(\s+)", line):
        bare = part.strip(EDGES)
        if not bare or not _points(part):
            yield part
        elif HASH.fullmatch(bare):
            yield part.replace(bare, "…")


def is_revert(message: str) -> bool:
    """Whether the message says that an earlier commit is taken back."""
    first = message.lstrip().split("\n")[0].strip().lower()
    return first.startswith(("revert ", 'revert"', "revert:", "reapply ")) or "This reverts commit" in message


def is_usable(text: str) -> bool:
    """Whether a cleaned message says what is to be done: two words at least that are more than `wip`."""
    first = text.split("\n")[0].strip().lower()
    words = [word for raw in text.lower().split() if (word := raw.strip(f"{EDGES}!-*#"))]
    telling = {word for word in words if word not in EMPTY and any(letter.isalpha() for letter in word)}
    return not first.startswith(("fixup!", "squash!", "amend!")) and len(words) > 1 and len(telling) > 1
