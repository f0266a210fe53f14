"""The reasons for verdicts: a code for each, and the sentence that is written from it last.

The guard that gives a code also gives the values for its sentence; `row` is the row itself.
"""

from enum import StrEnum
from typing import Self

_BUT = "the mean effect lies within the margin, but "
_FALLS = "the score falls when this text is damaged, but "


class _Code(StrEnum):
    """A code with its sentence; empty where the sentence depends on the kind of estimand (`rules.WORDS`).

    A `bare` code does not depend on the row's own test, so no caveats about its numbers are added.
    """

    sentence: str
    bare: bool

    def __new__(cls, code: str, sentence: str = "", bare: bool = False) -> Self:
        member = str.__new__(cls, code)
        member._value_, member.sentence, member.bare = code, sentence, bare
        return member


class Reason(_Code):
    """Why a row has its verdict: the rule's reasons first, then those of the guards in their order."""

    ABOVE = "above-zero"
    BELOW = "below-zero"
    WITHIN = "within-margin"
    UNDECIDED = "undecided"
    NO_INFERENCE = (
        "no-inference",
        "no inference: {row.units} with a score in every cell, at least 2 are needed",
        True,
    )

    FLOOR = (
        "floor",
        "floor: the mean intact score is {intact:.2f}, and at {floor:.2f} (twice the margin) or "
        "less there is no room for a drop; this says nothing about the content",
        True,
    )
    CEILING = "ceiling", "ceiling: every task is solved, with and without memory, so damage could not show"
    NOTHING_TO_CARRY = (
        "nothing-to-carry",
        "nothing to carry: the data rule out that this memory adds {margin:.2f} or more, so damage could "
        "cost little; this does not say whether it is read",
    )
    NEITHER_HELPS = (
        "neither-helps",
        "nothing to carry: neither memory is shown to help, and two useless memories have equal drops; this "
        "says nothing about their content",
    )
    NO_UTILITY = (
        "utility-not-established",
        "utility not established: a memory that adds nothing would give the same result",
    )
    BACKBONES_DIFFER = (
        "backbones-differ",
        _BUT + "backbones differ: on {backbone} it is {estimate:+.3f} (p {p:.3f})",
    )
    EFFECTS_CANCEL = "effects-cancel", _BUT + "{why}"
    ACTIONS_DIFFER = "actions-differ", _BUT + "{why}"
    MOST_OF_UTILITY = (
        "most-of-the-utility",
        _BUT + "the damage takes more than half of the little that this memory adds",
    )
    PLACEBO_MOVES = (
        "placebo-moves",
        "the score falls, but a rewording keeps the meaning: the words or their oddity affect the agent, "
        "which casts doubt on every verdict load-bearing of this arm",
    )
    NO_CONTENT_EVIDENCE = (
        "no-content-evidence",
        _FALLS + "neither `counter` nor an oddity placebo was played, and without one of them an agent that "
        "only stumbles over the damage looks the same",
    )
    ODDITY = (
        "oddity",
        _FALLS
        + "the same damage around the intact advice is not shown to cost less (content effect {effect:+.3f}, "
        "p {p:.3f}), so the fall may come from the text's oddity",
    )
    NO_ODDITY_PLACEBO = (
        "no-oddity-placebo",
        "the damaged text is not known to read as fluently as intact texts do, and its oddity placebo "
        "oddity+{row.condition} was played on none of these slots: the difference may come from oddity",
    )
    REWORDING = (
        "rewording",
        _FALLS + "a rewording that keeps the meaning costs {placebo:+.3f}, and this damage is not shown to "
        "cost more (p {p:.3f}), so the fall may come from the wording",
    )
    UNREADABLE = (
        "unreadable",
        _FALLS + "in replies that could not be read, or refusals: with the trials lost to them counted as "
        "solved the drop is {less:+.3f} (p {p:.3f})",
    )
    IGNORED = (
        "ignored",
        "the damage costs something, but what the memory tells is shown not to be done more often than what "
        "it does not tell (follow {follow:+.3f}), so it is not the advice that counts",
    )
    NOT_FOLLOWED = (
        "not-followed",
        "the damage costs something, but that the agent does what the memory tells is not shown ({what} "
        "{follow:+.3f}, p {p:.3f}), so it may not be the advice that counts",
    )
    NOT_OBEYED = (
        "not-obeyed",
        "the damage costs something, but that the agent does an action more often when told to than when "
        "told not to is not shown (polarity {polarity:+.3f}, p {p:.3f}): to be named may be all that counts",
    )
    NOT_TURNED = (
        "not-turned",
        "the damage costs something, but that it costs anything to be told the opposite is not shown "
        "({turned:+.3f}, p {p:.3f}): to be named, or to be familiar, may be all that counts",
    )
    ADHERENCE_UNKNOWN = (
        "adherence-unknown",
        "the damage costs something, but whether the agent does what this memory tells is known for {known} "
        "of {row.units} only, and for half of them it has to be: it may not be the advice that counts",
    )
    TOPIC_ALONE = (
        "topic-alone",
        "the damage costs something, but that other advice in its place costs anything is not shown "
        "({effect:+.3f}, p {p:.3f}): that a topic is mentioned may be all that counts",
    )
    HALF_FOLLOWED = (
        "half-followed",
        "what is advised is done less often where `counter` advises another action, but that this other one "
        "is then done more often is not shown ({follow:+.3f}, p {p:.3f}): the agent may only stumble there",
    )
    HALF_IGNORED = (
        "half-ignored",
        "what is advised is done about as often where `counter` advises another action, but that this other "
        "one is done no more often then is not shown ({follow:+.3f})",
    )
    COUNTER_INERT = (
        "counter-inert",
        "the damage costs something, but other advice in its place is shown to cost nothing "
        "({estimate:+.3f}), so it is not the advice that counts",
    )
    PRESENCE = (
        "presence",
        "the score falls when the block is gone, but that its content counts is shown by no damage that "
        "leaves a block: its mere presence may help",
    )
    DROP_NOT_CONTENT = (
        "drop-not-content",
        "the damage takes more than half of what this memory adds, but the drop itself is {word}",
    )
    INCOHERENT = (
        "incoherent",
        "the two differ, but the larger one, of {larger}, is itself {word}: what differs need not be content",
    )
    ODDITY_APART = (
        "oddity-of-two-arms",
        "the two drops differ, but less their oddity placebos they are not shown to ({effect:+.3f}, p "
        "{p:.3f}): one arm's damage may be the odder",
    )
    WITHHELD_DIFFERS = (
        "withheld-differs",
        "no text of this memory was shown, and yet the score is shown to differ from that without memory "
        "({effect:+.3f}, p {p:.3f}): the two cells were not played alike, or it is one of the chance results "
        "that alpha allows",
        True,
    )
    NEGATIVE_CONTROL_MOVES = (
        "negative-control-moves",
        "the score differs from that without memory, but so does that of the negative control {control}, of "
        "which no text was shown ({effect:+.3f}, p {p:.3f}): that it is the memory is not shown",
    )
    NOT_DELIVERED = "not-delivered", "memory text did not reach the prompt in {requests} requests", True
    NEVER_GIVEN = (
        "never-given",
        "the agent took no look at its memory in {trials} trials, so it was never given there",
        True,
    )
    NEVER_ACTIVATED = (
        "never-activated",
        "the model was told of its memory, and none of it came up in any of {trials} trials",
        True,
    )
    NOT_APPLICABLE = "not-applicable", "{row.condition} applies to no slot of {arm}: {why}", True
    ADVICE_CHECK = "advice-check", "decision check: {why}", True
    CONTROL_FAILED = (
        "positive-control-failed",
        "the effect lies within the margin, but so would it if memory never reached the agent: not even the "
        "positive control, whose content is known to hold the answer, is load-bearing in this run",
        True,
    )
    INTERIM = (
        "interim",
        "interim: the locked plan decides {when}, and nothing is decided before; the numbers of this row "
        "show the data so far",
        True,
    )
    NO_BOUNDARY = (
        "no-boundary-reached",
        "the boundary of no look was reached (p over all looks {row.p_adjusted:.3f})",
    )
    BOUNDARY = "boundary-reached", "the boundary was reached at look {look}"
    STOPPED_EARLY = (
        "stopped-early",
        "the run stopped early for other hypotheses; no test of equivalence was planned there for this one",
    )


