"""`perturb` with a model that writes: the command line."""

import json
from pathlib import Path

from tests.cli.conftest import Call

WRITER, JUDGE = "simulated/perturber?hit=1", "simulated/decider?hit=1&noise=0"


def test_the_command_says_who_wrote_and_that_it_is_simulated(tmp_path: Path, call: Call) -> None:
    (tmp_path / "items.md").write_text("When the lid is shut, press the stud. When it rains, pull the chain.")
    models = ("--model", WRITER, "--judge", JUDGE)
    shown = call("perturb", "items.md", "--kind", "corrupt_invert", *models, "--json", cwd=tmp_path)
    assert shown.code == 0, shown.err
    assert "simulated: for trying out" in shown.err
    (slot,) = json.loads(shown.out)
    assert (slot["written_by"], slot["vouched_by"], slot["tries"]) == (WRITER, JUDGE, 1)
    assert slot["passed"]
    refused = call("perturb", "items.md", "--kind", "filler", "--judge", JUDGE, cwd=tmp_path)
    assert (refused.code, refused.out) == (2, "")
    assert "name the model" in refused.err
