"""Verdicts arm by arm: laid out as a matrix, and what those of one arm say when they are read together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from memtrial.analysis.hypothesis_families import NEGATIVE_CONTROL
from memtrial.analysis.reasons import Caveat, Reason
from memtrial.analysis.result import Estimate
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.reserved_names import INTACT, MEANING, ORACLE, PLACEBO, WITHOUT
from memtrial.reports.text.reading import VerdictReading, capital, margin_text, numbers_of, sample
from memtrial.reports.text.verdict_glossary import printed_word
from memtrial.views.lookup import find, in_order, judged_backbones, reference_of
from memtrial.views.numbers import is_known, probability, with_sign
from memtrial.views.rows.results import Results

Carried = Literal["fully", "partly", "not", "reversed", "untestable", "insensitive", "open", "unmeasured"]

_HEADLINES: Mapping[tuple[str, Carried], str] = {
    ("helps", "fully"): "useful and used",
    ("helps", "partly"): "useful, and used in part",
    ("helps", "not"): "placebo: the block helps, its content does not",
    ("helps", "reversed"): "useful, yet damage raises the score",
    ("helps", "untestable"): "useful; its content could not be tested",
    ("helps", "open"): "useful; whether its content is used is open",
    ("none", "fully"): "used, no net benefit",
    ("none", "partly"): "used in part, no net benefit",
    ("none", "not"): "no signal or ignored",
    ("none", "reversed"): "no net benefit, and damage raises the score",
    ("none", "untestable"): "no signal or ignored",
    ("none", "open"): "no net benefit; whether its content is used is open",
    ("harms", "fully"): "used, and harmful on net",
    ("harms", "partly"): "used in part, and harmful on net",
    ("harms", "not"): "its presence costs, its content does not carry",
    ("harms", "reversed"): "harmful, and less so when damaged",
    ("harms", "untestable"): "harmful on net; its content could not be tested",
    ("harms", "open"): "harmful on net; whether its content is used is open",
    ("inconclusive", "fully"): "used; whether it helps on net is open",
    ("inconclusive", "partly"): "used in part; whether it helps on net is open",
    ("inconclusive", "not"): "damage does little; whether it helps on net is open",
    ("inconclusive", "reversed"): "damage raises the score; whether it helps on net is open",
    ("inconclusive", "untestable"): "content untestable; whether it helps on net is open",
    ("inconclusive", "open"): "not settled",
}


_WITHHELD: Mapping[str, str] = {
    "none": "Negative control: its text was not shown, and the score is as without memory",
    "untestable": "Negative control: its text was not shown, and yet the score differs",
    "inconclusive": "Negative control: its text was not shown; that the score is as without memory is open",
}


def arm_readings(results: Results) -> dict[str, list[VerdictReading]]:
    """By backbone one reading for each arm that was judged, in the order of the run."""
    return {
        backbone: [read_arm(results, backbone, arm) for arm in arms]
        for backbone, arms in judged_backbones(results).items()
    }


def read_arm(results: Results, backbone: str, arm: str) -> VerdictReading:
    """Combine the utility of one arm with its drops.

    The content is judged by damage to meaning. Damage that removes it (`filler`, `empty`, `without`)
    measures the utility once more, and is listed as such.

    Source: the project's statistics plan, section 2 (reading with utility) and amendments 1 and 4.
    """
    if reference_of(results):
        return read_comparison(results, backbone, arm)
    gain = results.utility.get(backbone, {}).get(arm, "")
    own = find(results, "utility", backbone, arm)
    if own is not None and own.family == NEGATIVE_CONTROL:
        return VerdictReading(arm, _WITHHELD.get(gain, _WITHHELD["inconclusive"]))
    telling = _telling_words(results, backbone, arm)
    rows = [find(results, "drop", backbone, arm, condition) for condition in telling]
    headline = _headline(gain, _carried_words(telling), rows)
    headline = f"positive control: {headline}" if arm == ORACLE else headline
    weaker = telling and results.effects and not _of_meaning(results, telling)
    return VerdictReading(
        arm, capital(f"{headline} (no damage to meaning was planned)" if weaker else headline)
    )


def sum_up_content(results: Results, backbone: str, arm: str) -> Carried:
    """How far the content of one arm carries, as its headline says it."""
    return _carried_words(_telling_words(results, backbone, arm))


def _telling_words(results: Results, backbone: str, arm: str) -> dict[str, str]:
    """The verdicts that speak about content; all but placebo and absence where no meaning was damaged.

    A kind that could be done to none of the arm's texts damaged nothing and says nothing, unless that is so
    of all of them.
    """
    words = results.verdicts.get(backbone, {}).get(arm, {})
    others = {condition: word for condition, word in words.items() if condition not in (PLACEBO, WITHOUT)}
    planned = _of_meaning(results, others) or others
    rows = {name: find(results, "drop", backbone, arm, name) for name in planned}
    undone = {name for name, row in rows.items() if row is not None and row.code == Reason.NOT_APPLICABLE}
    return {name: word for name, word in planned.items() if name not in undone} or planned


def _of_meaning(results: Results, words: Mapping[str, str]) -> dict[str, str]:
    return {name: word for name, word in words.items() if results.effects.get(name) == MEANING}


def _carried_words(words: Mapping[str, str]) -> Carried:
    """One word for several drops: some damage shows use, only all damage shows the lack of it."""
    seen = set(words.values())
    if not seen:
        return "unmeasured"
    if "load-bearing" in seen:
        return "fully" if len(seen) == 1 else "partly"
    if "reversed" in seen:
        return "reversed"
    if "insensitive" in seen:
        return "insensitive"
    if seen == {"inert"}:
        return "not"
    return "untestable" if seen <= {"untestable"} else "open"


def _headline(gain: str, carried: Carried, rows: Sequence[Estimate | None]) -> str:
    """`carried` sums up the drops that tell of content; `rows` are these."""
    if carried == "unmeasured":
        return f"utility: {printed_word(gain) or 'not measured'}; its content was not tested"
    if carried == "insensitive":
        return "content not judged: the positive control did not work in this run"
    if gain == "untestable":
        return "not judged: its text did not reach the prompt"
    # floor or ceiling under every damage: then the score could not have shown a signal
    full = all(row is not None and row.code in (Reason.FLOOR, Reason.CEILING) for row in rows)
    if (gain, carried) == ("none", "untestable") and full:
        return "no room: its content could not be tested"
    return _HEADLINES.get((gain, carried), "not settled")


def read_comparison(results: Results, backbone: str, arm: str) -> VerdictReading:
    """Say what one arm's paired difference from the reference shows, and what it does not."""
    reference, word = reference_of(results), results.utility.get(backbone, {}).get(arm, "")
    row = find(results, "utility", backbone=backbone, arm=arm)
    headline = {
        "helps": f"better than {reference}",
        "harms": f"worse than {reference}",
        "none": f"as good as {reference}, within {margin_text(results)}",
    }.get(word, "not settled")
    reason = (row and row.reason) or "nothing was recorded"
    # these begin with the name of the arm, which keeps its letters
    reason = reason if row and row.code in (Reason.ABOVE, Reason.BELOW, Reason.WITHIN) else capital(reason)
    return VerdictReading(arm, headline, f"{reason}. {state_difference(row, margin_text(results))}")


