"""A memory server: notes in a file of JSON, found by the words that they were written with.

It is served by the real SDK, or, where `plain` is its third argument, by the standard library, which is
there at once.

Its arguments are the file and what it does otherwise: it `counts` its searches in the file, ranks by the
words that a note has `anew`, `drops` a note that was changed, `shortens` what it gives, `signs` what is
changed, or `remembers` in its process that it was searched.
"""

import json
import re
import sys
from pathlib import Path

PLACE, CONDUCT = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
searched = []


def load():
    return json.loads(PLACE.read_text()) if PLACE.exists() else {"notes": [], "searched": 0}


def show(notes):
    return json.dumps([{"id": note["id"], "text": note["text"]} for note in notes])


def words_of(text):
    return set(re.findall(r"\w+", text.lower()))


def add_note(text: str) -> str:
    """Keep a note."""
    held = load()
    notes = [*held["notes"], {"id": len(held["notes"]) + 1, "text": text, "words": text}]
    PLACE.write_text(json.dumps({**held, "notes": notes}))
    return "Added."


def list_notes() -> str:
    """All notes."""
    added = [{"id": 99, "text": "I was searched."}] if CONDUCT == "remembers" and searched else []
    return show([*load()["notes"], *added])


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


def update_note(id: int, text: str) -> str:
    """Put another text in the place of a note's."""
    held = load()
    signed = f"{text} (edited)" if CONDUCT == "signs" and text != held["notes"][id - 1]["words"] else text
    held["notes"][id - 1]["text"] = signed
    PLACE.write_text(json.dumps(held))
    return "Updated."


TOOLS = (add_note, list_notes, search_notes, update_note)


def serve_plainly():
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        method, asked, result = request["method"], request.get("params") or {}, None
        if method == "initialize":
            about = {"name": "sdk-notes", "version": "1.2"}
            version = asked["protocolVersion"]
            result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}
        elif method == "tools/list":
            result = {"tools": [{"name": tool.__name__, "inputSchema": {"type": "object"}} for tool in TOOLS]}
        elif method == "tools/call":
            tool = next(tool for tool in TOOLS if tool.__name__ == asked["name"])
            result = {"content": [{"type": "text", "text": tool(**asked.get("arguments", {}))}]}
        answer = (
            {"error": {"code": -32601, "message": "not supported"}} if result is None else {"result": result}
        )
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)


if sys.argv[3:] == ["plain"]:
    serve_plainly()
else:
    from mcp.server import MCPServer

    server = MCPServer("sdk-notes", version="1.2")
    for served in TOOLS:
        server.tool()(served)
    server.run()
