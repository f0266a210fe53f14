"""A note on temperatures names the role and the model it is about, and says nothing where all was sent."""

from types import SimpleNamespace

from memtrial.call_purpose import PLAY, Purpose, read_purpose
from memtrial.ledger.accounts import Drawn
from memtrial.views.results.play_summary import model_notes

PLAN = SimpleNamespace(temperature=0.7, temperatures={"condense native": 1.0, "gate theory": 0.0})


def notes(*drawn: Drawn) -> list[str]:
    return model_notes((), drawn, PLAN)  # type: ignore[arg-type]


def test_a_role_that_draws_at_its_own_temperature_is_no_difference():
    sent = (("play", 0.7), ("condense native", 1.0), ("gate theory refuter", 0.0))
    assert notes(*(Drawn("a/b", read_purpose(purpose), drawn, 3) for purpose, drawn in sent)) == []


def test_what_was_sent_instead_is_said_of_the_role():
    assert notes(Drawn("a/b", PLAY, 0.7, 3), Drawn("a/b", Purpose("condense", "native"), None, 4)) == [
        "a/b as condenser native: temperature 1 was asked for; sent was none in 4 of 4 calls"
    ]
    # the plan states a temperature for all gates of a condenser
    of_gates = (Drawn("a/b", Purpose("gate", "theory", gate), 0.5, 3) for gate in ("refuter", "duplicate"))
    assert notes(*of_gates) == [
        "a/b as judge of the gates of theory: temperature 0 was asked for; sent was 0.5 in 6 of 6 calls"
    ]
    assert notes(Drawn("a/b", Purpose("gate", "other", "refuter"), 0.5, 3)) == []
