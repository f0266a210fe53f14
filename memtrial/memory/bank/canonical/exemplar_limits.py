"""How long an exemplar may be, and how much of the raw trace it may repeat (REQUIREMENTS A-10)."""

from dataclasses import dataclass

from memtrial.memory.leakage import Run, fold_words, runs


@dataclass(frozen=True, slots=True)
class ExemplarLimits:
    """When an exemplar is a short schematic.

    Args:
        most_tokens: words and numbers of an exemplar.
        least_overlap: share of word runs that exemplar and trace have in common, of all of both (Jaccard),
            from which on the exemplar is the trace.
        least_copied: the same of the exemplar's own runs alone: a short copy of a long trace has a small
            Jaccard.
        size: words of a run.
    """

    most_tokens: int = 120
    least_overlap: float = 0.5
    least_copied: float = 0.5
    size: int = 4


@dataclass(frozen=True, slots=True)
class ExemplarMeasure:
    """Its words, the Jaccard index of both texts' word runs, the share of its own runs that are copied."""

    tokens: int
    jaccard: float
    copied: float


def measure_exemplar(exemplar: str, trace: str, limits: ExemplarLimits) -> ExemplarMeasure:
    """Compare an exemplar with the trace that it comes from; a text shorter than a run is one run."""
    words = fold_words(exemplar)
    own, other = (_runs_of(text, limits.size) for text in (words, fold_words(trace)))
    common = len(own & other)
    return ExemplarMeasure(len(words), common / max(1, len(own | other)), common / max(1, len(own)))


def _runs_of(words: Run, size: int) -> set[Run]:
    return set(runs(words, min(size, len(words)))) if words else set()


def find_exemplar_faults(
    exemplar: str, trace: str, limits: ExemplarLimits = ExemplarLimits()
) -> tuple[str, ...]:
    """Why the exemplar is no short schematic, a line each; none where it is, or where there is none."""
    measured = measure_exemplar(exemplar, trace, limits)
    faults: list[str] = []
    if measured.tokens > limits.most_tokens:
        faults.append(
            f"an exemplar of at most {limits.most_tokens} words is needed; it has {measured.tokens}"
        )
    if measured.jaccard >= limits.least_overlap:
        faults.append(
            f"the exemplar is the raw trace: Jaccard {measured.jaccard:.2f}, below {limits.least_overlap:g}"
        )
    elif measured.copied >= limits.least_copied:
        faults.append(
            f"the exemplar copies the raw trace: {measured.copied:.0%} of its word runs stand there"
        )
    return tuple(faults)
