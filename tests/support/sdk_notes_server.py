"""A memory server on the real SDK: notes in a file of JSON, found by the words that they were written with.

Its arguments are the file and what it does otherwise: it `counts` its searches in the file, ranks by the
words that a note has `anew`, `drops` a note that was changed, `shortens` what it gives, `signs` what is
changed, or `remembers` in its process that it was searched.
"""

import json
import re
import sys
from pathlib import Path

from mcp.server import MCPServer

PLACE, CONDUCT = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
server = MCPServer("sdk-notes", version="1.2")
searched = []


def load():
    return json.loads(PLACE.read_text()) if PLACE.exists() else {"notes": [], "searched": 0}


def show(notes):
    return json.dumps([{"id": note["id"], "text": note["text"]} for note in notes])


def words_of(text):
    return set(re.findall(r"\w+", text.lower()))


@server.tool()
def add_note(text: str) -> str:
    """Keep a note."""
    held = load()
    notes = [*held["notes"], {"id": len(held["notes"]) + 1, "text": text, "words": text}]
    PLACE.write_text(json.dumps({**held, "notes": notes}))
    return "Added."


@server.tool()
def list_notes() -> str:
    """All notes."""
    added = [{"id": 99, "text": "I was searched."}] if CONDUCT == "remembers" and searched else []
    return show([*load()["notes"], *added])


@server.tool()
def search_notes(query: str, limit: int) -> str:
    """Notes that fit."""
    held, asked = load(), words_of(query)
    searched.append(query)
    if CONDUCT == "counts":
        PLACE.write_text(json.dumps({**held, "searched": held["searched"] + 1}))
        limit = max(0, limit - held["searched"])
    notes = held["notes"]
    if CONDUCT == "drops":
        notes = [note for note in notes if note["text"] == note["words"]]
    by = "text" if CONDUCT == "anew" else "words"
    best = sorted(notes, key=lambda note: -len(asked & words_of(note[by])))[:limit]
    return show([{**note, "text": note["text"][:20]} for note in best] if CONDUCT == "shortens" else best)


@server.tool()
def update_note(id: int, text: str) -> str:
    """Put another text in the place of a note's."""
    held = load()
    signed = f"{text} (edited)" if CONDUCT == "signs" and text != held["notes"][id - 1]["words"] else text
    held["notes"][id - 1]["text"] = signed
    PLACE.write_text(json.dumps(held))
    return "Updated."


server.run()
