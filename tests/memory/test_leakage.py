"""The leakage guard: what gives a test task away is found, and what memory may know is not."""

from hypothesis import example, given
from hypothesis import strategies as st

from memtrial.agents.trajectory import Step, Trajectory
from memtrial.memory.leakage import (
    CUT,
    echo_runs,
    echoes,
    fold_words,
    item_leaks,
    remembers,
    runs,
    says,
    secrets_of,
    without_echo,
)
from memtrial.worlds.world import Task, Truth

QUERY = "Who designed the tower that stands beside the old harbour of Lorn?"
TEST = Task("q1", QUERY, "", "", "test")
OTHER = Task("q2", "Is the bridge of Oban, or that of Lorn, the longer one?", "", "", "test")
TRAIN = Task("t1", "Who designed the tower that stands in Ayr?", "", "", "train")
LESSON = "The designer of a tower is named on the plate above its door, which one has to read."
TRUTHS = {
    "q1": Truth(LESSON, (), answers=("Ada Quill",)),
    "q2": Truth("", (), answers=("the bridge of Oban", "yes")),
}
SECRETS = secrets_of((TEST, OTHER), TRUTHS, (TRAIN.query,))


def found(*texts: str, source: str = "t1") -> list[tuple[str, str]]:
    return [(leak.kind, leak.task) for leak in item_leaks(SECRETS, "native", source, texts)]


def test_each_kind_is_found_by_name() -> None:
    assert found(f"In '{QUERY.upper()}' ask for the plate.") == [("task text", "q1")]
    assert found("The answer is ada  QUILL.") == [("answer", "q1")]
    assert found(f"Know this: {LESSON}") == [("ground truth", "q1")]
    assert found("Ada Quill", LESSON) == [("ground truth", "q1"), ("answer", "q1")]


def test_what_memory_may_know_is_no_leak() -> None:
    # a training task begins with the same words, a record knows its own task, a question names the answer
    assert found("Who designed the tower that stands in the town?") == []
    assert found(QUERY, "Ada Quill", source="q1") == []
    assert found("Look at the bridge of Oban, and say yes.") == []
    assert found("The plate above the door names the designer of a tower.") == []


def test_imported_traces_of_like_tasks_are_honest_and_those_of_the_test_task_are_not() -> None:
    like = "Who designed the bridge that stands beside the old harbour of Lorn?"
    item = f"In '{like}' look at the plate."
    for imported, leaks in (((), 1), ((like,), 0), ((f"Now: {QUERY}",), 1)):
        secrets = secrets_of((TEST, OTHER), TRUTHS, (), imported)
        assert len(list(item_leaks(secrets, "raw", "t9", [item]))) == leaks, imported


def test_a_text_that_several_test_tasks_share_tells_none_of_them() -> None:
    twins = tuple(Task(name, QUERY, "", "", "test") for name in ("a", "b"))
    assert not secrets_of(twins, {}, ()).told


def test_what_somebody_saw_or_did_is_said() -> None:
    trace = Trajectory("t", "t", "q", "success", (Step("so", "search[Quill]", "It was Ada Quill."),))
    assert says(trace, "ada quill")
    assert not says(trace, "quill it")


def test_a_trace_that_was_played_with_a_memory_is_known() -> None:
    cue = "Notes from earlier tasks. Use a note where it fits the situation before you."

    def trace(thought: str) -> Trajectory:
        return Trajectory("t", "t", "q", "success", (Step(thought, "wait", "ok"),))

    assert remembers(trace(f"I was told: {cue}"), cue)
    assert remembers(trace("It says:\n# Memory Item 2\nPress."), cue)
    assert not remembers(trace("I use a note where it fits."), cue)


def test_an_echo_is_cut_and_all_else_stays_as_it_was() -> None:
    item = (
        "# Memory Item 1\n## Content When the belt hangs slack, wind the brass crank, and then wait for it."
    )
    said = "Well,  my notes say: when the belt hangs slack, wind the brass crank, and so I do."
    kept, n = without_echo(said, echo_runs((item,)))
    assert kept == f"Well,  my notes say: {CUT} so I do."
    assert n == 10
    assert without_echo("When the belt hangs slack I wait.", echo_runs((item,)))[1] == 0


def test_the_thoughts_of_a_raw_trajectory_are_nobodys_memory() -> None:
    told = "I do not know what works here so I try something"
    raw = f"Task: t\n\nStep 1\nThought: {told}\nAction: wait\n\nStep 2\nThought: {told}\nAction: wait"
    assert not any("know" in run for run in echo_runs((raw,)))


SAID = st.lists(st.sampled_from(("a", "b", "A.", "b’s", "# c", "\n", "Thought:", "Action:")), max_size=60)


@example(["b’s", "a"], ["A.", "b's", "a"], 2)
@example(["b's", "a"], ["A.", "b’s", "a"], 2)
@given(SAID, SAID, st.integers(1, 4))
def test_what_a_thought_repeats_is_what_all_runs_of_the_item_hold(
    thought: list[str], item: list[str], size: int
) -> None:
    said, shown = " ".join(thought), " ".join(item)
    held = echo_runs((shown,), size)
    assert echoes(said, shown, size) is not held.isdisjoint(runs(fold_words(said), size))