def state_difference(row: Estimate | None, margin: str) -> str:
    """A difference with all that stands behind it, in one sentence."""
    if row is None:
        return "Nothing was measured."
    parts = [f"Difference {numbers_of(row)}"]
    if is_known(row.p):
        # where the family decides, the reason has named both
        if Caveat.FAMILY_DECIDES not in row.caveats:
            parts.append(f"p {probability(row.p)}, adjusted {probability(row.p_adjusted)}")
        equivalence = f"{probability(row.p_equivalence)}, adjusted {probability(row.p_equivalence_adjusted)}"
        parts.append(f"p of equivalence within ±{margin} (two one-sided tests) {equivalence}")
    parts.append(sample(row))
    if row.n_missing:
        parts.append(f"{how_many(row.n_missing, 'task')} without a score in both arms left out")
    if row.n_errors:
        worst = f"{with_sign(row.worst_low)} to {with_sign(row.worst_high)}"
        parts.append(
            f"{how_many(row.n_errors, 'error')} of the infrastructure, with which it is {worst} at the worst"
        )
    return "; ".join(filter(None, parts)) + "."


class VerdictEntry(NamedTuple):
    """One verdict and the estimate behind it; both are empty where nothing was judged."""

    word: str
    estimate: str

    @property
    def printed(self) -> str:
        """Both, as a line shows them."""
        return f"{printed_word(self.word)} {self.estimate}".strip()


@dataclass(frozen=True, slots=True)
class Matrix:
    """All verdicts on utilities (the first column) and drops: by backbone and arm an entry a column."""

    columns: tuple[str, ...]
    groups: dict[str, dict[str, list[VerdictEntry]]]

    @property
    def lines(self) -> int:
        """Rows of arms, on all backbones."""
        return sum(map(len, self.groups.values()))


def verdict_matrix(results: Results) -> Matrix:
    """Lay out every verdict, in the order of the run."""
    seen = [name for arms in results.verdicts.values() for words in arms.values() for name in words]
    conditions = in_order(results.conditions, seen)
    groups = {
        backbone: {
            arm: [read_entry(results, backbone, arm, name) for name in (INTACT, *conditions)] for arm in arms
        }
        for backbone, arms in judged_backbones(results).items()
    }
    return Matrix(("utility", *conditions), groups)


def read_entry(results: Results, backbone: str, arm: str, condition: str) -> VerdictEntry:
    """What a matrix shows of one arm: its utility where the memory is intact, else the drop under damage."""
    if condition == INTACT:
        word = results.utility.get(backbone, {}).get(arm, "")
        row = find(results, "utility", backbone, arm)
    else:
        word = results.verdicts.get(backbone, {}).get(arm, {}).get(condition, "")
        row = find(results, "drop", backbone, arm, condition)
    return VerdictEntry(word, with_sign(row.estimate) if row is not None and is_known(row.estimate) else "")
