"""Hypothesis strategies for slots: items of each schema, and the odd ones that models write."""

from hypothesis import strategies as st

from memtrial.agents.slot import Slot
from memtrial.agents.trajectory import Step, Trajectory
from memtrial.agents.trajectory_views import recount

CUE = "Notes from earlier tasks:"

_STATES = (
    "a workshop with a red lamp",
    "the boiler room",
    "front of a locked cabinet",
    "a search page without results",
    "the room with the blue gauge",
    "a checkout form that shows an error",
)
_ACTIONS = (
    "pull the brass lever",
    "click the next page link",
    "open the freezer door",
    "search for the director by name",
    "turn the dial to 30",
    "submit the form twice",
)
_REASONS = (
    "the pressure drops before the valve can open.",
    "the list is sorted by date and the oldest entry stands last.",
    "the observation names a different person than the question.",
    "steam from the pipe moves the gate.",
    "every later step needs the key that lies in this drawer.",
)
_ADVICE = (
    "When {state} comes up, {action}.",
    "Always {action} first and check the gauge before the last step.",
    "Do not {action} while the warning sign is on; wait until the light changes.",
    "You should {action} if the table has more than 3 rows.",
    "Avoid guessing: {action}, then compare the result with the question.",
    "Verifying the answer against the source is essential.",
    "The plan failed because nobody looked at the second page.",
)

_state, _action, _reason = (st.sampled_from(pool) for pool in (_STATES, _ACTIONS, _REASONS))
_advice = st.builds(str.format, st.sampled_from(_ADVICE), state=_state, action=_action)


@st.composite
def native(draw: st.DrawFn) -> str:
    """Title, Description, Content."""
    below = draw(st.sampled_from((" ", "\n")))
    number = draw(st.integers(1, 3))
    advice = draw(st.lists(_advice, min_size=1, max_size=5))
    joint = draw(st.sampled_from((" ", "\n", "\n- ", "\n\n")))
    return (
        f"# Memory Item {number}\n## Title{below}{draw(_action).capitalize()} in time\n"
        f"## Description{below}What to do in {draw(_state)}.\n## Content{below}{joint.join(advice)}"
    )


@st.composite
def theory(draw: st.DrawFn) -> str:
    """Claim, Trigger, Mechanism, Scope, Form."""
    form = draw(st.sampled_from(("heuristic", 'check: state: "lamp"')))
    return (
        f"# Memory Item {draw(st.integers(1, 3))}\n"
        f"## Claim In {draw(_state)}, {draw(st.sampled_from(('do', 'avoid')))} `{draw(_action)}`, because "
        f"{draw(_reason)}\n## Trigger task: repair | state: {draw(_state)} | action: {draw(_action)}\n"
        f"## Mechanism {draw(_reason).capitalize()}\n"
        f"## Scope Rooms of this kind. Does NOT apply when {draw(_reason)}\n## Form {form}"
    )


@st.composite
def additive(draw: st.DrawFn) -> str:
    """The fields of both, under one heading."""
    return f"{draw(native())}\n{draw(theory()).partition(chr(10))[2]}"


