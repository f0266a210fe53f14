"""Rows on the factors of the arms: their main effects, and where arms do not cross them."""

from memtrial.result_record import ResultRecord


class FactorRow(ResultRecord):
    """A main effect on one outcome: a row of `factors`."""

    factor: str
    """`A + B`: factors that change only together."""
    levels: tuple[str, str]
    """The mean at the second less the mean at the first, over arms alike in every other factor."""
    outcome: str
    """`score`: the intact score; else the drop under this condition."""
    backbone: str
    n_tasks: int
    n_clusters: int
    estimate: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    """Within the family of all main effects."""
    verdict: str

    @property
    def level_pair(self) -> str:
        """The two levels as a difference."""
        first, second = self.levels
        return f"{second} − {first}"
