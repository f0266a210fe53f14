"""Known cases for what a gate sees without a model: each differs from the sound item in one field."""

from memtrial.gates.claim_strength import CLAIM_STRENGTH
from memtrial.gates.explanatory_reach import EXPLANATORY_REACH
from memtrial.gates.grounding_alignment import GROUNDING_ALIGNMENT
from memtrial.gates.trigger_presence import TRIGGER_PRESENCE
from memtrial.memory.item import TheoryItem
from tests.support.scripted_judge import GOOD, item

# What a program must see: texts with an alibi among them, for a gate that can be talked round is none.
FLAGGED: dict[type, dict[str, TheoryItem]] = {
    TRIGGER_PRESENCE: {
        "none": item(trigger=""),
        "prose": item(trigger="when navigating"),
        "a judgement": item(trigger="when it helps"),
        "unknown cue": item(trigger='situation: "Its lid is shut"'),
        "open quote": item(trigger='state: "Its lid is shut'),
        "nothing to look for": item(trigger="state: the"),
        "one good cue, one empty": item(trigger='state: "Its lid is shut" | task:'),
        "elsewhere": item(trigger='state: "A green flag waves"'),
        "right words, wrong cue": item(trigger='task: "Its lid is shut"'),
        "two sights that never meet": item(trigger='state: "Its lid is shut" | action: "look in box"'),
        "everything": item(trigger='state: "e"'),
        "everything in two cues": item(trigger='task: "e" | state: "s"'),
    },
    CLAIM_STRENGTH: {
        "none": item(claim=""),
        "topic": item(claim="Pagination handling"),
        "truism of two words": item(claim="Verify before answering"),
        "mood": item(claim="Be careful and patient."),
        "no side, no situation": item(claim="Think hard and stay patient."),
        "a topic that says use": item(claim="The use of filters and sorting in order tables"),
        "a list of topics": item(claim="Notes about the pager, the order table and the search box"),
        "a long headline": item(claim="Efficient multi-hop search strategy for comparison questions"),
        "a past event": item(claim="The agent pressed the red stud and looked inside the brass box."),
    },
    EXPLANATORY_REACH: {
        "none": item(mechanism=""),
        "it works": item(mechanism="It just works."),
        "works better": item(mechanism="because it works better"),
        "success in many words": item(
            mechanism="This approach was effective and led to a successful outcome."
        ),
        "the agent did it": item(
            mechanism="Because the agent did this and the task was completed correctly."
        ),
        "failure otherwise": item(mechanism="Otherwise the attempt will fail."),
        "the claim again": item(mechanism="Because the lid springs open then, press the red stud."),
        "the claim and praise": item(mechanism="Pressing the red stud is the best way and works well."),
    },
    GROUNDING_ALIGNMENT: {
        "none": item(claim=""),
        "an invented sight": item(
            claim='In "A green flag waves", do `press the red stud`, or it stays shut.'
        ),
        "an invented action": item(claim='In "Its lid is shut", do `turn the key`, because the lid opens.'),
        "an invented reason": item(mechanism='The plaque says "press twice" in small letters.'),
        "single marks": item(claim="In 'Seven bells toll', do press the red stud."),
        "curly marks": item(claim="In “Violet paint peels”, do press the red stud."),
        "guillemets": item(claim="In «Some parrot screams», do press the red stud."),
        "code marks": item(claim="In ``Violet paint peels``, do press the red stud."),
        "two passages as one": item(claim='In "press the red stud A click.", do look in box.'),
        "a gap over two passages": item(claim='In "brass box stands ... silver key lies", do look in box.'),
        "a gap the wrong way": item(claim='In "lid is shut ... brass box stands", do press the red stud.'),
        "an invention in brackets": item(claim='In "<seven bells toll>", do press the red stud.'),
        "a step that never was": item(mechanism="Step 7 shows that the stud frees the latch."),
        "a range of steps": item(scope="As steps 2 to 5 show. Does NOT apply to jars."),
    },
}

