"""Shards of a run, merged: the run that one process plays; and what is no whole set of them is refused."""

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memtrial.api.lock import freeze, write_lock
from memtrial.api.run import RunEnd, RunOptions, run
from memtrial.api.shards.merge import merge, merge_into
from memtrial.api.shown.loaded_results import load
from memtrial.cli.results.status import status_of
from memtrial.console.display import Display
from memtrial.faults import SpecFault
from memtrial.ledger.blocks.block_outcomes import count_trials, group_trials
from memtrial.ledger.blocks.block_rows import OutcomeRows
from memtrial.ledger.run_plan import Lock
from memtrial.ledger.shards.merged_calls import TWICE
from memtrial.ledger.shards.shard_facts import ShardMark
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.scripted.scripted_server import Running, serve_script
from memtrial.runs.engine.schedule import Session
from memtrial.runs.engine.session import ledger_of, run_session
from memtrial.runs.engine.shard_part import part_of_budget
from memtrial.runs.run_folder.folder import alone_in, make
from memtrial.runs.run_folder.lock_surroundings import beside_of
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.read_spec import load_spec
from memtrial.runs.spec.sections import BudgetSpec
from memtrial.runs.spec.spec import Spec
from memtrial.views.results.run_results import results
from tests.runs.test_shared_run import ANSWERS, SPEC
from tests.support.carried_out import play_spec
from tests.support.scripted_run import CLAUDE, script, surroundings

PREPARED_BY_CALLS = (
    SPEC.replace("test: 8", "test: 5")
    .replace("player: simulated/ignorer", f"player: {CLAUDE}")
    .replace("workers: 2", "workers: 1")
)
ROWS = (
    *(f"SELECT * FROM {name} ORDER BY rowid" for name in ("trials", "episodes", "traces", "checks")),
    # two preparations keep them as answers come, each in its own order
    "SELECT * FROM condensations ORDER BY backbone, condenser, draw, task",
    "SELECT * FROM slots ORDER BY digest",
    "SELECT key, asked, answered, reply, usd, purpose FROM calls ORDER BY key",
    "SELECT * FROM shared_calls ORDER BY key, purpose",
    # of those that cost nothing rows are cut otherwise, and each call is in one of them
    "SELECT asked, answered, purpose, sum(calls), sum(input_tokens), sum(output_tokens) FROM free_calls"
    " GROUP BY asked, answered, purpose ORDER BY asked, answered, purpose",
)


def ask(folder: Path, question: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as connection:
        return connection.execute(question).fetchall()


def results_in(folder: Path) -> str:
    """What results.json would say, without the report, which takes the most time."""
    with closing(SqliteLedger.open_read_only(folder / "ledger.sqlite")) as ledger:
        return results(ledger, beside_of(folder, ledger)).json_text()


@dataclass(frozen=True)
class Cut:
    """A run of five blocks: played whole, prepared, and cut into three shards begun from that."""

    folder: Path
    provider: Running
    spec: Spec

    def play(self, out: str, shard: str | None = None, base: str | None = None, **more: object) -> RunEnd:
        prepared = None if base is None else self.folder / base
        around = surroundings(self.provider.url)
        options = RunOptions(
            out=self.folder / out,
            shard=shard,
            prepared=prepared,
            environment=around,
            **more,  # type: ignore[arg-type]
        )
        return run(self.spec, options)

    def shard(self, number: int) -> Path:
        return self.folder / f"s{number}"

    @property
    def shards(self) -> list[Path]:
        return [self.shard(number) for number in (1, 2, 3)]


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cut]:
    folder = tmp_path_factory.mktemp("cut")
    (folder / "spec.yaml").write_text(PREPARED_BY_CALLS)
    with serve_script(script(answers=ANSWERS)) as provider:
        made = Cut(folder, provider, load_spec(folder / "spec.yaml", []))
        assert play_spec(made.spec, folder / "whole", environment=surroundings(provider.url)) == 0
        before = provider.counts()["requests"]
        ended = made.play("base", prepare=True)
        assert ended.results is None
        assert "Prepared" in ended.notice
        for number in (1, 2, 3):
            ended = made.play(f"s{number}", f"{number}/3", "base")
            assert (ended.ending.how, ended.results) == ("done", None)
        assert provider.counts()["requests"] == 2 * before
        yield made


