"""What must be shown: each result beside its bound, and an exit status that says whether all were kept."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Result:
    """One result.

    Attributes:
        what: what was measured.
        value: how much it is.
        bound: how much it may be.
        unit: what both are counted in; `x` for a ratio.
    """

    what: str
    value: float
    bound: float
    unit: str = "x"

    @property
    def is_kept(self) -> bool:
        """Whether the bound was kept."""
        return self.value <= self.bound


def report(results: list[Result]) -> int:
    """Print the results as a table, and return 0, or 1 where a bound was missed."""
    width = max(len(result.what) for result in results)
    for result in results:
        verdict = "kept" if result.is_kept else "MISSED"
        bound = f"at most {result.bound:>7,.2f}"
        print(f"{result.what:<{width}}  {result.value:>9,.2f} {result.unit:<3}  {bound}  {verdict}")
    return 0 if all(result.is_kept for result in results) else 1
