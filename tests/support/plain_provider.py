"""A provider on this machine for agents that are processes: it answers each request by a function of it."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answers = Callable[[str], tuple[int, str]]
"""Of all that a request says: a status, and the reply's text."""
KEY = "the-user's-own-key"


@dataclass
class PlainProvider:
    """Its address, and the keys and bodies that came."""

    url: str
    keys: list[str | None] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)


@contextmanager
def plain_provider(answers: Answers) -> Iterator[PlainProvider]:
    """Messages of Anthropic's; each reply has used 100 tokens in and 10 out."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            provider.keys.append(self.headers["x-api-key"])
            provider.bodies.append(body)
            status, text = answers(json.dumps(body, ensure_ascii=False))
            reply = {
                "id": "1",
                "type": "message",
                "role": "assistant",
                "model": body["model"],
                "content": [{"type": "text", "text": text}],
                "stop_reason": "end_turn",
                "usage": {"input_tokens": 100, "output_tokens": 10},
            }
            raw = json.dumps(
                reply if status == 200 else {"type": "error", "error": {"message": text}}
            ).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider = PlainProvider(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
