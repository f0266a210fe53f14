"""Which gates the arms of a gate ablation switch."""

from loadbearing.runs.spec.sections import Part


class AblationSpec(Part):
    """Arms whose condensers differ in their gates alone; `loadbearing ablate` writes it.

    Args:
        factors: the gates that each switches, by its name.
        subsets: the factors that are on, by arm.
    """

    factors: dict[str, tuple[str, ...]]
    subsets: dict[str, tuple[str, ...]]
