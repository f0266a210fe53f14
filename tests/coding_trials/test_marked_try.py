"""Memory that the agent itself puts between marks: its model sees what the condition shows."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import memtrial as mt
from memtrial.api.coding.memory_choice import read_choice
from memtrial.api.coding.try_agent import TryEnd, prepare_try
from memtrial.coding_agents.shipped_agents import find_agent
from memtrial.faults import SpecFault
from memtrial.ledger.open_ledger import open_ledger_to_read
from memtrial.models.client.types import Request
from memtrial.models.scripted.coding.coding_answers import CodingAnswers
from memtrial.models.scripted.coding.dispositions import FileEdit, ScriptedTask, read_all
from memtrial.models.scripted.protocol import ScriptedAnswer
from memtrial.models.scripted.scripted_server import Script, serve_script
from tests.support.tried_agent import KEY, LESSON, NOTES, make_library, mining_in, texts_in

MARKS = ("<<notes>>", "<</notes>>")
AGENT = f"""
import http.client, json, os, pathlib, re, sys

prompt = json.loads(pathlib.Path(sys.argv[1]).read_text())["prompt"]
notes = pathlib.Path("AGENTS.md").read_text()
opening, closing = sys.argv[2:4]
server = http.client.HTTPConnection(os.environ["OPENAI_BASE_URL"].split("/")[2])
system = f"Begin. {{opening}}\\n{{notes}}{{closing}} End."
messages = [{{"role": "system", "content": system}}, {{"role": "user", "content": prompt}}]
body = json.dumps({{"model": "gpt-5", "messages": messages}})
key = os.environ["OPENAI_API_KEY"]
headers = {{"authorization": "Bearer " + key, "content-type": "application/json"}}
server.request("POST", "/v1/chat/completions", body, headers)
reply = json.loads(server.getresponse().read())
if {LESSON!r} in reply["choices"][0]["message"]["content"]:
    number = re.search(r"part (\\d+)", prompt)[1]
    pathlib.Path("lib").mkdir(exist_ok=True)
    pathlib.Path(f"lib/part_{{number}}.txt").write_text(f"value {{number}}\\n")