def test_three_shards_merged_are_the_run_that_was_played_whole(cut: Cut, tmp_path: Path) -> None:
    ended = merge([cut.shard(2), cut.shard(3), cut.shard(1)], tmp_path / "out")
    assert ended.notice == ""
    assert (tmp_path / "out" / "results.json").read_bytes() == (
        cut.folder / "whole/results.json"
    ).read_bytes()
    for question in ROWS:
        assert ask(tmp_path / "out", question) == ask(cut.folder / "whole", question), question
    with closing(SqliteLedger.open_read_only(tmp_path / "out" / "ledger.sqlite")) as merged:
        read = OutcomeRows(merged.connection, merged.bodies).read()
        assert read is not None
        assert count_trials(read) == count_trials(group_trials(merged.trials()))
    for counted in ("sends", "send_faults"):
        question = f"SELECT count(*) FROM {counted}"
        assert ask(tmp_path / "out", question) == ask(cut.folder / "whole", question)
    kept = "SELECT * FROM condensations ORDER BY rowid"
    assert ask(tmp_path / "out", kept) == ask(cut.folder / "base", kept)
    numbers = ask(tmp_path / "out", "SELECT count(*), count(DISTINCT id), max(id) FROM sends")[0]
    assert len(set(numbers)) == 1
    paired = "SELECT count(*) FROM calls AS c JOIN sends AS s ON s.id = c.send AND s.key = c.key"
    assert ask(tmp_path / "out", paired) == ask(cut.folder / "whole", paired)
    # one of the preparation, one of each shard
    assert [number for (number,) in ask(tmp_path / "out", "SELECT number FROM sessions")] == [1, 2, 3, 4]
    assert (tmp_path / "out" / "report.html").exists()
    # it is a run as any other: the same command finds nothing left to play
    requests = cut.provider.counts()["requests"]
    assert play_spec(cut.spec, tmp_path / "out", environment=surroundings(cut.provider.url)) == 0
    assert cut.provider.counts()["requests"] == requests


def test_shards_that_prepared_alone_agree_where_answers_do_and_what_was_paid_twice_is_counted(
    cut: Cut, tmp_path: Path
) -> None:
    for number in (1, 2):
        cut.play(f"alone{number}", f"{number}/2")
    asked = merge_into(tmp_path / "out", [cut.folder / "alone1", cut.folder / "alone2"])
    assert results_in(tmp_path / "out") == (cut.folder / "whole" / "results.json").read_text()
    shards = (cut.folder / "alone1", cut.folder / "alone2")
    sent = "SELECT count(*) FROM sends"
    assert ask(tmp_path / "out", sent)[0][0] == sum(int(str(ask(shard, sent)[0][0])) for shard in shards)
    twice = ask(tmp_path / "out", f"SELECT count(*) FROM send_faults WHERE kind = '{TWICE}'")[0][0]
    assert (twice, 0) == (asked.sends, asked.otherwise)
    assert twice
    paid = "SELECT (SELECT sum(usd) FROM calls) + (SELECT coalesce(sum(usd), 0) FROM send_faults)"
    both = sum(float(str(ask(shard, paid)[0][0])) for shard in shards)
    assert float(str(ask(tmp_path / "out", paid)[0][0])) == pytest.approx(both)


