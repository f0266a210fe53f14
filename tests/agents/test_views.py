"""Views: the text every condenser and judge reads of a trajectory, and the pieces that can be quoted."""

from hypothesis import given
from hypothesis import strategies as st

from memtrial.agents.slot import NOTHING, Slot
from memtrial.agents.trajectory import Step, Trajectory
from memtrial.agents.trajectory_views import passages, render
from memtrial.models.simulated.trajectory_text import turns

lines = st.text(st.characters(codec="utf-8", exclude_characters="<>\r"), max_size=15)
words = st.text("abc 1.", min_size=1, max_size=15).filter(str.strip).map(str.strip)


def trajectories(texts):
    return st.builds(
        Trajectory, st.just("t"), st.just("q"), texts, st.sampled_from(["success", "failure"]),
        st.lists(st.builds(Step, texts, texts, texts), max_size=4).map(tuple), texts,
    )  # fmt: skip


TRACE = Trajectory(
    "t", "q", "Find it.", "failure", (Step("hm", "look", "a shelf"), Step("so", "take it", "")), "a room"
)


def test_the_layout_is_upstreams():
    assert render(TRACE, "actions") == (
        "**Query:** Find it.\n\n**Trajectory:**\n"
        "<think>\nhm\n</think>\n<action>\nlook\n</action>\n\n"
        "<think>\nso\n</think>\n<action>\ntake it\n</action>"
    )
    assert render(TRACE, "full") == (
        "**Query:** Find it.\n\n**Trajectory:**\n<observation>\na room\n</observation>\n\n"
        "<think>\nhm\n</think>\n<action>\nlook\n</action>\n<observation>\na shelf\n</observation>\n\n"
        "<think>\nso\n</think>\n<action>\ntake it\n</action>\n<observation>\n\n</observation>"
    )
    assert render(TRACE) == render(TRACE, "full")


def test_passages_are_the_pieces_a_reader_of_the_view_sees():
    assert passages(TRACE, "full") == ("Find it.", "a room", "hm", "look", "a shelf", "so", "take it")
    assert passages(TRACE, "actions") == ("Find it.", "hm", "look", "so", "take it")


@given(trace=trajectories(lines))
def test_every_passage_stands_in_its_view_and_none_is_empty(trace):
    for view in ("full", "actions", "messages"):
        assert all(piece and piece in render(trace, view) for piece in passages(trace, view))


@given(trace=trajectories(words))
def test_the_actions_view_tells_nothing_of_what_was_seen(trace):
    blind = Trajectory(
        trace.trace_id, trace.task_id, trace.query, trace.outcome,
        tuple(Step(step.thought, step.action, "unseen") for step in trace.steps), "unseen",
    )  # fmt: skip
    assert render(blind, "actions") == render(trace, "actions")
    assert passages(blind, "actions") == passages(trace, "actions")


@given(trace=trajectories(words))
def test_the_outcome_is_not_told(trace):
    other = "failure" if trace.outcome == "success" else "success"
    turned = Trajectory(trace.trace_id, trace.task_id, trace.query, other, trace.steps, trace.start)
    assert render(turned) == render(trace)


@given(trace=trajectories(words))
def test_the_simulated_condensers_read_the_view_back(trace):
    query, found = turns(render(trace))
    assert query == trace.query
    assert [(turn.action, turn.after) for turn in found] == [(s.action, s.observation) for s in trace.steps]
    assert [turn.before for turn in found] == [trace.start, *(s.observation for s in trace.steps[:-1])][
        : len(found)
    ]
    assert [turn.action for turn in turns(render(trace, "actions"))[1]] == [s.action for s in trace.steps]


def test_a_slot_is_its_cue_and_its_items():
    slot = Slot("Cue.", ("one\ntwo", "", "three"))
    assert slot.text == "Cue.\n\none\ntwo\n\nthree"
    assert not slot.empty
    assert (NOTHING.text, NOTHING.empty) == ("", True)
    assert Slot("Cue.").empty
    assert Slot("Cue.").text == "Cue."


@given(st.lists(words, max_size=3), st.lists(words, max_size=3))
def test_a_slots_digest_names_its_text(some, others):
    first, second = Slot("Cue.", tuple(some)), Slot("Cue.", tuple(others))
    assert (first.digest == second.digest) == (first.text == second.text)