"""


@dataclass
class Echo:
    """Says what its system prompt says."""

    asked: list[str] = field(default_factory=list)

    async def say(self, request: Request, repeat: int) -> ScriptedAnswer:
        self.asked += [message.text for message in request.messages if message.role == "system"]
        return ScriptedAnswer(self.asked[-1])


@contextmanager
def echoing() -> Iterator[tuple[str, Echo]]:
    echo = Echo()
    with serve_script(Script(echo)) as server:
        yield server.url, echo


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_library(tmp_path_factory.mktemp("marked") / "library", 2)
    (folder / "sender.py").write_text(AGENT)
    return folder


def try_it(library: Path, url: str, out: Path, closing: str = MARKS[1]) -> TryEnd:
    words = f"python -S {library / 'sender.py'} {{task_file}} '{MARKS[0]}' '{closing}'"
    options = mt.TryOptions(
        out=out, conditions=("filler",), limit=1, report=False, base_urls=(f"openai={url}/v1",), marks=MARKS,
        environment={"OPENAI_API_KEY": KEY},
    )  # fmt: skip
    return mt.try_agent(
        words, f"marker:{library / 'AGENTS.md'}", "git:2", library, options, mining_in(library)
    )


def test_a_command_s_own_span_is_the_condition_s_and_its_marks_reach_no_model(
    library: Path, tmp_path: Path
) -> None:
    with echoing() as (url, echo):
        end = try_it(library, url, tmp_path / "run")
    assert {cost.condition: cost.solved for cost in end.costs} == {
        "without": 0.0,
        "intact": 1.0,
        "filler": 0.0,
    }
    assert end.run.results is not None
    delivery = end.run.results.delivery
    assert delivery is not None
    assert (delivery.carrying, delivery.undelivered, delivery.words) == (2, 0, {"given": 2})
    assert not any(mark in text for text in echo.asked for mark in MARKS)
    intact, without = f"Begin. \n{NOTES.strip()}\n End.", "Begin.  End."
    assert {intact, without} < set(echo.asked)
    assert all(text.startswith("Begin. ") and text.endswith(" End.") for text in echo.asked)


def test_marks_without_a_partner_make_the_trial_an_error_that_says_so(library: Path, tmp_path: Path) -> None:
    with echoing() as (url, echo):
        end = try_it(library, url, tmp_path / "run", closing="<</n>>")
    assert not echo.asked
    assert end.run.results is not None
    assert {cell.n_errors for cell in end.run.results.cells} == {1}
    ledger = open_ledger_to_read(tmp_path / "run" / "ledger.sqlite")
    try:
        causes = {trial.cause for trial in ledger.trials()}
    finally:
        ledger.close()
    assert all("<<notes>> in messages.0.content has no <</notes>>" in cause for cause in causes)


def test_where_nothing_can_be_marked_nothing_is_begun(library: Path, tmp_path: Path) -> None:
    with pytest.raises(SpecFault, match=r"a mark has 4 to 100 characters"):
        read_choice(f"marker:{library / 'AGENTS.md'}", ("[", "]"), {})
    if shutil.which("claude") is None:
        return
    options = mt.TryOptions(out=tmp_path / "run", environment={"ANTHROPIC_API_KEY": KEY})
    with pytest.raises(SpecFault, match=r"neither AGENTS\.md nor a task has them; put them around"):
        prepare_try(
            "claude", f"marker:{library / 'AGENTS.md'}", "git:2", library, options, mining_in(library)
        )


def test_a_file_with_marks_is_shown_whole_and_what_stands_between_them_is_on_trial(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("# Own\n[[memory]]\nPour.\n[[/memory]]\nand [[memory]]Boil.[[/memory]]\n")
    choice = read_choice(f"marker:{path}", ("[[memory]]", "[[/memory]]"), {})
    for record, command in ((find_agent("claude"), ""), (None, "run")):
        made = choice.carry(record, command)
        assert (made.way, made.given, made.file.text) == ("marker", ("Pour.", "Boil."), "Pour.\n\nBoil.")
        assert made.marked is not None
        assert (made.marked.whole, made.file.path) == (path.read_text(), "CLAUDE.md")
    path.write_text("[[memory]]\nPour.\n<!-- hidden -->\n[[/memory]]")
    with pytest.raises(SpecFault, match=r"client changes a part of CLAUDE\.md, as a comment"):
        choice.carry(find_agent("claude"), "")
    for text, why in (("[[memory]] a", "without closing mark"), ("[[memory]] [[/memory]]", "stands nothing")):
        path.write_text(text)
        with pytest.raises(SpecFault, match=why):
            choice.carry(None, "run")


@pytest.mark.parametrize(
    ("agent", "provider", "variable"),
    [("claude", "anthropic", "ANTHROPIC_API_KEY"), ("codex", "openai", "OPENAI_API_KEY")],
)
def test_marks_in_a_memory_file_of_a_real_agent(
    agent: str, provider: str, variable: str, tmp_path: Path
) -> None:
    if shutil.which(agent) is None:
        pytest.skip(f"not here: {find_agent(agent).install}")
    library = make_library(tmp_path / "library", 1)
    name = "CLAUDE.md" if agent == "claude" else "AGENTS.md"
    (library / name).write_text(
        f"# House rules\n\nBe brief.\n\n[[memory]]\n{NOTES}[[/memory]]\n\nThat is all.\n"
    )
    task = ScriptedTask(
        prompt="Give part 1 its value",
        solution=(FileEdit("lib/part_1.txt", "value 1"),),
        wrong=(FileEdit("notes.txt", "?"),),
        lesson=LESSON,
    )
    with serve_script(Script(CodingAnswers((task,), read_all))) as server:
        url = server.url if provider == "anthropic" else f"{server.url}/v1"
        options = mt.TryOptions(
            model="sonnet" if agent == "claude" else "gpt-5", out=tmp_path / "run", conditions=("filler",),
            base_urls=(f"{provider}={url}",), environment={variable: KEY}, report=False,
        )  # fmt: skip
        end = mt.try_agent(agent, f"marker:{library / name}", "git:1", library, options, mining_in(library))
    assert {cost.condition: cost.solved for cost in end.costs} == {
        "without": 0.0,
        "intact": 1.0,
        "filler": 0.0,
    }
    assert end.run.results is not None
    delivery = end.run.results.delivery
    assert delivery is not None
    assert (delivery.words, delivery.undelivered, delivery.handed) == ({"given": 2}, 0, 0)
    tokens = {cost.condition: cost.tokens for cost in end.costs}
    assert tokens["intact"] > tokens["without"] > 0
    assert not any(KEY.encode() in text for text in texts_in(tmp_path / "run"))
    sent = [path.read_text() for path in (tmp_path / "run").glob("work/*/requests/bodies/*")]
    asked = [text for text in sent if "House rules" in text]
    assert len(asked) >= 3
    assert all("That is all." in text for text in asked)
    assert not any(re.search(r"\[\[/?memory\]\]", text) for text in sent)
