"""Files of a run: their owner's alone, plain files of its own, and nothing else is written through them."""

import os
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memtrial.api.analyze import AnalysisOptions
from memtrial.cli.results.export import export_run
from memtrial.cli.tools.analyze import analyze_table
from memtrial.cli.tools.condense import condense
from memtrial.console.attempt_log import attempt_log, log_path
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.outcomes.table_options import TableOptions
from memtrial.private_file import ForeignFault, claim_database, make_private, private, write_private
from memtrial.runs.spec.read_spec import load_spec
from tests.cli.conftest import TINY, finished_run
from tests.support.carried_out import run_spec
from tests.support.refusing import Warm, files_in, refused
from tests.support.small import write_spec

RUN = ("run", "tiny.yaml", "--display", "none", "--out", "out")
READING = (("status", "out"), ("report", "out"), ("show", "out"), ("export", "out", "--out", "tables"))
DATABASE = ("ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm", "ledger.sqlite-journal")
INTO = (".lock", *DATABASE)
ANEW = ("spec.resolved.yaml", "lock.json", "results.json", "report.html", "report.md")
DEAR = "a letter of somebody else\n"


def play(folder: Path, clean: bool = False) -> None:
    """The run, or what is left of it: here, as no alarm rings in this process."""
    assert run_spec(load_spec(folder / "tiny.yaml"), folder / "out", clean, None, "none", True, False) == 0


