"""The ledger: rows are added, none is changed, and the file itself sees to it."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from memtrial.ledger.row_text import LedgerFault, trial_of
from memtrial.ledger.rows import CheckRow, CondensationRow, DecisionRow, EpisodeRow, TraceRow, TrialRow
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.ledger.sqlite.tables import TABLES

TRIAL = TrialRow(
    key="k1", backbone="b", arm="control", condition="intact", task="t", family="f", repeat=0,
    status="success", score=1.0, cause="", slot="s1", empty_slot=False, record="r",
    firings=({"step": 0, "item": 1, "why": "state: x", "shown": False},),
    calls=3, cached=1, input_tokens=30, output_tokens=9,
)  # fmt: skip
ERROR = replace(TRIAL, status="error", score=None, cause="WorldFault: dead", firings=())
SAID = EpisodeRow(
    key="k1",
    conversation=({"role": "system", "content": "ünï"}, {"role": "user", "content": "o\u2028\n"}),
    steps=({"thought": "ünï", "action": "a", "observation": "o\n", "fault": ""},),
    calls=({"key": "00", "step": 0, "messages": 2, "meant": "", "verbatim": True},),
)
CHECK = CheckRow("b", "control", "filler", "t", 0, True, True, "", "s1", "s2", {"content_words_left": 0.04})
TRACE = TraceRow("b", "t", {"trace_id": "x", "steps": [{"action": "a\u2028"}]})
CONDENSATION = CondensationRow("b", "native", "t", {"items": [], "faults": ["none"]})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.sqlite"


DECISION = DecisionRow("b", "control", "filler", "t", 0, 1, "s1", "press the stüd", "stüd", "")


def filled(path) -> SqliteLedger:
    ledger = SqliteLedger(path)
    ledger.state("identity", {"seed": 1, "arms": ("none", "control")})
    ledger.add_traces([TRACE])
    ledger.add_condensations([CONDENSATION])
    ledger.add_slots({"s1": "Notes\n\nitem"})
    ledger.add_checks([CHECK])
    ledger.add_decisions([DECISION])
    ledger.add_trials([TRIAL], [SAID])
    ledger.add_recollection("b", "mine", "t", {"items": ["ünï\u2028"]})
    ledger.end_session(ledger.begin_session({"budget": None}), "done")
    return ledger


def held(ledger: SqliteLedger):
    return (
        ledger.fact("identity"), ledger.traces("b"), list(ledger.condensations()), ledger.slot("s1"),
        list(ledger.checks()), list(ledger.decisions()), list(ledger.trials()), ledger.finished_keys(),
        ledger.episode("k1"), ledger.recollections("b", "mine"), ledger.sessions(),
    )  # fmt: skip


def test_what_was_added_is_there_and_still_there_after_reopening(path):
    ledger = filled(path)
    before = held(ledger)
    ledger.close()
    ledger = SqliteLedger(path)
    assert held(ledger) == before
    assert before[:-1] == (
        {"seed": 1, "arms": ["none", "control"]}, {"t": TRACE.body}, [CONDENSATION], "Notes\n\nitem",
        [CHECK], [DECISION], [TRIAL], {"k1"}, SAID, {"t": {"items": ["ünï\u2028"]}},
    )  # fmt: skip
    (session,) = before[-1]
    assert (session.number, session.settings, session.how) == (1, {"budget": None}, "done")
    assert session.begun <= session.ended
    ledger.close()


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("verb", ["update", "delete", "replace"])
def test_the_file_itself_refuses_to_change_or_lose_a_row(path, table, verb):
    filled(path).close()
    stranger = sqlite3.connect(path)  # not our code: the rule is in the file
    before = stranger.execute(f"SELECT * FROM {table}").fetchall()
    assert before
    names = [row[1] for row in stranger.execute(f"PRAGMA table_info({table})")]
    told = "body" if "body" in names else "how"
    values = ", ".join("'forged'" if name == told else name for name in names)
    statement = {
        "update": f"UPDATE {table} SET {told} = 'forged'",
        "delete": f"DELETE FROM {table}",
        "replace": f"INSERT OR REPLACE INTO {table} SELECT {values} FROM {table}",
    }[verb]
    refused = ""
    try:
        with stranger:
            stranger.execute(statement)
    except sqlite3.IntegrityError as fault:
        refused = str(fault)
    assert stranger.execute(f"SELECT * FROM {table}").fetchall() == before
    assert verb == "replace" or "only grows" in refused
    stranger.close()


def test_an_error_gets_further_attempts_and_the_older_rows_stay(path):
    ledger = SqliteLedger(path)
    ledger.add_trials([ERROR])
    assert ledger.finished_keys() == frozenset()
    ledger.add_trials([replace(ERROR, cause="ModelFault: busy")])
    assert [trial.cause for trial in ledger.trials()] == ["ModelFault: busy"]
    ledger.add_trials([TRIAL])
    assert list(ledger.trials()) == [TRIAL]
    assert ledger.finished_keys() == {"k1"}
    rows = ledger.connection.execute("SELECT attempt, status FROM trials ORDER BY attempt").fetchall()
    assert rows == [(0, "error"), (1, "error"), (2, "success")]
    ledger.close()


def test_a_row_of_before_a_fault_had_its_boundary_is_read_without_one(path):
    lost = replace(ERROR, boundary="world", fault="WorldFault")
    ledger = SqliteLedger(path)
    ledger.add_trials([lost])
    (body,) = ledger.connection.execute("SELECT body_text(body) FROM trials").fetchone()
    assert list(ledger.trials()) == [lost]
    ledger.close()
    old = json.loads(body)
    assert (old.pop("boundary"), old.pop("fault")) == ("world", "WorldFault")
    values = (*("k1", "b", "control", "intact", "t", 0, "error", None), json.dumps(old))
    assert trial_of(values) == ERROR


def test_what_trials_hold_alike_is_kept_once_and_stays_what_it_was(path):
    fired = [{"step": 0, "item": 0, "why": "", "shown": False}]
    held = [fired, fired, [fired[0] | {"shown": 0}], [fired[0] | {"step": 0.0}]]
    trials = [replace(TRIAL, key=f"k{n}", repeat=n, firings=tuple(own)) for n, own in enumerate(held)]
    ledger = SqliteLedger(path)
    ledger.add_trials(trials)
    first, second, *others = read = list(ledger.trials())
    ledger.close()
    assert list(map(repr, read)) == list(map(repr, trials))
    assert first.firings is second.firings
    assert all(other.firings is not first.firings for other in others)


def test_equal_numbers_of_trials_are_one_object_and_keep_sign_and_kind(path):
    shares = [0.125, 0.125, 0.0, -0.0, 0, None, 1.0]
    trials = [replace(TRIAL, key=f"k{n}", repeat=n, did_told=share) for n, share in enumerate(shares)]
    with closing(SqliteLedger(path)) as ledger:
        ledger.add_trials(trials)
        read = [trial.did_told for trial in ledger.trials()]
    assert list(map(repr, read)) == list(map(repr, shares))
    assert read[0] is read[1]


def test_two_attempts_may_come_in_one_go(path):
    ledger = SqliteLedger(path)
    ledger.add_trials([ERROR, TRIAL])
    assert list(ledger.trials()) == [TRIAL]
    ledger.close()


@pytest.mark.parametrize("status", ["success", "failure"])
def test_a_trial_that_ended_as_the_agents_doing_stays_ended(path, status):
    ledger = SqliteLedger(path)
    ended = replace(TRIAL, status=status, score=0.25)
    ledger.add_trials([ended])
    other = replace(TRIAL, key="k2")
    with pytest.raises(LedgerFault, match="ended"):
        ledger.add_trials([other, ERROR])
    assert list(ledger.trials()) == [ended]  # all or none: k2 is not there either
    ledger.add_trials([other])
    assert list(ledger.trials()) == [ended, other]
    ledger.close()


def test_a_fact_is_stated_once(path):
    ledger = filled(path)
    ledger.state("identity", {"arms": ["none", "control"], "seed": 1})  # the same again, as JSON has it
    with pytest.raises(LedgerFault, match=r"'identity'.* in seed"):
        ledger.state("identity", {"seed": 2, "arms": ["none", "control"]})
    assert ledger.fact("identity")["seed"] == 1
    assert ledger.fact("plan") is None
    ledger.close()


def test_slots_and_checks_that_are_there_stay(path):
    ledger = filled(path)
    ledger.add_slots({"s1": "another text", "s2": "two"})
    ledger.add_checks([replace(CHECK, passed=False), replace(CHECK, repeat=1)])
    assert (ledger.slot("s1"), ledger.slot("s2"), ledger.slot("s3")) == ("Notes\n\nitem", "two", None)
    assert list(ledger.checks()) == [CHECK, replace(CHECK, repeat=1)]
    ledger.close()


def test_rows_come_back_in_the_order_written_and_by_backbone(path):
    ledger = SqliteLedger(path)
    tasks = ["t9", "t1", "t5"]
    ledger.add_traces(TraceRow(backbone, task, {"task": task}) for task in tasks for backbone in "ab")
    ledger.add_trials(replace(TRIAL, key=task, task=task) for task in tasks)
    assert list(ledger.traces("a")) == tasks
    assert [trial.task for trial in ledger.trials()] == tasks
    assert ledger.traces("c") == {}
    ledger.close()


def test_nothing_to_add_is_no_fault(path):
    ledger = SqliteLedger(path)
    ledger.add_trials([])
    ledger.add_traces([])
    ledger.add_slots({})
    assert list(ledger.trials()) == []
    ledger.close()


def test_two_readers_and_a_writer_share_a_file(path):
    writer, reader = filled(path), SqliteLedger(path)
    writer.add_trials([replace(TRIAL, key="k2")])
    assert len(list(reader.trials())) == 2
    reader.close()
    writer.close()


@pytest.mark.parametrize("open_ledger", [SqliteLedger, SqliteLedger.open_read_only])
def test_a_ledger_from_before_the_package_had_its_name_is_refused_with_what_to_do(tmp_path, open_ledger):
    path = tmp_path / "ledger.sqlite"
    SqliteLedger(path).close()
    with sqlite3.connect(path) as former:
        former.execute("PRAGMA application_id = 0")
    former.close()
    before = path.read_bytes()
    with pytest.raises(LedgerFault, match="another name; read it with the version that made it, or play"):
        open_ledger(path)
    assert path.read_bytes() == before


def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path):
    text, foreign, folder = tmp_path / "notes.txt", tmp_path / "foreign.sqlite", tmp_path / "folder"
    text.write_text("dear diary, " * 100)
    folder.mkdir()
    other = sqlite3.connect(foreign)
    other.execute("CREATE TABLE songs (title TEXT)")
    other.close()
    before = foreign.read_bytes()
    for path in (text, foreign, folder, tmp_path / "absent" / "ledger.sqlite"):
        with pytest.raises(LedgerFault) as fault:
            SqliteLedger(path)
        assert str(path) in str(fault.value)
    assert foreign.read_bytes() == before
    assert text.read_text() == "dear diary, " * 100


def test_a_body_is_json_that_the_ledger_opens_in_sql(path):
    ledger = filled(path)
    for table in TABLES:
        if table not in ("slots", "session_ends", "episodes"):
            for (body,) in ledger.connection.execute(f"SELECT body_text(body) FROM {table}"):
                json.loads(body)
    ledger.close()


def test_what_was_said_in_an_attempt_stands_beside_it(path):
    ledger = SqliteLedger(path)
    assert ledger.episode("k1") is None
    ledger.add_trials([ERROR])
    assert ledger.episode("k1") is None
    ledger.add_trials([TRIAL], [SAID])
    ledger.add_trials([replace(TRIAL, key="k2")], [replace(SAID, key="k2", steps=())])
    assert ledger.episode("k1") == SAID
    assert ledger.episode("k2") == replace(SAID, key="k2", steps=())
    ledger.close()


def test_a_session_that_never_ended_was_killed(path):
    ledger = SqliteLedger(path)
    assert [ledger.begin_session({"n": n}) for n in (1, 2, 3)] == [1, 2, 3]
    ledger.end_session(2, "done")
    assert [(one.number, one.settings["n"], one.how, bool(one.ended)) for one in ledger.sessions()] == [
        (1, 1, "", False), (2, 2, "done", True), (3, 3, "", False),
    ]  # fmt: skip
    ledger.close()


def test_each_memory_system_recalls_for_itself(path):
    ledger = SqliteLedger(path)
    for arm in ("one", "other"):
        ledger.add_recollection("b", arm, "t", {"of": arm})
    assert ledger.recollections("b", "one") == {"t": {"of": "one"}}
    assert ledger.recollections("a", "one") == {}
    ledger.close()
