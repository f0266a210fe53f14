"""Episodes are packed by block: what one block lost is never missed in another."""

from dataclasses import replace

from memtrial.ledger.rows import EpisodeRow, TrialRow
from memtrial.ledger.sqlite.episode_packs import pack_episodes
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger

TRIAL = TrialRow("k", "b", "control", "intact", "t", "f", 0, "success", 1.0, "", "", False, "")


def said(key: str) -> EpisodeRow:
    step = {"thought": "", "action": key, "observation": "", "fault": ""}
    return EpisodeRow(key, ({"role": "user", "content": f"line\n{key}"},), (step,), (), "begun")


def test_a_pack_holds_one_block_alone_and_every_episode_comes_back(tmp_path):
    rows = [replace(TRIAL, key=f"{task}{n}", task=task) for task in ("x", "y") for n in range(3)]
    episodes = [said(row.key) for row in rows]
    assert [len(body) > 3 for _, body in pack_episodes(rows, episodes)] == [True, False, False] * 2
    ledger = SqliteLedger(tmp_path / "ledger.sqlite")
    ledger.add_trials(rows, episodes)
    assert [ledger.episode(row.key) for row in rows] == episodes
    assert [(key, steps[0]["action"]) for key, steps in ledger.steps()] == [(r.key, r.key) for r in rows]
    # the steps are read alone, up to what follows them: not where one of them holds the like
    own = {"action": "x", "drawn": [], "conversation": []}
    ledger.add_trials([replace(TRIAL, key="own")], [replace(said("own"), steps=(own,))])
    assert dict(ledger.steps())["own"] == [own]
    ledger.close()
