"""A run of the choice agent against a provider: what could be chosen is kept, equal within a block."""

from collections import defaultdict
from contextlib import closing
from pathlib import Path

from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.scripted.scripted_server import serve_script
from tests.support.scripted_run import GPT, carry_out, refuse_unlawful, script, trials


def test_every_decision_of_a_block_was_among_the_same_actions_in_the_same_order(tmp_path: Path) -> None:
    settings = ("agent=choice", "repeats=2")
    with serve_script(script()) as server:
        assert carry_out(tmp_path, server.url, GPT, settings) == 0
        refuse_unlawful(tmp_path, server)
        requests = server.counts()["requests"]
        assert carry_out(tmp_path, server.url, GPT, settings) == 0
        assert server.counts()["requests"] == requests, "kept calls answer"
    firsts, lists = defaultdict(set), defaultdict(set)
    with closing(SqliteLedger.open_read_only(tmp_path / "out" / "ledger.sqlite")) as ledger:
        for row in trials(tmp_path):
            episode = ledger.episode(row.key)
            assert episode is not None
            assert all(step["action"] in call["choices"] for step, call in _pairs(episode))
            assert row.undelivered == 0
            firsts[row.task, row.repeat].add(tuple(episode.calls[0]["choices"]))
            lists[row.task].add(frozenset(episode.calls[0]["choices"]))
    assert len(firsts) == 6
    assert all(len(orders) == 1 for orders in firsts.values())
    assert all(len(listed) == 1 for listed in lists.values())
    assert len(set.union(*firsts.values())) > len(lists), "repeats have orders of their own"


def _pairs(episode):
    """The actions done, each with the request that brought it: the last of its turn."""
    last = {call["step"]: call for call in episode.calls}
    return [(step, last[number]) for number, step in enumerate(episode.steps)]
