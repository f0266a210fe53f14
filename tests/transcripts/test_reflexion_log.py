"""Logs in the layout of Reflexion's: sections state outcomes, what was shown of earlier trials is no step."""

import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from memtrial.transcripts.log_question import LogQuestion
from memtrial.transcripts.logged_run import LogReading
from memtrial.transcripts.reflexion_log import read

REFLEXION = os.environ.get("REFLEXION")
AGENT = """\
Question: What is {0}?{shown}
Thought 1: I look for {0}.
Action 1: Search[{0}]
Observation 1: {0} is a word.
It has letters.
Thought 2: So it is.
Action 2: Finish[{0}]
Observation 2: Answer is {verdict}
Correct answer: word
"""
HALTED = AGENT.replace(
    "Thought 2: So it is.\nAction 2: Finish[{0}]\nObservation 2: Answer is {verdict}\n", ""
)
SHOWN = " You have attempted to answer following question before.\nReflections:\n- I erred."
BLUE = AGENT.format("blue", shown=SHOWN, verdict="INCORRECT")
LOG = f"""
########################################
BEGIN TRIAL 2
Trial summary: Correct: 1, Incorrect: 1, Halted: 1
#######################################
------------- BEGIN CORRECT AGENTS -------------

{AGENT.format("red", shown="", verdict="CORRECT")}
------------- BEGIN INCORRECT AGENTS -----------

{BLUE}
------------- BEGIN HALTED AGENTS --------------

{HALTED.format("green", shown="", verdict="")}
{BLUE}
"""


def reading(folder: Path, text: str) -> LogReading:
    (folder / "log.txt").write_text(text)
    return read(folder / "log.txt", LogQuestion())


def test_sections_state_the_outcome(tmp_path: Path) -> None:
    found = reading(tmp_path, LOG)
    stated = [(run.query, run.outcome, run.source, len(run.turns)) for run in found.runs]
    assert stated == [
        ("What is red?", "success", "section CORRECT", 2),
        ("What is blue?", "failure", "section INCORRECT", 2),
        ("What is green?", "failure", "section HALTED", 1),
    ]
    assert found.records == 4
    first = found.runs[0].turns[0]
    assert (first.thought, first.action) == ("I look for red.", "Search[red]")
    assert first.observation == "red is a word.\nIt has letters."


def test_what_does_not_add_up_is_said(tmp_path: Path) -> None:
    left = reading(tmp_path, LOG).left_out
    assert left["agents that a trial lists twice, as incorrect and as halted"] == 1
    assert left["heading of trial 2 that says 1 halted where 2 are listed"] == 1
    assert left["texts of earlier trials that an agent was shown"] == 2


def test_an_earlier_trial_that_is_quoted_is_no_step(tmp_path: Path) -> None:
    quoted = "Question: What is old?\nThought: Old.\nAction: Finish[old]\nObservation: Answer is INCORRECT\n"
    own = "Question: What is new?\nThought: New.\nAction: Finish[new]\nObservation: Answer is CORRECT\n"
    head = "------------- BEGIN CORRECT AGENTS -------------\n\n"
    told = "You have attempted to answer the question.\n"
    before = f"{head}{told}{quoted}(END PREVIOUS TRIAL)\n\n{own}Correct answer: new\n"
    after = f"{head}{own}Reflections: \n{quoted.partition(chr(10))[2]}Correct answer: new\n"
    for text in (before, after):
        (run,) = reading(tmp_path, text).runs
        assert run.query == "What is new?"
        assert [turn.action for turn in run.turns] == ["Finish[new]"]


def test_a_log_without_answers_is_read_by_its_questions(tmp_path: Path) -> None:
    text = "\n".join(line for line in LOG.splitlines() if not line.startswith("Correct answer"))
    assert len(reading(tmp_path, text).runs) == 3


@pytest.mark.skipif(not REFLEXION, reason="REFLEXION=<git folder of noahshinn/reflexion> reads its own logs")
def test_the_logs_of_the_paper_hold_what_their_headings_say(tmp_path: Path) -> None:
    name = "hotpotqa_runs/root/ReAct/reflexion/100_questions_5_trials.txt"
    text = subprocess.run(
        ["git", "-C", str(REFLEXION), "show", f"HEAD:{name}"], capture_output=True, check=True, text=True
    ).stdout
    found = reading(tmp_path, text)
    trials = Counter((run.name.split("/")[1], run.source.removeprefix("section ")) for run in found.runs)
    sizes = [[trials[f"{n}", word] for word in ("CORRECT", "INCORRECT", "HALTED")] for n in (1, 2, 3, 4, 5)]
    assert sizes == [[32, 51, 17], [42, 43, 14], [48, 41, 11], [50, 39, 11], [51, 35, 13]]