def test_a_shard_says_that_it_is_one_and_goes_on_as_that_alone(cut: Cut, tmp_path: Path) -> None:
    status = status_of(cut.shard(2))
    assert status["shard"] == {"number": 2, "of": 3}
    assert status["state"] == "finished"
    assert status["blocks"] == {"planned": 2, "done": 2}
    assert "memtrial merge" in status["next"]
    assert status["monitoring"] is None
    assert not (cut.shard(2) / "results.json").exists()
    with pytest.raises(SpecFault, match="shard 2/3 of a run, which has no results of its own"):
        load(cut.shard(2))
    with pytest.raises(SpecFault, match="add --shard 2/3"):
        cut.play("s2")
    with pytest.raises(SpecFault, match="s2 is shard 2/3; use --out with"):
        cut.play("s2", "1/3")
    with pytest.raises(SpecFault, match="was not begun from"):
        cut.play("s2", "2/3", "whole_base")
    requests = cut.provider.counts()["requests"]
    assert cut.play("s2", "2/3", "base").ending.how == "done"
    assert cut.provider.counts()["requests"] == requests


@pytest.fixture(scope="module", autouse=True)
def _other_base(cut: Cut) -> None:
    cut.play("whole_base", prepare=True)


def broken_off(cut: Cut, folder: Path) -> list[Path]:
    ended = cut.play("first_only", "2/3", "base", limit=1)
    assert ended.ending.how == "limit"
    return [cut.shard(1), cut.folder / "first_only", cut.shard(3)]


def not_prepared(cut: Cut, folder: Path) -> list[Path]:
    with closing(SqliteLedger(_copied(cut.shard(2), folder / "begun", ("ledger.sqlite",)) / "ledger.sqlite")):
        pass
    _change(folder / "begun", "shard blocks")
    return [cut.shard(1), folder / "begun", cut.shard(3)]


def of_another_seed(cut: Cut, folder: Path) -> list[Path]:
    other = Cut(cut.folder, cut.provider, cut.spec.model_copy(update={"seed": 4}))
    other.play("seed4", "2/3", limit=1)
    return [cut.shard(1), cut.folder / "seed4", cut.shard(3)]


def changed_by_hand(cut: Cut, folder: Path) -> list[Path]:
    changed = _copied(cut.shard(2), folder / "changed")
    with closing(sqlite3.connect(changed / "ledger.sqlite")) as connection, connection:
        connection.execute("DROP TRIGGER trials_no_update")
        connection.execute("UPDATE trials SET status = 'success', score = 1.0")
    return [cut.shard(1), changed, cut.shard(3)]


def a_linked_ledger(cut: Cut, folder: Path) -> list[Path]:
    (folder / "linked").mkdir()
    (folder / "linked" / "ledger.sqlite").symlink_to(cut.shard(2) / "ledger.sqlite")
    return [cut.shard(1), folder / "linked", cut.shard(3)]


def cut_off(cut: Cut, folder: Path) -> list[Path]:
    short = _copied(cut.shard(2), folder / "short")
    whole = (short / "ledger.sqlite").read_bytes()
    (short / "ledger.sqlite").write_bytes(whole[: len(whole) // 2])
    return [cut.shard(1), short, cut.shard(3)]


def alone_among_others(cut: Cut, folder: Path) -> list[Path]:
    cut.play("third_alone", "3/3")
    return [cut.shard(1), cut.shard(2), cut.folder / "third_alone"]


def _copied(folder: Path, to: Path, names: tuple[str, ...] = ("ledger.sqlite",)) -> Path:
    to.mkdir()
    for name in names:
        shutil.copy(folder / name, to / name)
    return to


def _change(folder: Path, fact: str) -> None:
    """Take a fact out of a ledger, with its seal, as if it had never been stated."""
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as connection, connection:
        for table in ("facts", "seals"):
            connection.execute(f"DROP TRIGGER {table}_no_delete")
            connection.execute(f"DROP TRIGGER {table}_no_update")
        (number,) = connection.execute(
            "SELECT number FROM seals WHERE of_table = 'facts' AND name = ?", (json.dumps([fact]),)
        ).fetchone()
        connection.execute("DELETE FROM facts WHERE name = ?", (fact,))
        connection.execute("DELETE FROM seals WHERE number = ?", (number,))
        connection.execute("UPDATE seals SET number = number - 1 WHERE number > ?", (number,))


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (lambda cut, _: cut.shards[:2], "all 3 shards are needed; missing: 3/3"),
        (lambda cut, _: [], "folders of all shards of a run are needed; got none"),
        (lambda cut, _: [cut.shard(1), *cut.shards], "s1 and .*s1 are both shard 1/3"),
        (lambda cut, f: [*cut.shards, _copied(cut.shard(3), f / "again")], "again are both shard 3/3"),
        (lambda cut, _: [cut.folder / "whole", *cut.shards], "a shard is needed; .*whole is none"),
        (lambda cut, _: [cut.folder / "base", *cut.shards], "a shard is needed; .*base is none"),
        (lambda cut, f: [f / "nothing", *cut.shards], "a run folder is needed; neither"),
        (lambda cut, _: [*cut.shards[:2], cut.folder / "alone1"], "s2 is shard 2/3, .*alone1 is shard 1/2"),
        (broken_off, "first_only holds 5 of 10 trials: the same `memtrial run` with --shard 2/3"),
        (not_prepared, "begun has not come as far as its first trial"),
        (of_another_seed, "shards of one spec are needed; .* differ in seed"),
        (changed_by_hand, "WERE CHANGED AFTER THEY WERE WRITTEN"),
        (a_linked_ledger, "is a link, which is not opened"),
        (cut_off, "an intact ledger is needed|cannot be read as one"),
        (alone_among_others, "third_alone were not begun from the same"),
    ],
)
def test_what_is_no_whole_set_of_shards_is_refused_in_one_line(
    cut: Cut, tmp_path: Path, given: Callable[[Cut, Path], list[Path]], line: str
) -> None:
    with pytest.raises(SpecFault, match=line) as refused:
        merge_into(tmp_path / "out", given(cut, tmp_path))
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "out").exists()


