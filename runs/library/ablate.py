"""What each gate does: a condenser for each subset of the gates, in one run, or two where they are many."""

from dataclasses import dataclass, replace

from loadbearing.arms.subsets import MOST_FULL, kind_of
from loadbearing.reports.model.gate_ablation import Ablation
from loadbearing.runs.folder.run_folder import folder_of
from loadbearing.runs.library.run import RunEnd, RunOptions, run
from loadbearing.runs.library.spec import Given, spec_of
from loadbearing.runs.progress.display import Display
from loadbearing.runs.setup.subset_spec import SubsetOptions, ablation_spec, factors_of

SCREENED = 0.10
"""A factor is active in a screening where its p, alone, is at most this on some outcome."""


@dataclass(frozen=True, slots=True)
class AblationEnd:
    """How an ablation ended: one run, and after a screening with active factors a second one of these."""

    runs: tuple[RunEnd, ...]

    @property
    def last(self) -> RunEnd:
        """The run that says most."""
        return self.runs[-1]

    @property
    def screening(self) -> Ablation | None:
        """What the first of two runs found."""
        return ablation_of(self.runs[0]) if len(self.runs) > 1 else None


def ablate(
    spec: Given,
    asked: SubsetOptions = SubsetOptions(),
    options: RunOptions = RunOptions(),
    display: Display | None = None,
) -> AblationEnd:
    """Play a spec with subsets of its gates; the same call again goes on where the first one stopped.

    More than five factors are screened, and the active ones, four at most, then played in full in a folder
    beside the first, with the others off. That choice is made on the same tasks, so that the second run's p
    does not account for it. Each of the two runs has the whole budget.

    Raises:
        SpecFault: the spec has no theory condenser, or what is asked for does not fit.
        RunFault: a run cannot go on.
    """
    given = spec_of(spec)
    wanted = ablation_spec(given, asked)
    first = run(wanted, options, display)
    found = ablation_of(first)
    if found is None or first.ending.how != "done" or kind_of(len(found.factors)) != "screening":
        return AblationEnd((first,))
    chosen = active(found)
    if not chosen:
        return AblationEnd((first,))
    switched = factors_of(given, asked)
    narrowed = replace(asked, gates=(), groups={name: switched[name] for name in chosen})
    folder = folder_of(wanted, options.out)
    beside = replace(options, out=folder.with_name(f"{folder.name}-active"))
    return AblationEnd((first, run(ablation_spec(given, narrowed), beside, display)))


def ablation_of(ended: RunEnd) -> Ablation | None:
    """What a run found about its gates; None before its first trial."""
    return None if ended.results is None else ended.results.ablation


def active(found: Ablation) -> tuple[str, ...]:
    """The factors whose main effect shows on some outcome and backbone, the clearest four, in order."""
    best: dict[str, float] = {}
    for one in found.effects:
        if len(one.factors) == 1 and one.p is not None and not one.unchanged and one.p <= SCREENED:
            best[one.gate] = min(one.p, best.get(one.gate, 1.0))
    clearest = sorted(best, key=lambda name: best[name])[:MOST_FULL]
    return tuple(name for name in found.factors if name in clearest)
