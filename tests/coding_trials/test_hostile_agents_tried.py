"""Agents that mean harm, tried: the trial is counted or an error in a line, and nothing of it is left."""

from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.coding_trials.work_records import read_work_records
from memtrial.commands.sandbox import find_sandbox
from memtrial.models.client.types import ModelFault
from memtrial.repositories.coding_task import CodingTask
from tests.coding_trials.test_coding_agent import play_one
from tests.support.guarded import make_guard, state_of
from tests.support.left_processes import left, odd_seconds
from tests.support.made_repository import mine_in
from tests.support.tried_agent import MINING, answered, make_library

SANDBOX = find_sandbox("auto")
SOLVE = "mkdir -p lib && (cd lib && echo 'value 1' > part_1.txt)"
PATHS = '"$OPENAI_BASE_URL/../../etc/passwd" "$OPENAI_BASE_URL/chat/completions" "$OPENAI_BASE_URL"'
KEY_SENT = '-H "authorization: Bearer $OPENAI_API_KEY"'
SEND = f'curl -s -o /dev/null --max-time 5 --data-binary @- {KEY_SENT} "$path"'
RUBBISH = f"for path in {PATHS}; do head -c 300000 /dev/zero | {SEND}; done"
# what removes runs where the folder of a trial is, and nowhere else
UNHOUSE = 'case "$HOME" in */work-*/home) rm -rf "$HOME" "$TMPDIR";; esac'
ACTS = {
    "daemons": "(setsid sleep WORD > /dev/null 2>&1 &); (trap '' TERM HUP; sleep WORD) > /dev/null 2>&1 &",
    "its own group": "trap '' TERM; (sleep WORD &) ; SOLVE; kill -TERM 0",
    "much printed": "head -c 20000000 /dev/zero | tr '\\0' 'x'",
    "a token changed": "export OPENAI_API_KEY=sk-other; cat /dev/null > ../given/task.json",
    "its home": UNHOUSE,
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_library(tmp_path_factory.mktemp("hostile") / "library", 1)


@pytest.fixture(scope="module")
def task(library: Path) -> CodingTask:
    return mine_in(library, 1, MINING).tasks[0]


@pytest.mark.parametrize("name", ACTS)
def test_its_work_counts_and_nothing_of_it_is_left(
    library: Path, task: CodingTask, tmp_path: Path, name: str
) -> None:
    word, before = odd_seconds(), state_of(library)
    act = ACTS[name].replace("WORD", word).replace("SOLVE", SOLVE)
    with answered() as (url, _):
        episode = play_one(library, task, tmp_path, f"{SOLVE}; {act}", url=url)
    assert (episode.outcome.success, episode.outcome.cause) == (True, "")
    assert left(word) == []
    assert state_of(library) == before
    assert len(read_work_records(tmp_path)) == 1


def test_rubbish_that_no_model_answers_is_an_error_in_a_line(
    library: Path, task: CodingTask, tmp_path: Path
) -> None:
    with answered() as (url, answers), pytest.raises(ModelFault, match="none of 3 requests") as raised:
        play_one(library, task, tmp_path, f"{SOLVE}; {RUBBISH}", url=url)
    assert "\n" not in str(raised.value)
    assert answers.requests == []


@pytest.mark.skipif(not SANDBOX.program, reason=f"there is no sandbox here: {SANDBOX.why}")
def test_it_sees_no_history_and_writes_nowhere_else(library: Path, task: CodingTask, tmp_path: Path) -> None:
    guard = make_guard(tmp_path / "guard")
    before = state_of(library), state_of(guard)
    act = (
        f"git --git-dir {library}/.git log > /dev/null 2>&1 && exit 3; ls {library}/.git; touch {library}/new"
        f" {guard}/new ../../new; echo x > {guard}/mine.txt; cat {guard}/mine.txt; pwd; echo end"
    )
    checks = replace(MINING.terms, sandbox=SANDBOX)
    play_one(library, task, tmp_path / "run", f"{SOLVE}; {act}", checks=checks)
    printed = next((tmp_path / "run").glob("work/*/printed.txt")).read_text()
    assert printed.splitlines()[-1] == "end"
    assert "Value" not in printed
    # the folder beside is named in full, and may be read
    assert "mine" in printed.splitlines()
    assert not any(line in ("objects", "HEAD") for line in printed.splitlines())
    assert (state_of(library), state_of(guard)) == before
