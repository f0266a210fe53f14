"""Questions about offices that do not exist, drawn from a seed: what ships, so that a spec runs offline.

An office treats what bears one mark in one way, and nobody can know how who has not seen it. That calibrates
the path of single-turn sets, as the workshop does that of worlds to act in; it says nothing of any model.
"""

from dataclasses import dataclass

from numpy.random import default_rng

from memtrial.worlds.single_turn.question import PosedQuestion
from memtrial.worlds.world import Proposition, Split

OFFICES: tuple[tuple[str, str], ...] = (
    ("customs house of Orvel", "crate"), ("seed bank of Tarrow", "sack"), ("archive of Misk", "folder"),
    ("parcel office of Dunmere", "parcel"), ("mint of Halloway", "purse"), ("dye works of Selby", "bale"),
    ("ferry office of Quill", "trunk"), ("map room of Ostrand", "scroll"), ("granary of Pell", "basket"),
    ("lost property room of Venn", "satchel"),
)  # fmt: skip
"""An office, and what comes to it."""
MARKS: tuple[str, ...] = (
    "a painted heron", "a broken crown", "three blue rings", "a burnt corner", "a knotted cord", "a wax seal",
    "a red thistle", "a double anchor", "a torn ribbon", "a silver comb", "a chalk spiral", "a paper moth",
    "a bent key", "a green lantern", "an inked paw", "a folded star", "a copper leaf", "a plaited rope",
    "a cracked bell", "a yellow sail",
)  # fmt: skip
TREATMENTS: tuple[str, ...] = (
    "stamp it violet", "weigh it twice", "seal it with wax", "hold it overnight", "dust it with chalk",
    "send it upstairs", "wrap it in linen", "enter it in red",
)  # fmt: skip
"""What may be done with it: the same list in every office."""
SENDERS: tuple[str, ...] = (
    "Lorne", "Ashby", "Crail", "Wend", "Marr", "Skell", "Tolland", "Brack", "Ivery", "Noss", "Gant", "Orme",
    "Hale", "Frith", "Usk", "Yarrow", "Dell", "Sorn", "Rusk", "Cobden",
)  # fmt: skip
HOURS = ("before noon", "at dusk", "on market day", "after the bell")
FEWEST = 2


@dataclass(frozen=True, slots=True)
class OfficeRules:
    """One office: what it does with a thing that bears either of two marks, each the mark of one sender."""

    office: str
    thing: str
    marks: tuple[str, str]
    senders: tuple[str, str]
    treatments: tuple[str, str]

    @property
    def propositions(self) -> tuple[Proposition, ...]:
        return tuple(
            Proposition(f"the {self.thing} bears {mark}", treatment, f"the {self.office} lets it pass")
            for mark, treatment in zip(self.marks, self.treatments, strict=True)
        )

    @property
    def lesson(self) -> str:
        return " ".join(f"When {rule.situation}, {rule.action}." for rule in self.propositions)


def draw_offices(seed: int) -> tuple[OfficeRules, ...]:
    """All offices, each with marks of its own and two treatments that differ."""
    rng = default_rng([seed, 1])
    marks = rng.permutation(MARKS).tolist()
    senders = rng.permutation(SENDERS).tolist()
    offices = []
    for number, (office, thing) in enumerate(OFFICES):
        first, second = rng.permutation(TREATMENTS).tolist()[:FEWEST]
        two = slice(2 * number, 2 * number + 2)
        offices.append(OfficeRules(office, thing, (*marks[two],), (*senders[two],), (first, second)))
    return tuple(offices)


def invent_questions(seed: int, split: Split, n: int) -> tuple[PosedQuestion, ...]:
    """`n` questions of one split, spread evenly over offices and marks."""
    offices = draw_offices(seed)
    rng = default_rng([seed, 2 if split == "train" else 3])
    questions = []
    for number in range(n):
        rules, which = offices[number % len(offices)], (number // len(offices)) % FEWEST
        hour = HOURS[int(rng.integers(len(HOURS)))]
        thing, thing_number = rules.thing, int(rng.integers(10, 1000))
        propositions = rules.propositions
        questions.append(
            PosedQuestion(
                id=f"office-{split}-{number}",
                text=(
                    f"What is done with {thing} {thing_number} from {rules.senders[which]}, which reached"
                    f" the {rules.office} {hour}?"
                ),
                kind="label",
                answers=(rules.treatments[which],),
                options=TREATMENTS,
                material=f"The {thing} bears {rules.marks[which]}.",
                family=rules.office,
                template=f"{rules.office}/{rules.marks[which]}",
                lesson=rules.lesson,
                rule=propositions[which],
                others=(propositions[1 - which],),
                split=split,
            )
        )
    return tuple(questions)