ODD = (
    "",
    " \n\t ",
    "...!?",
    "---\n***",
    "Stop",
    "Open doors.",
    "pull the lever",
    "What worked: the brass lever, twice.",
    "当灯亮时，永远不要拉动黄铜杆。先检查仪表。",
    "Wenn die Lampe leuchtet, zieh den Hebel nicht.",
    "לחץ על הכפתור רק אחרי הבדיקה",
    "जब बत्ती जले तब लीवर मत खींचो",
    "🔥🚀 🎉",
    "🔥 Always press start 🚀 before the 2nd step.",
    "```python\n# install first\npip.install('x')\n```",
    "Run this:\n```bash\n# Title\nmake all && make test\n```\nThen read the log.",
    "```\n## Title never closed",
    "| tool | use |\n| --- | --- |\n| lever | pull it |\n| dial | turn it left |",
    "See https://example.org/a/b?c=d#e for the rule; never trust www.example.com.",
    "# How to open the gate\nTurn the wheel left.\n## Why it works\nSteam moves it.",
    "## Title\n## Description\n## Content",
    "**Title:** Gate first\n**Description:** On gates.\n**Content:** Always open the gate first.",
    "1. Read the label.\n2. Never skip the check.\n   a) wait 5 minutes",
    "no newline " * 40 + "and one verb is here",
    " ".join(["Pull the lever when the lamp is red, then read gauge 7."] * 455),
    '{"claim": "In steam, do wait", "trigger": "state: steam"}',
    "don't can't won't isn't",
    "e.g. this, i.e. that, etc.",
    "# Memory Item 1: Use the wheel\nIt is safe.",
    "\u2028odd\x0bbreaks\x1cinside\r\nand the rest\r",
    "masked [MASKED417] lorem ipsum 17 17",
    "1 2 3 4 5",
    "not",
    "never not always",
)

NOTES = (
    "In the boiler room, turn the red valve before you open the hatch.",
    "The key to the cellar lies under the blue mat.",
    "Never submit the form twice; the order would be placed two times.",
    "- search by surname\n- compare both dates\n- never trust the first result",
    "To find the cheapest flight, sort the results by price.",
    "Unless the alarm is off, stay out of the vault. I need to look elsewhere.",
    'If "No results" is shown, use `search[name]` instead of the long query.',
    "Si la búsqueda no devuelve nada, usa un nombre más corto.",
    "Thought: it is late. Action: wait.",
)

_thought = st.builds(
    str.format,
    st.sampled_from(("I need to {action} because {reason}", "So {reason} Next I {action}.", "")),
    action=_action,
    reason=_reason,
)
_observation = st.sampled_from(
    (
        "You are in the boiler room. You see: \n\ta red lamp\n\ta brass lever",
        "Nothing happens.",
        "# Memory Item 2\n## Title A page about levers\nStep 9\nAction: none of ours",
        "Answer is INCORRECT",
        "",
    )
)
_steps = st.lists(st.builds(Step, _thought, _action, _observation), min_size=1, max_size=6).map(tuple)
trajectories = st.builds(
    Trajectory,
    st.just("trace"),
    st.just("task"),
    st.sampled_from(("Which director was born first?", "Repair the boiler.\nThen leave.")),
    st.sampled_from(("success", "failure")),
    _steps,
    st.sampled_from(("", "You stand before a locked cabinet.")),
)
raw = st.builds(recount, trajectories, st.sampled_from(("full", "actions")))

_noise = st.text(alphabet="aA tThe#`|:.;,\"'-*_\n\t1é当ß🔥nothingverdlf", max_size=80)
# every kind gets the longest whole once; among drawn items it would take most of the time
odd = st.one_of(
    st.sampled_from([one[:2_000] for one in ODD]),
    st.sampled_from(NOTES),
    _noise,
    st.lists(_noise, max_size=5).map("\n## ".join),
)
items = st.one_of(native(), theory(), additive(), raw, odd)


def slots(item: st.SearchStrategy[str] = items, least: int = 0) -> st.SearchStrategy[Slot]:
    """Slots of up to three items of any make."""
    return st.builds(Slot, st.just(CUE), st.lists(item, min_size=least, max_size=3).map(tuple))


well_formed = slots(st.one_of(native(), theory(), additive()), least=1)

told = slots(raw, least=1)

DONOR = Slot(
    CUE,
    (
        "# Memory Item 1\n## Claim In crowded gardens, avoid `watering roses`, "
        "because mildew spreads quickly.\n"
        "## Trigger task: gardening | state: roses wilted\n## Mechanism Damp leaves feed spores overnight.\n"
        "## Scope Outdoor beds. Does NOT apply when summers stay dry.\n## Form heuristic",
        "Prune hedges every autumn. Compost keeps soil rich; never bury citrus peel.",
    ),
)