@pytest.fixture(scope="module")
def finished(warm: Warm, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a spec and its finished run; it is copied, never changed."""
    folder = tmp_path_factory.mktemp("finished")
    write_spec(folder, TINY, "tiny.yaml")
    shutil.copytree(finished_run(warm, tmp_path_factory) / "logs" / "tiny_s0", folder / "out")
    return folder


@pytest.fixture
def there(finished: Path, tmp_path: Path) -> Path:
    shutil.copytree(finished, tmp_path, symlinks=True, dirs_exist_ok=True)
    (tmp_path / "dear").write_text(DEAR)
    return tmp_path


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {
        str(path.relative_to(folder)): stat.S_IMODE(path.lstat().st_mode)
        for path in (folder, *folder.rglob("*"))
        if not path.is_symlink()
    }


def refuse_open_to_others(folder: Path) -> None:
    for name, mode in modes(folder).items():
        assert mode == (0o700 if (folder / name).is_dir() else 0o600), (name, oct(mode))


def link(path: Path) -> None:
    path.symlink_to(path.parents[1] / "dear")


def dangling(path: Path) -> None:
    path.symlink_to(path.parents[1] / "nothing")


def second_name(path: Path) -> None:
    path.hardlink_to(path.parents[1] / "dear")


KINDS: dict[str, Callable[[Path], None]] = {
    "a link": link,
    "a link to nothing": dangling,
    "a second name": second_name,
    "a pipe": os.mkfifo,
}


def put(path: Path, kind: str) -> None:
    path.unlink(missing_ok=True)
    KINDS[kind](path)


@pytest.mark.parametrize("name", [*INTO, *ANEW])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_none_of_ours_stops_a_run(warm: Warm, there: Path, name: str, kind: str) -> None:
    put(there / "out" / name, kind)
    if kind == "a second name" and name in ANEW:
        write_private(there / "out" / name, "these are written anew: the other name keeps what it holds")
    else:
        assert f"out/{name} is a" in refused(warm, there, *RUN)
    assert (there / "dear").read_text() == DEAR
    assert not (there / "nothing").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_lock_in_an_empty_folder_is_not_followed(warm: Warm, tmp_path: Path, kind: str) -> None:
    write_spec(tmp_path, TINY, "tiny.yaml")
    (tmp_path / "dear").write_text(DEAR)
    (tmp_path / "out").mkdir()
    put(tmp_path / "out" / ".lock", kind)
    assert "out/.lock is a" in refused(warm, tmp_path, *RUN)
    assert (tmp_path / "dear").read_text() == DEAR


@pytest.mark.parametrize("name", ["ledger.sqlite", "ledger.sqlite-wal"])
def test_nobody_reads_a_ledger_through_a_link(warm: Warm, there: Path, name: str) -> None:
    (there / "out" / "ledger.sqlite").rename(there / "elsewhere")
    (there / "out" / name).symlink_to(there / "elsewhere")
    if name != "ledger.sqlite":
        shutil.copy(there / "elsewhere", there / "out" / "ledger.sqlite")
    for verb in READING:
        assert f"out/{name} is a link" in refused(warm, there, *verb)
    again = ("run", "tiny.yaml", "--out", "fresh", "-S", "backbone=replay/out")
    assert f"out/{name} is a link" in refused(warm, there, *again)


def test_reports_and_logs_are_not_written_through_a_link(warm: Warm, there: Path) -> None:
    put(there / "out" / "report.html", "a link")
    assert "report.html is a link" in refused(warm, there, "report", "out")
    put(there / "out" / "report.html", "a pipe")
    assert "report.html is a pipe" in refused(warm, there, "report", "out")
    (there / "out" / "report.html").unlink()
    shutil.move(there / "out" / "logs", there / "logs of somebody")
    (there / "out" / "logs").symlink_to(there / "logs of somebody")
    assert "out/logs is a link" in refused(warm, there, *RUN)
    assert warm.call("status", "out", cwd=there).code == 0


def test_an_index_is_not_read_through_a_link(warm: Warm, there: Path) -> None:
    (file,) = (there / "out" / "index").iterdir()
    put(file, "a link")
    assert f"out/index/{file.name} is a link" in refused(warm, there, *RUN)
    shutil.move(there / "out" / "index", there / "index of somebody")
    (there / "out" / "index").symlink_to(there / "index of somebody")
    assert "out/index is a link" in refused(warm, there, *RUN)


def test_clean_follows_no_link(warm: Warm, there: Path) -> None:
    (there / "here").symlink_to("out")
    assert "is a link" in refused(warm, there, *RUN[:-1], "here", "--clean")
    put(there / "out" / ".lock", "a link")
    assert "out/.lock is a link" in refused(warm, there, *RUN, "--clean")
    (there / "out" / ".lock").unlink()
    (there / "mine").mkdir()
    (there / "mine" / "notes").write_text(DEAR)
    (there / "out" / "more").symlink_to(there / "mine")
    play(there, clean=True)
    assert (there / "mine" / "notes").read_text() == DEAR


def test_a_log_that_would_go_elsewhere_is_given_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "dear").write_text(DEAR)
    for number, kind in enumerate(KINDS, 1):
        folder = tmp_path / str(number)
        (folder / "logs").mkdir(parents=True)
        (folder / "dear").write_text(DEAR)
        put(log_path(folder, number), kind)
        with attempt_log(folder, number) as log:
            log.say("something")
        assert capsys.readouterr().err.count("no log is kept") == 1
        assert (folder / "dear").read_text() == DEAR
        assert not (folder / "nothing").exists()


@pytest.mark.parametrize("mask", [0o000, 0o177])
def test_whatever_the_umask_a_run_is_its_owner_s_alone(tmp_path: Path, mask: int) -> None:
    spec = load_spec(write_spec(tmp_path, TINY))
    (tmp_path / "there").mkdir()
    (tmp_path / "there").chmod(0o755)
    with umask(mask):
        for out in (tmp_path / "fresh", tmp_path / "there"):
            assert run_spec(spec, out, False, None, "none", True, False) == 0
            export_run(out, out / "tables", out / "outcomes.csv")
            analyze_table(
                out / "outcomes.csv", TableOptions({}), AnalysisOptions(flips=199), out / "analysis", True
            )
            traces, items = out / "tables" / "traces.jsonl", out / "items.jsonl"
            condense(traces, "nothing", gates="none", max_rounds=0, out=items, display="none")
            wanted = {*ANEW, ".lock", "ledger.sqlite", "logs/attempt_1.log", "tables/calls.parquet", "index"}
            assert wanted - {"lock.json"} < modes(out).keys()
            refuse_open_to_others(out)


def test_all_of_a_ledger_is_shut_while_it_is_written_and_an_open_one_is_shut(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with umask(0):
        tmp_path.chmod(0o700)
        ledger = SqliteLedger(path)
        ledger.state("fact", 1)
        assert {"ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm"} < modes(tmp_path).keys()
        refuse_open_to_others(tmp_path)
        for one in tmp_path.iterdir():
            one.chmod(0o644)
        SqliteLedger(path).close()
        refuse_open_to_others(tmp_path)
        ledger.state("more", 2)
        ledger.close()


def test_an_owner_who_opened_a_run_folder_finds_it_open(there: Path) -> None:
    (there / "out").chmod(0o755)
    play(there)
    assert modes(there / "out")["."] == 0o755
    assert modes(there / "out")["report.html"] == 0o600


def test_a_database_that_is_claimed_keeps_the_locks_on_it(tmp_path: Path) -> None:
    """Closing any descriptor of a file lets go of a process's locks on it, those of SQLite among them."""
    path = tmp_path / "ledger.sqlite"
    first = sqlite3.connect(path, isolation_level=None)
    first.execute("CREATE TABLE t (x)")
    first.execute("BEGIN EXCLUSIVE")
    claim_database(path)
    child = os.fork()
    if not child:
        other = sqlite3.connect(path, timeout=0)
        try:
            other.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            os._exit(0)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    first.close()


def test_a_file_is_whole_or_not_there_and_nothing_of_ours_is_cut_short(tmp_path: Path) -> None:
    write_private(tmp_path / "file", "one")
    with pytest.raises(UnicodeEncodeError):
        write_private(tmp_path / "file", "half a sign \ud800")
    assert files_in(tmp_path).keys() == {"file"}
    assert (tmp_path / "file").read_text() == "one"
    with (
        pytest.raises(ValueError, match="opened with x, a or r"),
        open(tmp_path / "file", "w", opener=private),
    ):
        pass
    make_private(tmp_path / "folder")
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    for place in ("link", "file"):
        with pytest.raises(ForeignFault):
            make_private(tmp_path / place)
    with pytest.raises(ForeignFault, match="is a folder"):
        write_private(tmp_path / "folder", "text")


def test_a_file_that_a_user_named_is_not_written_through_a_link(warm: Warm, there: Path) -> None:
    assert warm.call("export", "out", "--out", "tables", cwd=there).code == 0
    (there / "link").symlink_to(there / "dear")
    (there / "link.svg").symlink_to(there / "dear")
    (there / "nowhere").symlink_to(there / "nothing")
    os.mkfifo(there / "pipe")
    for place in ("link", "pipe"):
        refused(warm, there, "condense", "tables/traces.jsonl", "--out", place)
        refused(warm, there, "export", "out", "--outcomes", place)
        refused(warm, there, "perturb", "tables/traces.jsonl", "--kind", "counter", "--actions", "pipe")
    refused(warm, there, "export", "out", "--out", "nowhere")
    refused(warm, there, "plan", "tiny.yaml", "--simulate", "0", "--figure", "link.svg")
    table = there / "outcomes.csv"
    assert warm.call("export", "out", "--outcomes", table.name, cwd=there).code == 0
    assert warm.call("analyze", table.name, "--out", "analysis", cwd=there).code == 0
    for name in ("report.html", "results.json"):
        put(there / "analysis" / name, "a link")
        refused(warm, there, "analyze", table.name, "--out", "analysis")
        (there / "analysis" / name).unlink()
