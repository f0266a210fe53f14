"""In the place of the process that serves weights: it takes the same order, and answers by a script.

The file of weights says how it does: `dies: N` ends it at its N-th request, `unable` refuses to start.
"""

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from memtrial.models.providers.local.weights_server import CONTROL, wait


def serve(report: int, parent: int) -> None:
    with open(CONTROL, "rb", closefd=False, buffering=0) as control:
        order = json.loads(control.readline())
    conduct = Path(order["path"]).read_text(encoding="utf-8")
    n_requests = 0

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            nonlocal n_requests
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            n_requests += 1
            if conduct == f"dies: {n_requests}" or "poison" in str(body):
                os._exit(9)
            allowed = self.headers["authorization"] == f"Bearer {order['key']}"
            self.send_response(200 if allowed else 401)
            text = json.dumps(_reply(body, order["name"])).encode()
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: Any) -> None:
            print("0.00 I a request", file=sys.stderr, flush=True)

    try:
        if conduct == "unable":
            print("0.00 I loading\n0.01 E load:   unknown architecture\n0.02 E later", file=sys.stderr)
            raise OSError("cannot serve that")
        server = ThreadingHTTPServer(("127.0.0.1", order["port"]), Handler)
    except OSError as fault:
        sys.stderr.flush()
        os.write(report, json.dumps({"why": str(fault)}).encode() + b"\n")
        os._exit(1)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.write(report, json.dumps({"address": f"http://127.0.0.1:{order['port']}"}).encode() + b"\n")
    os.close(report)
    wait(parent)
    os._exit(0)


def _reply(body: dict[str, Any], name: str) -> dict[str, Any]:
    message = {
        "role": "assistant",
        "content": f"heard {body['messages'][-1]['content']}, seed {body['seed']}",
    }
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    return {"id": "1", "object": "chat.completion", "model": name, "choices": [choice], "usage": usage}


if __name__ == "__main__":
    serve(int(sys.argv[1]), int(sys.argv[2]))
