"""Which action an item tells to do: one reading for every schema, and what is no advice."""

import pytest

from memtrial.agents.trajectory_views import recount
from memtrial.perturbations.advice.advised_action import Advised, find_advice, named_actions
from memtrial.perturbations.advice.known_actions import Repertoire, same_action
from memtrial.plugins.conformance.fixtures import PRESS
from memtrial.runs.trials.slot_damage import repertoire_of
from memtrial.worlds.scienceworld.action_commands import PATTERNS
from memtrial.worlds.workshop.world import Workshop
from tests.support.loom import PANEL, SCHEMAS

LISTED = Repertoire((PANEL, ("wait",)))
FORMS = Repertoire(forms=PATTERNS)


@pytest.mark.parametrize("known", [Repertoire(), LISTED], ids=["nothing known", "listed"])
@pytest.mark.parametrize("schema", SCHEMAS)
def test_one_lesson_is_read_alike_in_every_schema(schema: str, known: Repertoire) -> None:
    first = find_advice(SCHEMAS[schema], known)[0]
    assert first.action == "pull the tin lever"
    assert [one.strip('"').lower() for one in first.when] == ["the belt hangs slack"]
    assert SCHEMAS[schema][first.start :].startswith(first.action)


READ = [
    ("When the lamp is lit, pull the lever.", ["pull the lever"]),
    ("Pull the lever when the lamp is lit, unless frost shows.", ["Pull the lever"]),
    (
        "Always pull the lever first and check the gauge before the last step.",
        ["pull the lever", "check the gauge"],
    ),
    ("In steam, do `turn the valve`, then `open the gate`.", ["turn the valve", "open the gate"]),
    ("In steam, avoid `turn the valve`, then `open the gate`.", []),
    ("Search[Ada], then Lookup[born] and Finish[1815].", ["Search[Ada]", "Lookup[born]", "Finish[1815]"]),
    (
        "Instead of guessing, search the page, then verify that it fits.",
        ["search the page", "verify that it fits"],
    ),
    ("Check the table, the list and the gauge, or ask.", ["Check the table"]),
    ("Never guess the year, or answer from memory.", []),
    ("It is best to read the infobox. Then run it again.", ["read the infobox"]),
    ("You should always click the `Next` button.", ["click the `Next` button"]),
    ("Before you sign off the loom, inspect the sample.", ["inspect the sample"]),
    ("Use `search[name]` instead of the long query.", ["search[name]"]),
    ("Never pull the lever; press the button.", ["press the button"]),
    ("1. Open the page.\n2. Sort the rows.", ["Open the page", "Sort the rows"]),
    ("In this task do these steps in order: `open the box`, then `wait`.", ["open the box", "wait"]),
    ("In steam, avoid `turn the valve`, because it is stuck.", []),
    ("Do not pull the lever.", []),
    ("You should never pull the lever.", []),
    ("The lever is of brass.", []),
    ("Be careful and keep calm.", []),
    ("I need to look elsewhere.", []),
    ("当灯亮时，永远不要拉动黄铜杆。", []),
    ("", []),
]


@pytest.mark.parametrize(("text", "actions"), READ, ids=[text[:30] or "blank" for text, _ in READ])
def test_what_a_sentence_tells_to_do(text: str, actions: list[str]) -> None:
    assert [one.action for one in find_advice(text)] == actions


def test_conditions_and_exceptions_are_told_apart() -> None:
    text = "When the funnel drips, flip the switch, unless sparks jump. When sparks jump, tug the chain."
    first, second = find_advice(text)
    assert (first.when, first.unless) == (("the funnel drips",), ("sparks jump",))
    assert (second.when, second.unless) == (("sparks jump",), ())
    assert find_advice("Unless the lamp is green, press start.") == (
        Advised("press start", 26, (), ("the lamp is green",)),
    )


def test_a_claim_or_content_alone_advises_and_a_raw_trajectory_does_not() -> None:
    item = "# Memory Item 1\n## Title Press start\n## Description Open it.\n## Content Pull the tin lever."
    assert [one.action for one in find_advice(item)] == ["Pull the tin lever"]
    assert find_advice(recount(PRESS)) == named_actions(recount(PRESS)) == ()


def test_where_the_world_is_known_nothing_else_is_an_action() -> None:
    assert find_advice("Compare the results twice.", LISTED) == ()
    assert [one.action for one in find_advice("Maybe pull the tin lever twice.", LISTED)] == [
        "pull the tin lever"
    ]
    assert find_advice("Heat the water.", FORMS) == find_advice("Focus on it first.", FORMS) == ()
    assert [one.action for one in find_advice("Open the freezer door.", FORMS)] == ["Open the freezer door"]
    assert named_actions("Avoid `wait`. Pull the lever.") == ("wait", "Pull the lever")


@pytest.mark.parametrize(
    ("done", "told", "same"),
    [
        ("pull the tin lever", "Pull tin lever", True),
        ("pull the tin lever now", "pull the tin lever", True),
        ("pull the tin lever", "pull the tin lever carefully", True),
        ("search[Ada]", "search Ada", True),
        ("pull the zinc lever", "pull the tin lever", False),
        ("pull", "pull the tin lever", False),
        ("wait a while", "wait", False),
        ("", "", False),
    ],
)
def test_the_same_action_in_other_words_of_form(done: str, told: str, same: bool) -> None:
    assert same_action(done, told) == same


def test_what_else_is_accepted_stands_in_the_same_list_or_takes_as_many_things() -> None:
    known = Repertoire((PANEL, ("wait", "leave")), PATTERNS)
    assert set(known.others("Pull the tin lever")) == set(PANEL) - {"pull the tin lever"}
    assert known.others("wait") == ("leave",)
    assert "close red box" in FORMS.others("open the red box")
    assert "pour salt in pot" in FORMS.others("move salt to pot")
    # wait1 is the same in little
    assert set(FORMS.others("wait")) == {"look around", "inventory", "task"}
    assert known.others("compare the results") == ()


def test_the_workshop_is_walked_until_its_panels_are_lit_and_forms_stand_in_rules() -> None:
    world = Workshop(3, 24, 24)
    known = repertoire_of(world, world.tasks("test"))
    paths = [world.ground_truth(task).path for task in world.tasks("test")]
    # what opens a path; what closes it is listed only where a machine runs
    works = {next(action for action in path if action != "wait") for path in paths}
    assert any(path[0] == "wait" for path in paths)
    assert all(known.accepts(action) and known.others(action) for action in works)
    assert not known.accepts("think again")
    assert known.forms == ()


class Silent(Workshop):
    """A workshop that lists no actions; its rules list forms."""

    rules = "Type one of these:\n- open OBJ\n- go to LOC\n- look around\nThat is all."
    resets = 0

    def reset(self, task):  # type: ignore[no-untyped-def]
        self.resets += 1
        return super().reset(task).__class__("You see a door.")


def test_a_world_that_lists_nothing_is_asked_once() -> None:
    world = Silent(3, 24, 24)
    known = repertoire_of(world, world.tasks("test"))
    assert known == Repertoire((), ("open OBJ", "go to LOC", "look around"))
    assert world.resets == 1
