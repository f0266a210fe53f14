"""Every ledger obeys the same laws: what is written comes back, and nothing that stands is changed."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memtrial.call_purpose import COLLECT, PLAY, Purpose
from memtrial.call_records import (
    CallBatch,
    FreeCall,
    KeptCall,
    SendFaultRecord,
    SendRecord,
    SharedCallRecord,
    short_key,
)
from memtrial.ledger.memory_ledger import MemoryLedger
from memtrial.ledger.postgres.postgres_ledger import PostgresLedger
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.rows import CheckRow, CondensationRow, DecisionRow, EpisodeRow, TraceRow, TrialRow
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.plugins.child_process import said_by_child
from memtrial.protocols import LedgerStore
from tests.support.postgres_server import postgres_server, skip_without_postgres


@dataclass(frozen=True, slots=True)
class Member:
    """How a ledger is opened, new or again. `lasts`: what was added is there after the process has ended."""

    open: Callable[[Path], LedgerStore]
    lasts: bool = True


MEMBERS: dict[str, Member] = {"sqlite": Member(SqliteLedger), "memory": Member(MemoryLedger, lasts=False)}
POSTGRES = "postgres"
"""A member where there is a server."""
SOLVED = TrialRow("k1", "b", "artifact", "intact", "t1", "f", 0, "success", 1.0, "", "s", False, "r")
FAILED = replace(SOLVED, key="k2", task="t2", status="failure", score=0.0, cause="step limit")
BROKEN = replace(SOLVED, key="k3", task="t3", status="error", score=None, cause="time-out")
CHECK = CheckRow("b", "artifact", "mask", "t1", 0, True, True, "", "d1", "d2", {"length": 1.0})
DECISION = DecisionRow("b", "artifact", "mask", "t1", 0, 0, "d1", "press", "press it", "")
GATE = Purpose("gate", "theory", "refuter")
FREE = FreeCall(b"%08d" % 1, "simulated/reader", "simulated/reader", PLAY, "end", None, True, 30, 7)
"""One call that cost nothing; of 20 others it differs in key and tokens alone."""
CALL = KeptCall(b"1", "m/a", "m-1", "yes", 10, 2, 1, 0, 0.5, "end", None, True, PLAY, 1)


@pytest.fixture(scope="module")
def postgres() -> Iterator[Member]:
    skip_without_postgres()
    with postgres_server() as address:
        yield Member(lambda path: PostgresLedger(address, str(path), path))


def member_of(name: str, request: pytest.FixtureRequest) -> Member:
    member: Member = request.getfixturevalue(POSTGRES) if name == POSTGRES else MEMBERS[name]
    return member


@pytest.fixture(params=[*MEMBERS, POSTGRES])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LedgerStore]:
    with closing(member_of(request.param, request).open(tmp_path / "ledger.sqlite")) as opened:
        yield opened


def fill(ledger: LedgerStore) -> None:
    ledger.begin_session({"attempts": 2})
    ledger.state("plan", {"mode": "stream"})
    ledger.state("spec", {"seed": 0})
    ledger.lose_trace("b", "t9", "time-out")
    ledger.add_codes("rules", {"t1": {"mode": "x"}})
    ledger.add_traces([TraceRow("b", "t1", {"trace_id": "1"}), TraceRow("c", "t1", {"trace_id": "1"})])
    ledger.add_condensations([CondensationRow("b", "native", "t1", {"items": []})])
    ledger.add_slots({"d2": "two", "d1": "one"})
    ledger.add_checks([CHECK, replace(CHECK, task="t2", applicable=False, after="")])
    ledger.add_decisions([replace(DECISION, nth=1), DECISION])
    ledger.calls.commit(
        CallBatch(
            calls=(
                CALL,
                replace(
                    CALL,
                    key=b"2",
                    purpose=Purpose("gate", "theory", "refuter"),
                    send=2,
                    usd=None,
                    temperature=0.5,
                    verbatim=False,
                ),
                replace(CALL, key=b"4", blocks='[{"type":"text","text":"ä"}]', stop="tool use"),
                replace(CALL, key=b"5", shares="[0.25, 0.75]"),
                replace(CALL, key=b"3", asked="m/b", answered="", send=None),
            ),
            sends=tuple(SendRecord(number, b"%d" % number, "m/a", 1e9 + number) for number in (1, 2, 3, 4)),
            faults=(SendFaultRecord(3, "fewer tokens", "at most 8", 0.25),),
            shared=(SharedCallRecord(b"1", Purpose("condense", "native")),),
            free=tuple(
                replace(FREE, key=b"%08d" % number, input_tokens=number * 2**31) for number in range(20)
            ),
        )
    )
    # asked again for the same, and for something else; and others, of two kinds
    again = replace(FREE, purpose=GATE)
    others = (
        replace(FREE, key=b"\n\0 other", verbatim=False),
        replace(again, key=b"a gate's", temperature=0.5),
    )
    ledger.calls.commit(
        CallBatch(free=(FREE, again, others[0], *others), shared=(SharedCallRecord(b"%08d" % 2, COLLECT),))
    )
    episodes = [EpisodeRow("k1", ({"role": "user", "content": "go"},), ({"action": "press"},), (), "start")]
    ledger.add_trials([SOLVED, FAILED, BROKEN], episodes)
    ledger.add_trials([replace(BROKEN, cause="again")])
    ledger.add_recollection("b", "mine", "t1", ["text"])
    ledger.end_session(1, "failed", "no: room")


def everything(ledger: LedgerStore) -> dict[str, object]:
    accounts = ledger.accounts
    return {
        "facts": ledger.facts_with(""),
        "codes": ledger.codes(),
        "lost": ledger.lost_traces("b"),
        "traces": ledger.traces("b"),
        "shared traces": list(ledger.shared_traces()),
        "condensations": list(ledger.condensations()),
        "slots": list(ledger.slots()),
        "checks": list(ledger.checks()),
        "decisions": list(ledger.decisions()),
        "trials": list(ledger.trials()),
        "scores": list(ledger.scores()),
        "blocks": {
            block.place: sorted(zip(block.cells, block.statuses, block.scores, strict=True))
            for block in ledger.block_outcomes()
        },
        "trial": (ledger.trial("k1"), ledger.trial("k3"), ledger.trial("nobody")),
        "attempts": ledger.attempts("k3"),
        "episode": (ledger.episode("k1"), ledger.episode("k3"), ledger.episode("nobody")),
        "steps": list(ledger.steps()),
        "ended": (ledger.finished_keys(), ledger.failed_keys(), ledger.tasks_played()),
        "recollections": ledger.recollections("b", "mine"),
        "sessions": [(row.number, row.settings, row.how, row.why) for row in ledger.sessions()],
        "calls": sorted(ledger.calls.records(), key=lambda call: call.key),
        "free": list(ledger.calls.free_calls()),
        "keys": (ledger.calls.keys(), ledger.calls.last_send(), ledger.calls.spent()),
        "models": ledger.calls.models_that_answered(),
        "accounts": (
            accounts.spending_by_purpose(),
            accounts.used_by_purpose(),
            accounts.answers_by_model(),
            accounts.temperatures_sent(),
            accounts.limits_refused(),
            accounts.network_use(),
            accounts.settings_of(b"2"),
            accounts.settings_of(b"9"),
            accounts.settings_of(b"a gate's and 24 bytes of its own"),
            accounts.settings_of(b"00000001"),
            accounts.unplayed_trials(),
            accounts.trials_ever(),
            accounts.attempts_ever(),
            accounts.trials_played(),
            accounts.counts(),
            accounts.error_causes(),
        ),
    }


@pytest.mark.parametrize("names", [(*MEMBERS,), ("memory", POSTGRES)], ids=",".join)
def test_all_members_say_the_same_of_the_same_rows(
    names: tuple[str, ...], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    told = []
    for name in names:
        with closing(member_of(name, request).open(tmp_path / name)) as ledger:
            fill(ledger)
            told.append(everything(ledger))
    first, *others = told
    for other in others:
        assert other == first
    assert first["attempts"] == ((1, "error", "time-out"), (2, "error", "again"))
    assert first["shared traces"] == [(["b", "c"], {"trace_id": "1"})]


def test_calls_that_cost_nothing_are_counted_once_each_under_the_first_of_their_purposes(
    ledger: LedgerStore,
) -> None:
    fill(ledger)
    free = list(ledger.calls.free_calls())
    assert len({call.key for call in free}) == len(free) == 22
    assert free[:20] == [
        replace(FREE, key=b"%08d" % number, input_tokens=number * 2**31) for number in range(20)
    ]
    accounts, sent = ledger.accounts, sum(range(20)) * 2**31
    spent = {entry.purpose: entry for entry in accounts.spending_by_purpose()}
    # `gate …` sorts before `play`: the call that both shared is counted there
    assert (spent[GATE].calls, spent[PLAY].calls) == (1 + 1 + 1, 3 + 19)
    assert (spent[GATE].input_tokens, spent[GATE].output_tokens) == (10 + 2**31 + 30, 2 + 7 + 7)
    assert spent[PLAY].input_tokens == 30 + sent - 3 * 2**31 + 30
    assert spent[COLLECT].input_tokens == 2 * 2**31
    used = accounts.used_by_purpose()
    assert (used[GATE][0], used[PLAY]) == (3, (4 + 21, 40 + sent + 30, 8 + 21 * 7))
    asked = [(entry.calls, entry.temperatures, entry.altered) for entry in accounts.answers_by_model()]
    assert asked[-1] == (22, (None, 0.5), 1)
    assert accounts.counts().answers == 5 + 22
    assert accounts.counts().tokens["output_tokens"] == 5 * 2 + 22 * 7
    assert accounts.settings_of(free[-1].key + b"the rest") == "simulated/reader, temperature 0.5"
    assert accounts.settings_of(b"unknown.") == ""
    asked_for = [ledger.calls.free_purpose(key) for key in (FREE.key, b"a gate's", b"none yet")]
    assert asked_for == [PLAY, GATE, None]
    # no text of theirs is there, and the model is asked again
    assert not any(ledger.calls.find(call.key) for call in free)
    assert short_key(b"01234567890") == b"01234567"


def test_a_fact_is_stated_once(ledger: LedgerStore) -> None:
    ledger.state("plan", {"a": 1})
    ledger.state("plan", {"a": 1})
    with pytest.raises(LedgerFault, match="stated once"):
        ledger.state("plan", {"a": 2})
    assert (ledger.fact("plan"), ledger.fact("other")) == ({"a": 1}, None)


def test_a_trial_that_ended_stays_ended_and_nothing_of_the_batch_is_added(ledger: LedgerStore) -> None:
    fill(ledger)
    before = everything(ledger)
    for ended in (SOLVED, replace(FAILED, status="error", score=None)):
        with pytest.raises(LedgerFault, match="until it ends"):
            ledger.add_trials([replace(SOLVED, key="new"), ended])
    assert everything(ledger) == before


def test_what_may_come_again_stays_as_it_was(ledger: LedgerStore) -> None:
    fill(ledger)
    before = everything(ledger)
    ledger.add_slots({"d1": "another text"})
    ledger.add_checks([replace(CHECK, passed=False)])
    ledger.add_decisions([replace(DECISION, action="pull")])
    ledger.add_codes("rules", {"t1": {"mode": "y"}})
    ledger.calls.commit(CallBatch(calls=(replace(CALL, reply="no"),), free=(replace(FREE, output_tokens=9),)))
    assert everything(ledger) == before


def refuse_what_contradicts(ledger: LedgerStore) -> None:
    """Of a ledger that was filled: what was written once is refused, and nothing of it is added."""
    before = everything(ledger)
    for again in (
        lambda: ledger.add_traces([TraceRow("b", "t5", {}), TraceRow("b", "t1", {})]),
        lambda: ledger.add_condensations([CondensationRow("b", "native", "t1", {})]),
        lambda: ledger.add_recollection("b", "mine", "t1", []),
        lambda: ledger.end_session(1, "killed"),
        lambda: ledger.state("plan", {"mode": "offline"}),
        lambda: ledger.state("spec", None),
        lambda: ledger.lose_trace("b", "t9", "killed"),
        lambda: ledger.add_trials([replace(BROKEN, key="k9"), SOLVED]),
    ):
        with pytest.raises(LedgerFault):
            again()
    ledger.state("plan", {"mode": "stream"})
    assert everything(ledger) == before


def test_what_is_written_once_is_refused_the_second_time(ledger: LedgerStore) -> None:
    fill(ledger)
    refuse_what_contradicts(ledger)


def test_a_batch_that_cannot_be_read_whole_leaves_nothing(ledger: LedgerStore) -> None:
    fill(ledger)
    before = everything(ledger)
    sends, again = (SendRecord(5, b"5", "m/a", 1e9),), replace(FREE, key=b"another.")
    for broken in (
        lambda: ledger.calls.commit(CallBatch((replace(CALL, key=b"5"), None), sends)),  # type: ignore[arg-type]
        lambda: ledger.calls.commit(CallBatch((replace(CALL, key=b"5"),), (*sends, None))),  # type: ignore[arg-type]
        lambda: ledger.calls.commit(CallBatch((replace(CALL, key=b"5"), None), free=(again,))),  # type: ignore[arg-type]
        lambda: ledger.add_trials([replace(SOLVED, key="k5")], [None]),  # type: ignore[list-item]
        lambda: ledger.add_traces([TraceRow("b", "t5", {}), None]),  # type: ignore[list-item]
    ):
        with pytest.raises((AttributeError, TypeError)):
            broken()
    assert everything(ledger) == before


LASTING = [*(name for name, member in MEMBERS.items() if member.lasts), POSTGRES]


@pytest.mark.parametrize("name", LASTING)
def test_what_was_added_is_there_when_its_process_was_killed(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    path, member = tmp_path / "ledger.sqlite", member_of(name, request)
    with closing(MemoryLedger()) as in_memory:
        fill(in_memory)
        expected = everything(in_memory)
    kept = list[LedgerStore]()

    def fill_and_die(_: object) -> None:
        kept.append(member.open(path))  # nobody closes it, and nothing of the process is tidied up
        fill(kept[0])

    assert list(said_by_child(fill_and_die)) == []
    with closing(member.open(path)) as again:
        assert everything(again) == expected
        refuse_what_contradicts(again)
        again.add_trials([replace(BROKEN, status="success", score=1.0)])
        assert again.begin_session({}) == 2
    with closing(member.open(path)) as third:
        assert third.attempts("k3")[2:] == ((3, "success", BROKEN.cause),)
        assert len(third.sessions()) == 2


def test_hours_are_those_of_the_sessions_before(ledger: LedgerStore) -> None:
    for _ in range(2):
        ledger.end_session(ledger.begin_session({}), "done")
    assert 0.0 <= ledger.accounts.hours_before(2) < 0.1