def test_shards_of_another_preparation_a_shard_that_is_played_and_a_folder_with_a_run_are_refused(
    cut: Cut, tmp_path: Path
) -> None:
    # begun from what another day prepared: a row that only one of them holds
    odd = _copied(cut.shard(2), tmp_path / "odd")
    with closing(SqliteLedger(odd / "ledger.sqlite")) as ledger:
        ledger.state("lost trace of nobody: nothing", "it was never there")
    with pytest.raises(
        SpecFault, match=r"odd prepared otherwise, and differ in lost trace of nobody: nothing;"
    ):
        merge_into(tmp_path / "out", [cut.shard(1), odd, cut.shard(3)])
    with alone_in(cut.shard(3)), pytest.raises(SpecFault, match=r"a run is going on in .*s3"):
        merge_into(tmp_path / "out", cut.shards)
    with pytest.raises(SpecFault, match="s1 holds a run already"):
        merge_into(cut.shard(1), cut.shards)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("mine")
    with pytest.raises(SpecFault, match="holds other files and no ledger"):
        merge_into(tmp_path / "full", cut.shards)
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["letter.txt"]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("shard", "base", "line"),
    [
        ("0/3", None, "--shard takes i/n with i from 1 to n"),
        ("4/3", None, "--shard takes i/n with i from 1 to n"),
        ("two", None, "--shard takes i/n, as 2/4 .* got 'two'"),
        ("1/", None, "--shard takes i/n, as 2/4"),
        ("²/3", None, "--shard takes i/n, as 2/4"),
        (None, "base", "--prepared is where a shard begins from: add --shard"),
        ("1/3", "whole", "--prepared needs a run before its first trial; .*whole has 25 trials"),
        ("1/3", "s1", "--prepared needs a whole run; .*s1 is shard 1/3"),
        ("1/3", "nowhere", "a run folder is needed"),
    ],
)
def test_what_a_shard_cannot_be_begun_from_is_refused_in_one_line(
    cut: Cut, shard: str | None, base: str | None, line: str
) -> None:
    with pytest.raises(SpecFault, match=line) as refused:
        cut.play("fresh", shard, base)
    assert "\n" not in str(refused.value)
    assert not (cut.folder / "fresh").exists()