# What a program must let through to the judge.
SOUND: dict[type, dict[str, TheoryItem]] = {
    TRIGGER_PRESENCE: {
        "a sight": GOOD,
        "words of the task": item(trigger="task: silver key brass box"),
        "a quote from the task": item(trigger='task: "silver key"'),
        "two cues": item(trigger='task: key | state: "lid is shut"'),
        "an action": item(trigger='state: "Its lid is shut" | action: press stud'),
        "other case and quotes": item(trigger="State: 'ITS LID is shut'"),
        "half quoted": item(trigger='state: "lid" shut'),
    },
    CLAIM_STRENGTH: {
        "do": GOOD,
        "avoid": item(claim="In front of a shut lid, avoid pulling."),
        "instead": item(
            claim="Sort by the asked column instead of scanning page 1, even when page 1 seems to hold it."
        ),
        "before": item(claim="Open the last page of a paged list before answering about an extreme."),
        "if": item(claim="If a list is paginated and the question is about an extreme, open the last page."),
        "plain imperative with a situation": item(
            claim="In an order table with a pager, open the oldest page."
        ),
        "use": item(claim="Use the pager's last page for the oldest order."),
        "don't": item(claim="Don’t pull a shut lid open by force."),
        "unicode": item(claim="In „Küche“, do «Öffne den Kühlschrank», never 冷蔵庫."),
    },
    EXPLANATORY_REACH: {
        "a cause": GOOD,
        "a default": item(mechanism="because the default order is by id, so page 1 is not the oldest"),
        "success with a cause": item(mechanism="It worked because the latch hangs on the stud."),
        "short": item(mechanism="A spring holds it."),
        "a failure with a cause": item(mechanism="The attempt fails because the hinge jams under force."),
        "other script": item(mechanism="掛け金が外れるから。"),
    },
    GROUNDING_ALIGNMENT: {
        "quotes that stand there": GOOD,
        "no quotes": item(claim="In front of a shut lid, do press the stud."),
        "other case, space and stop": item(claim='In "ITS  LID\tis shut!", do press the red stud.'),
        "other marks": item(claim="In “Its lid is shut”, do ‘press the red stud’, not 'take silver key'."),
        "apostrophes": item(claim="In the users' room don't lift the owners' lid; do press the stud."),
        "inches": item(claim='In front of a 5" box with a 6" lid, do press the red stud.'),
        "a template": item(claim='In "Its lid is shut", do `press the <colour> stud`, then `look in {box}`.'),
        "a gap in one passage": item(claim='In "A brass box ... lid is shut", do press the red stud.'),
        "a decade": item(claim="In a box of the '90s with the makers' mark, do press the red stud."),
        "steps that were": item(mechanism="Steps 1 and 2 show it; step 3 follows from them."),
        "the world's own step": item(mechanism="Step 9 of the plaque names the stud."),
        "scope names other cases": item(scope='Does NOT apply when "a keyhole" is to be seen.'),
    },
}

PROVEN: dict[type, frozenset[str]] = {
    TRIGGER_PRESENCE: frozenset(FLAGGED[TRIGGER_PRESENCE]) - {"everything", "everything in two cues"},
    CLAIM_STRENGTH: frozenset({"none"}),
    EXPLANATORY_REACH: frozenset({"none"}),
    GROUNDING_ALIGNMENT: frozenset(
        {
            "none",
            "an invented sight",
            "an invented reason",
            "curly marks",
            "guillemets",
            "an invention in brackets",
        }
    ),
}
"""Of those, what a program proves, and so blocks; of the rest it warns."""
OWN: dict[type, TheoryItem] = {
    TRIGGER_PRESENCE: item(trigger="when it helps"),
    CLAIM_STRENGTH: item(claim="The agent pressed the red stud and looked inside the brass box."),
    EXPLANATORY_REACH: item(mechanism="It just works."),
    GROUNDING_ALIGNMENT: item(claim='In "A green flag waves", do `press the red stud`.'),
}
"""For each gate an item that it alone flags."""
