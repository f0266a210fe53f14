"""What a gate is, and what its two halves may look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal

from memtrial.agents.trajectory import Moment, Trajectory
from memtrial.agents.trajectory_views import View, passages
from memtrial.judges.closed_question import Place, Verdict
from memtrial.memory.item import Item, TypedItem
from memtrial.memory.item_roles import ItemRoles, roles_of
from memtrial.memory.markdown import render
from memtrial.memory.words import content_words
from memtrial.prompts.templates import Prompt

if TYPE_CHECKING:
    from memtrial.models.embeddings.embedding import Array
    from memtrial.protocols import Embedder

SEVERITY: tuple[Verdict, ...] = ("NOT_APPLICABLE", "PASS", "WARN", "ERROR", "FAIL")
"""From the least to the worst. What a program proves against an item stays so if a judge could not be read;
what it only warns of does not decide in a judge's place."""
MOST_RULINGS = 20
"""Of one gate about one draft, the worst first."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A gate's answer about one draft, with a reason in one sentence.

    Args:
        quote: the evidence, verbatim; a finding of absence quotes the claim; None for an ERROR.
        where: the text the quote stands in.
        beside: what else this gate says of the draft, the worst first; none of it is worse.
    """

    gate: str
    finding: Verdict
    quote: str | None
    where: Place
    reason: str
    beside: tuple[Finding, ...] = ()

    @property
    def every(self) -> tuple[Finding, ...]:
        """This one and those beside it, each by itself."""
        return (replace(self, beside=()), *self.beside)


def worst_of(findings: Iterable[Finding]) -> Finding:
    """The worst of a gate's findings, the earlier of two alike, with the others beside it."""
    worst, *others = sorted(findings, key=lambda each: -SEVERITY.index(each.finding))
    return replace(worst, beside=tuple(others))


@dataclass(frozen=True)
class Surroundings:
    """What a gate may hold an item against, besides its own trajectory.

    Args:
        trajectories: of the run's training tasks; the item's own may be among them.
        stored: by the trajectory that is being condensed, the items that are in the bank already.
        embedder: a model's vectors for the items; None: programs compare words.
    """

    trajectories: tuple[Trajectory, ...] = ()
    stored: Callable[[Trajectory], tuple[Item, ...]] = lambda _: ()
    embedder: Embedder | None = None

    @cached_property
    def moments(self) -> tuple[tuple[str, tuple[Moment, ...]], ...]:
        """By task, all moments of its trajectories' steps."""
        return tuple((trace.task_id, tuple(trace.moments())) for trace in self.trajectories)

    def elsewhere(self, task_id: str) -> tuple[tuple[Moment, ...], ...]:
        """The moments of each other task."""
        return tuple(moments for task, moments in self.moments if task != task_id)

    @cached_property
    def texts(self) -> tuple[tuple[str, str], ...]:
        """By task, all that its trajectories say, case-folded."""
        return tuple((trace.task_id, "\n".join(passages(trace)).casefold()) for trace in self.trajectories)

    def is_shared(self, piece: str, task_id: str) -> bool:
        """Whether another task's run holds the piece, too: then it is of the world, and not of one task."""
        return any(piece.casefold() in text for task, text in self.texts if task != task_id)


ALONE = Surroundings()


@lru_cache(maxsize=16)
def run_words(trajectory: Trajectory, view: View = "full") -> frozenset[str]:
    """The stems of all content words of a run, as its condenser saw it: what an item can be about."""
    return frozenset(word for text in passages(trajectory, view) for word in content_words(text))


@dataclass(frozen=True, slots=True)
class GateCase:
    """All that a deterministic half may look at.

    Args:
        view: what of the trajectory the condenser saw; an item can quote nothing else.
        vectors: of the texts that the gate compares, where a model makes them.
    """

    item: Item
    roles: ItemRoles
    trajectory: Trajectory
    view: View = "full"
    around: Surroundings = ALONE
    vectors: Array | None = None


