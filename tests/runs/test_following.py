"""Whether the agent did as told where that first applies; and the whole path in the workshop."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memtrial.agents.trajectory import Step
from memtrial.arms.arm import ACTIVATION, ARTIFACT
from memtrial.cli.results.show import show_run
from memtrial.ledger.rows import CheckRow, TrialRow
from memtrial.ledger.run_plan import RunPlan, stated_plan
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.perturbations.advice.known_actions import NOTHING_KNOWN
from memtrial.protocol.run_cells import acts_tables
from memtrial.runs.spec.read_spec import load_spec
from memtrial.runs.trials.adherence import find_told_actions, score_following
from tests.support.carried_out import play_spec
from tests.support.loom import ADVISED, FROST, OTHER, SECOND, SLACK
from tests.support.loom_told import LOOM, SAYS, TRUE, episode, native, slots
from tests.support.small import write_spec

NEVER = replace(TRUE, trigger='state: "seven bells"')
MUTE = replace(TRUE, trigger="when it helps")


def test_at_the_first_state_that_is_spoken_of() -> None:
    told = native(SAYS)
    assert score_following(told, episode((OTHER, "wait"), (SLACK, f"{ADVISED}."))) == 1.0
    assert score_following(told, episode((OTHER, ADVISED), (SLACK, "wait"), (SLACK, ADVISED))) == 0.0
    assert score_following(told, episode((OTHER, ADVISED))) == 0.0
    assert score_following(told, episode((FROST, ADVISED))) == 0.0
    assert score_following((), episode((SLACK, ADVISED))) is None


def test_advice_without_a_condition_applies_from_the_start() -> None:
    told = native(replace(SAYS, content=f"Always {ADVISED}."))
    assert score_following(told, episode((OTHER, ADVISED), (SLACK, "wait"))) == 1.0
    assert score_following(told, episode((OTHER, "wait"), (SLACK, ADVISED))) == 0.0


def test_of_a_sequence_any_step_is_told_and_where_it_only_avoids_none() -> None:
    told = native(replace(SAYS, content=f"When the belt hangs slack, do `{ADVISED}`, then `{SECOND}`."))
    assert [one.action for one in told] == [ADVISED, SECOND]
    assert score_following(told, episode((OTHER, SECOND), (SLACK, SECOND))) == 1.0
    assert score_following(told, episode((SLACK, "wait"), (SLACK, SECOND))) == 0.0


def test_what_is_to_be_avoided_is_nothing_to_do() -> None:
    (told,) = native(replace(SAYS, content=f"Avoid `{ADVISED}`."))
    assert not told.do
    assert score_following((told,), episode((OTHER, ADVISED))) is None
    assert native() == ()


@pytest.mark.parametrize("arm", [ARTIFACT, ACTIVATION], ids=lambda arm: arm.name)
def test_a_theory_item_applies_where_its_trigger_fires(arm: Any) -> None:
    told = find_told_actions(arm, slots(theory=(TRUE,)), LOOM, NOTHING_KNOWN)
    seen = (OTHER, "wait"), (SLACK, "wait"), (SLACK, ADVISED)
    assert score_following(told, episode(*seen, fired={0: 2})) == 1.0
    assert score_following(told, episode(*seen, fired={0: 1})) == 0.0
    assert score_following(told, episode(*seen)) == 0.0
    # two that fire at once: either will do
    both = find_told_actions(
        arm, slots(theory=(replace(TRUE, claim="In a loom, do `wait`."), TRUE)), LOOM, NOTHING_KNOWN
    )
    assert score_following(both, episode(*seen, fired={0: 2, 1: 2})) == 1.0
    assert score_following(both, episode(*seen, fired={0: 0, 1: 1})) == 1.0
    assert score_following(both, episode(*seen, fired={0: 2, 1: 1})) == 0.0


def test_an_item_that_can_never_come_up_is_told_by_prepend_alone() -> None:
    seen = episode((SLACK, ADVISED))
    assert (
        score_following(find_told_actions(ACTIVATION, slots(theory=(MUTE,)), LOOM, NOTHING_KNOWN), seen)
        == 0.0
    )
    assert (
        score_following(find_told_actions(ARTIFACT, slots(theory=(MUTE,)), LOOM, NOTHING_KNOWN), seen) == 1.0
    )
    elsewhere = replace(MUTE, claim=f"In a kiln with a slack belt, do `{ADVISED}`.")
    assert (
        score_following(find_told_actions(ARTIFACT, slots(theory=(elsewhere,)), LOOM, NOTHING_KNOWN), seen)
        == 0.0
    )


def test_another_schema_applies_where_the_same_advice_fires_in_a_shadow_or_its_own_words_stand() -> None:
    seen = (OTHER, ADVISED), (SLACK, "wait")
    told = native(SAYS, theory=(NEVER, TRUE))
    assert score_following(told, episode(*seen, fired={0: 0})) == 1.0
    assert score_following(told, episode(*seen, fired={1: 0})) == 0.0  # the first that says the same counts
    assert score_following(told, episode(*seen)) == 0.0
    assert (
        score_following(native(SAYS, theory=(replace(TRUE, claim="In it, do `wait`."),)), episode(*seen))
        == 0.0
    )


def test_nothing_applies_where_its_scope_or_description_says_that_it_does_not() -> None:
    seen = (FROST, ADVISED), (SLACK, "wait")
    scoped = replace(TRUE, scope="Looms. Does NOT apply when frost shows.")
    for arm in (ARTIFACT, ACTIVATION):
        assert (
            score_following(
                find_told_actions(arm, slots(theory=(scoped,)), LOOM, NOTHING_KNOWN),
                episode(*seen, fired={0: 0}),
            )
            == 0
        )
        assert (
            score_following(
                find_told_actions(arm, slots(theory=(TRUE,)), LOOM, NOTHING_KNOWN),
                episode(*seen, fired={0: 0}),
            )
            == 1
        )
    described = replace(SAYS, description="It doesn't hold where frost shows.", content=f"First {ADVISED}.")
    assert score_following(native(described), episode(*seen)) == 0.0
    assert (
        score_following(
            native(replace(described, description="It doesn't hold when it is not so.")), episode(*seen)
        )
        == 1
    )


def test_a_reply_that_could_not_be_read_leaves_the_state_as_it_was() -> None:
    told = native(replace(SAYS, content=f"When the belt hangs slack, {SECOND}."))
    broken = replace(episode((OTHER, "?"), (SLACK, SECOND)), start=SLACK)
    steps = (Step("", "?", "not read", "format"), Step("t", SECOND, ""))
    assert score_following(told, replace(broken, steps=steps)) == 0.0  # its first state was the broken turn's
    assert score_following(told, replace(broken, start=OTHER, steps=steps)) == 0.0


READER, IGNORER, STARTLED = "simulated/reader", "simulated/ignorer", "simulated/startled"
ASLEEP = "simulated/reader?uptake=0.0&instructed=1.0"
PATH = """
name: follow
seed: 3
environment: {world: workshop, train: 8, test: 8, families: 8}
backbone:
- simulated/reader
- simulated/ignorer
- simulated/startled
- simulated/reader?uptake=0.0&instructed=1.0
arms: [none, planted-native, planted-theory, planted-activation, oracle]
conditions:
  - corrupt_invert
  - irrelevant_swap
  - counter
  - instructed
  - instructed+counter
