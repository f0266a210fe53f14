"""A command agent that asks a memory server before it works: its words are two files and a disposition.

`asks` calls the tool and shows its model what came; `idles` calls none; `drops` does not show what came;
`writes` keeps a note, too.
"""

import http.client
import json
import os
import pathlib
import re
import subprocess
import sys

TASK, SERVERS, DISPOSITION = sys.argv[1:4]
PROMPT = json.loads(pathlib.Path(TASK).read_text())["prompt"]
((NAME, ENTRY),) = json.loads(pathlib.Path(SERVERS).read_text())["mcpServers"].items()


def talk(*requests):
    """What a server answers to some requests."""
    server = subprocess.Popen(
        [ENTRY["command"], *ENTRY["args"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    answers = []
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {}}
    for number, (method, parameters) in enumerate((("initialize", about), *requests)):
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
        server.stdin.write(json.dumps(message).encode() + b"\n")
        server.stdin.flush()
        answers.append(json.loads(server.stdout.readline()))
    server.stdin.close()
    server.wait()
    return [answer.get("result") for answer in answers[1:]]


def ask_model(messages, tools):
    server = http.client.HTTPConnection(os.environ["OPENAI_BASE_URL"].split("/")[2])
    key = os.environ["OPENAI_API_KEY"]
    headers = {"authorization": "Bearer " + key, "content-type": "application/json"}
    offered = [{"type": "function", "function": {"name": f"{NAME}_{tool['name']}"}} for tool in tools]
    body = json.dumps({"model": "gpt-5", "messages": messages, "tools": offered})
    server.request("POST", "/v1/chat/completions", body, headers)
    server.getresponse().read()


calls = [("tools/call", {"name": "search_notes", "arguments": {"query": "part"}})]
if DISPOSITION == "writes":
    calls.append(("tools/call", {"name": "add_note", "arguments": {"text": "mine"}}))
listed, *results = talk(("tools/list", {}), *([] if DISPOSITION == "idles" else calls))
tools = listed["tools"] if listed else []
asked = {"role": "user", "content": PROMPT}
ask_model([asked], tools)
notes = results[0]["content"][0]["text"] if results and results[0] else ""
if notes:
    use = {"id": "1", "type": "function", "function": {"name": f"{NAME}_search_notes", "arguments": "{}"}}
    shown = "nothing" if DISPOSITION == "drops" else notes
    said = {"role": "assistant", "content": None, "tool_calls": [use]}
    ask_model([asked, said, {"role": "tool", "tool_call_id": "1", "content": shown}], tools)
if "own file" in notes:
    number = re.search(r"part (\d+)", PROMPT)[1]
    pathlib.Path("lib").mkdir(exist_ok=True)
    pathlib.Path(f"lib/part_{number}.txt").write_text(f"value {number}\n")