Proof = Literal["grammar", "replay", "literal", "quote"]
"""What a program can prove: a part that is missing or does not compile; a cue that the recorded states
contradict; an id or an address, or a whole text, that stands elsewhere to the letter; a quotation whose words
the run does not hold. All else rests on lists of words and on thresholds."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a program finds, in a few words. It blocks by a proof alone: without one it warns.

    Args:
        quote: the span of the item that shows it; empty for an absence, which quotes the claim.
        proof: what proves it; None where it rests on words, or on how often something is so.
        applies: False where the gate has nothing to judge in this item.
    """

    reason: str
    quote: str = ""
    proof: Proof | None = None
    applies: bool = True

    @property
    def verdict(self) -> Literal["WARN", "FAIL", "NOT_APPLICABLE"]:
        """FAIL with a proof, WARN without."""
        if not self.applies:
            return "NOT_APPLICABLE"
        return "WARN" if self.proof is None else "FAIL"

    @property
    def account(self) -> str:
        """The reason, and for a FAIL what proves it."""
        return self.reason if self.proof is None else f"{self.reason} (proof: {self.proof})"


Rule = Callable[[GateCase], Iterator[Ruling]]
"""All that a program finds, in any order."""
Need = Literal["title", "what", "why", "when", "where", "form"]
_MISSING: dict[Need, tuple[str, str]] = {
    "title": ("Claim", "Title"),
    "what": ("Claim", "Content"),
    "why": ("Mechanism", "reason"),
    "when": ("Trigger", "Trigger"),
    "where": ("Scope", "Scope"),
}
"""What is missing in a theory item, and in any other; an empty Form is a heuristic."""


@dataclass(frozen=True, slots=True)
class GateKind:
    """A gate that ships, without its judge.

    Args:
        failure: the failure that it names, in one sentence.
        needs: the roles it reads. An item whose schema has no place for one is not gated; one that leaves
            it empty fails, which is a proof by grammar.
        rule: the deterministic half.
        proves: the proofs by which the rule itself may block; of none, it warns.
        judged: whether a judge is asked, too.
        sees_others: whether the judge is shown other tasks beside the item's own.
        control: a negative control: it is predicted to make no difference to whether advice is followed.
        measured: what the program counted, in a sentence behind the reason of a PASS.
        embeds: the texts that the rule compares as vectors.
    """

    name: str
    failure: str
    needs: tuple[Need, ...]
    rule: Rule
    proves: tuple[Proof, ...] = ()
    judged: bool = True
    sees_others: bool = False
    control: bool = False
    measured: Callable[[GateCase], str] | None = None
    embeds: Callable[[GateCase], Sequence[str]] | None = None

    @property
    def question(self) -> Prompt | None:
        """What the judge is asked."""
        return Prompt(f"gate_{self.name.replace('-', '_')}") if self.judged else None

    def find_gap(self, case: GateCase) -> Ruling | None:
        """That the gate does not apply, or that a part it reads is missing: there is nothing to judge."""
        texts: dict[Need, str | None] = {need: getattr(case.roles, need) for need in self.needs}
        if lacking := [_MISSING.get(need, ("Form",))[0] for need, text in texts.items() if text is None]:
            return Ruling(f"an item of this schema has no {lacking[0]}", applies=False)
        theory = isinstance(case.item, TypedItem)
        for need, text in texts.items():
            if not text and need in _MISSING:
                # in a schema without a field for it, the reason is found by the words that begin one
                proof: Proof | None = "grammar" if theory or need != "why" else None
                return Ruling(f"there is no {_MISSING[need][not theory]}", proof=proof)
        return None

    def rulings_on(self, case: GateCase) -> tuple[Ruling, ...]:
        """All that the program finds, each once, the worst first."""
        gap = self.find_gap(case)
        rulings = self.rule(case) if gap is None else (gap,)
        worst_first = sorted(dict.fromkeys(rulings), key=lambda ruling: -SEVERITY.index(ruling.verdict))
        return tuple(worst_first[:MOST_RULINGS])

    def rule_on(self, case: GateCase) -> Ruling | None:
        """The worst word of the program; None where it has none."""
        return next(iter(self.rulings_on(case)), None)


def evidence(item: Item) -> str:
    """What a finding of absence quotes: the claim or what takes its place, or the heading of an empty one."""
    theory, text = isinstance(item, TypedItem), render(item)
    claim = roles_of(item).what
    if claim in text:
        return claim or ("## Claim" if theory else text.split("\n")[-1])
    # a line that looks like a heading is guarded in the markdown; a single line stands there guarded or not
    return max((line.strip() for line in claim.split("\n")), key=len)