def test_what_is_prepared_for_all_shards_becomes_none_of_them(cut: Cut, tmp_path: Path) -> None:
    alone = replace(cut, folder=tmp_path)
    base = _copied(cut.folder / "base", tmp_path / "base")
    with pytest.raises(SpecFault, match=r"base is prepared for all shards: .*--shard 1/3 --prepared"):
        alone.play("base", "1/3")
    assert ask(base, "SELECT name FROM facts WHERE name LIKE 'shard%'") == []
    assert ask(base, "SELECT count(*) FROM trials") == [(0,)]


def test_what_a_killed_merge_or_copy_left_is_begun_again(cut: Cut, tmp_path: Path) -> None:
    for folder in (tmp_path / "out", cut.folder / "cut_off"):
        folder.mkdir()
        for name in (".lock", ".memtrial-ledger.sqlite", ".memtrial-ledger.sqlite-journal"):
            (folder / name).write_text("")
        (folder / ".memtrial-ledger.sqlite").write_text("half a ledger")
    assert cut.play("cut_off", "2/3", "base").ending.how == "done"
    merge_into(tmp_path / "out", [cut.shard(1), cut.folder / "cut_off", cut.shard(3)])
    assert results_in(tmp_path / "out") == (cut.folder / "whole" / "results.json").read_text()
    assert sorted(path.name for path in (tmp_path / "out").glob(".memtrial*")) == []


def test_a_lock_made_once_holds_for_all_shards(cut: Cut, tmp_path: Path) -> None:
    around = surroundings(cut.provider.url)
    experiment, base, locked = check_spec(cut.spec, around), tmp_path / "base", replace(cut, folder=tmp_path)
    make(base)
    with alone_in(base), ledger_of(base, experiment) as ledger:
        fix = Session(freeze=lambda *made: freeze(experiment, ledger, *made))
        run_session(experiment, base, ledger, Display("none"), fix)
        write_lock(base, ledger)
    shutil.copytree(base, tmp_path / "whole")
    assert play_spec(cut.spec, tmp_path / "whole", environment=around) == 0
    for number in (1, 2):
        locked.play(f"part{number}", f"{number}/2", "base")
        assert status_of(tmp_path / f"part{number}")["lock"]["masked"]
    merge_into(tmp_path / "out", [tmp_path / "part1", tmp_path / "part2"])
    assert json.loads(results_in(tmp_path / "out"))["lock"]["complete"]
    assert results_in(tmp_path / "out") == (tmp_path / "whole" / "results.json").read_text()


def test_looks_that_were_locked_refuse_shards(cut: Cut, tmp_path: Path) -> None:
    rules = cut.spec.analysis.model_copy(update={"looks": 2})
    looking = Cut(tmp_path, cut.provider, cut.spec.model_copy(update={"analysis": rules}))
    looking.play("base", prepare=True)
    with closing(SqliteLedger(tmp_path / "base" / "ledger.sqlite")) as ledger:
        ledger.state("lock", Lock(made="today", trials=0, digest="0", frozen={}).facts)
    with pytest.raises(SpecFault, match=r"has 2 looks locked, .* no shard sees them"):
        looking.play("part", "1/2", "base")
    assert not (tmp_path / "part").exists()


def test_a_budget_is_the_whole_runs_and_each_shard_has_its_part(cut: Cut) -> None:
    mark = ShardMark(number=1, of=4, seals=9, digest="", sends=20, usd=2.0)
    part = part_of_budget(BudgetSpec(max_cost_usd=10.0, max_calls=63, max_hours=3.0), mark)
    assert (part.max_cost_usd, part.max_calls, part.max_hours) == (4.0, 30, 3.0)
    assert part_of_budget(BudgetSpec(), mark) == BudgetSpec()
    prepared = int(str(ask(cut.folder / "base", "SELECT count(*) FROM sends")[0][0]))
    few = cut.spec.model_copy(update={"budget": BudgetSpec(max_calls=prepared + 150)})
    played = Cut(cut.folder, cut.provider, few).play("poor", "1/3", "base")
    assert played.ending.how == "budget"
    sent = int(str(ask(cut.folder / "poor", "SELECT count(*) FROM sends")[0][0]))
    assert prepared < sent <= prepared + 50