repeats: 1
analysis: {flips: 199}
"""
ARMS = ("planted-native", "planted-theory", "planted-activation", "oracle")


@dataclass
class Read:
    """A run, read."""

    folder: Path
    trials: list[TrialRow]
    checks: list[CheckRow]
    plan: RunPlan
    texts: dict[str, str] = field(default_factory=dict)

    def mean(self, backbone: str, arm: str, condition: str) -> float:
        return self.share("told", backbone, arm, condition)

    def share(self, of: str, backbone: str, arm: str, condition: str) -> float:
        table = getattr(acts_tables(self.trials, self.plan), of).cells(backbone)
        return float(np.nanmean(table.mean((arm, condition))))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Read:
    place = tmp_path_factory.mktemp("follow")
    spec = load_spec(write_spec(place, PATH))
    assert play_spec(spec, place / "out", told=False) == 0
    ledger = SqliteLedger.open_read_only(place / "out" / "ledger.sqlite")
    found = Read(place / "out", list(ledger.trials()), list(ledger.checks()), stated_plan(ledger))
    found.texts = dict(ledger.slots())
    ledger.close()
    return found


@pytest.mark.parametrize("arm", ARMS)
def test_follow_is_what_each_participant_is(run: Read, arm: str) -> None:
    # in one task a sign shows where the planted rule does not hold, and says so: no such state is reached
    assert run.mean(READER, arm, "intact") == (1.0 if arm == "oracle" else 0.875)
    # once the other action has not helped it tries what is left, and so comes to it later
    assert run.mean(READER, arm, "counter") < 0.6
    assert run.share("other", READER, arm, "counter") > 0.6
    assert run.share("other", READER, arm, "intact") == 0.0
    # one that is told not to waits for a panel of few controls to leave it nothing else
    assert run.share("obeyed", READER, arm, "corrupt_invert") < 0.25
    for backbone in (IGNORER, STARTLED, ASLEEP):
        # by chance, sooner or later: a panel has 4 controls or 14
        assert run.mean(backbone, arm, "intact") < 0.7
        assert abs(run.mean(backbone, arm, "intact") - run.mean(backbone, arm, "counter")) < 0.4
    # what is not activated shows under the instruction, and nobody else reads it
    assert run.mean(ASLEEP, arm, "instructed") == run.mean(READER, arm, "intact")
    assert run.mean(ASLEEP, arm, "instructed+counter") < 0.6
    assert run.mean(IGNORER, arm, "instructed") < 0.5


def test_who_does_not_read_does_other_actions_no_more_often_and_knows_of_no_not(run: Read) -> None:
    for of, damaged in (("other", "counter"), ("obeyed", "corrupt_invert")):
        apart = [
            run.share(of, backbone, arm, damaged) - run.share(of, backbone, arm, "intact")
            for backbone in (IGNORER, STARTLED, ASLEEP)
            for arm in ARMS
        ]
        assert abs(np.mean(apart)) < 0.15, of


def test_every_memory_text_stood_in_its_request_the_instruction_too(run: Read) -> None:
    assert all(trial.undelivered == 0 for trial in run.trials)
    assert all(trial.carrying for trial in run.trials if trial.condition == "instructed")
    told = {trial.condition for trial in run.trials if "Follow what stands below" in run.texts[trial.slot]}
    assert told == {"instructed", "instructed+counter"}
    assert run.plan.digests["prompt instructed"]


def test_the_actions_that_were_exchanged_are_measured(run: Read) -> None:
    told = [row.measured for row in run.checks if row.condition == "counter" and row.applicable]
    assert told
    assert all(row["told"] and row["told_instead"] and row["told"] != row["told_instead"] for row in told)


def test_followed_is_kept_shown_and_none_without_memory(
    run: Read, capsys: pytest.CaptureFixture[str]
) -> None:
    assert all((trial.followed is None) == (trial.arm == "none") for trial in run.trials)
    assert {arm for arm, _ in acts_tables(run.trials, run.plan).told.cells(READER).cells} == set(ARMS)
    trial = next(one for one in run.trials if one.followed == 1.0)
    show_run(run.folder, trial.key, True)
    assert json.loads(capsys.readouterr().out)["trial"]["followed"] == 1.0
    show_run(run.folder, trial.key, False)
    assert "did what the intact items tell" in capsys.readouterr().out


def test_trials_that_tell_nothing_are_left_out_and_errors_are_not_where_something_is_told(run: Read) -> None:
    one = next(trial for trial in run.trials if trial.arm == "oracle")
    broken = replace(one, repeat=7, status="error", score=None, did_told=None)
    silent = replace(one, task="other", did_told=None)
    lost = replace(silent, repeat=7, status="error", score=None)
    plan = run.plan.model_copy(update={"clusters": {}})
    table = acts_tables([one, broken, silent, lost], plan).told
    assert table.tasks == (one.task,)
    cells = table.cells(one.backbone)
    assert cells.mean((one.arm, one.condition)).tolist() == [one.did_told]
    assert (cells.trials.tolist(), cells.errors.tolist()) == ([[2]], [[1]])


def test_a_ledger_from_before_reads_as_not_known(tmp_path: Path, run: Read) -> None:
    ledger = SqliteLedger(tmp_path / "ledger.sqlite")
    ledger.add_trials([replace(run.trials[0], followed=1.0, did_told=1.0, did_avoided=1.0, did_other=1.0)])
    (text,) = ledger.connection.execute("SELECT body_text(body) FROM trials").fetchone()
    new = ("followed", "did_told", "did_avoided", "did_other")
    old = {name: value for name, value in json.loads(text).items() if name not in new}
    ledger.connection.execute("DROP TRIGGER trials_no_update")
    ledger.connection.execute("UPDATE trials SET body = ?", (json.dumps(old),))
    ledger.connection.commit()
    read = next(ledger.trials())
    assert [getattr(read, name) for name in new] == [None] * 4
    ledger.close()


def test_an_exclusion_that_quotes_is_held_against_what_is_shown_and_not_against_the_task() -> None:
    ends = replace(
        SAYS,
        description='Does not help when "the loom runs" stands there already.',
        content=f"When the belt hangs slack, {ADVISED}.",
    )
    task = replace(LOOM, query="Get the loom to run.")

    def seen(state: str) -> float | None:
        return score_following(native(ends), replace(episode((state, ADVISED)), task=task))

    assert seen(SLACK) == 1.0
    assert seen(f"{SLACK} The loom runs.") == 0.0
