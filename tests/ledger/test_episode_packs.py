"""Episodes are packed by block: what one block lost is never missed in another."""

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from memtrial.ledger.row_text import read_mapping, text_of, write_body
from memtrial.ledger.rows import EpisodeRow, TrialRow
from memtrial.ledger.sqlite.episode_packs import pack_episodes
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger

TRIAL = TrialRow("k", "b", "control", "intact", "t", "f", 0, "success", 1.0, "", "", False, "")


def said(key: str) -> EpisodeRow:
    step = {"thought": "", "action": key, "observation": "", "fault": ""}
    return EpisodeRow(key, ({"role": "user", "content": f"line\n{key}"},), (step,), (), "begun")


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.text(max_size=3), JSON_VALUES, max_size=4))
def test_a_body_says_what_it_was_made_of_and_stays_on_one_line(values):
    assert read_mapping(write_body(values)) == json.loads(text_of(values)) == values
    assert b"\n" not in write_body(values)


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