class Caveat(_Code):
    """What a reader must know about a row whatever its verdict, in the order of the report."""

    CONTENT_UNKNOWN = (
        "content-unknown",
        "this rests on the names of the table's conditions: a table does not show what the texts said, nor "
        "that the agent did what it was told",
    )
    POLARITY_UNKNOWN = (
        "polarity-unknown",
        "whether the agent does an action less when told not to is known for fewer than half of these "
        "{row.unit}s: to be named may be all that counts",
    )
    SAME_TEXT = (
        "same-text",
        "both arms showed the same damaged text, so this contrast compares utilities only",
    )
    NO_DIFFERENCE = (
        "no-difference",
        "no task differs, so the interval rests on two pseudo tasks that differ either way; {level:.0%} "
        "bound on the share of differing {row.unit}s {share:.3f}, betting interval {low:+.3f} to {high:+.3f}",
    )
    FEW_DIFFERENCES = (
        "few-differences",
        "only {units} with a difference: sign flips alone could not show an effect (their smallest p is "
        "{least:g}), so p rests on Student's t",
    )
    LOOKS = ("looks", "{last} of {planned} looks were taken; interval and p hold over all of them")
    FAMILY_DECIDES = (
        "family-decides",
        "p is {row.p:.3f} alone and {row.p_adjusted:.3f} among {tests} tests, which decides",
    )
    ABSENCE_IN_FAMILY = (
        "absence-in-family",
        "p of equivalence is {row.p_equivalence:.3f} alone and {row.p_equivalence_adjusted:.3f} among "
        "{tests} tests, which decides",
    )
    DISAGREE = "interval-and-p-disagree", "interval and p disagree about zero, and p decides"
    FEW_UNITS = "few-units", "exploratory only: {row.units}"
