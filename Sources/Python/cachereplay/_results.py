"""Results of the command as tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ._command import need

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Row = dict[str, Any]


class Result:
    """What a command found: tables, sentences and the warnings about the input.

    `pandas()`, `arrow()` and `polars()` return a table; without a name, the main one. `print(result)` shows it.

    Attributes:
        json: What the command printed with --json.
        findings: The sentences that follow from the figures, the most important one first.
        notes: What the command said beside its results, such as warnings.
    """

    def __init__(
        self, json: Any, tables: dict[str, list[Row]], findings: list[str] | None = None, notes: list[str] | None = None
    ) -> None:
        self.json = json
        self.findings = findings or []
        self.notes = notes or []
        self._tables = tables

    @property
    def tables(self) -> list[str]:
        """The names of the tables, the main one first."""
        return list(self._tables)

    def rows(self, table: str | None = None) -> list[Row]:
        """Returns the rows of a table as dictionaries.

        Raises:
            KeyError: If there is no such table.
        """
        name = table or next(iter(self._tables))
        if name not in self._tables:
            raise KeyError(f"there is no table {name!r}; this result has {', '.join(self._tables)}")
        return self._tables[name]

    def pandas(self, table: str | None = None) -> pandas.DataFrame:
        """Returns a table as a DataFrame of pandas."""
        module = need("pandas", "Result.pandas()")
        frame: pandas.DataFrame = module.DataFrame(self.rows(table))
        return frame

    def arrow(self, table: str | None = None) -> pyarrow.Table:
        """Returns a table as a Table of Arrow."""
        module = need("pyarrow", "Result.arrow()")
        return module.Table.from_pylist(self.rows(table))

    def polars(self, table: str | None = None) -> polars.DataFrame:
        """Returns a table as a DataFrame of Polars."""
        module = need("polars", "Result.polars()")
        frame: polars.DataFrame = module.DataFrame(self.rows(table), infer_schema_length=None)
        return frame

    def __len__(self) -> int:
        return len(self.rows())

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows())

    def __repr__(self) -> str:
        tables = ", ".join(f"{name} ({len(rows)} rows)" for name, rows in self._tables.items())
        return "\n".join([f"{type(self).__name__}: {tables}", *self.findings])

    def _repr_html_(self) -> str | None:
        try:
            frame: Any = self.pandas()
        except ImportError:
            return None
        return str(frame._repr_html_())


class Curve(Result):
    """Miss ratios by capacity."""

    def plot(self, ax: Any = None, *, bytes: bool = False) -> Any:
        """Draws the miss ratio at each capacity, a line for each policy and trace, and returns the axes of Matplotlib.

        Args:
            ax: The axes to draw into; by default new ones.
            bytes: Draw the share of missed bytes instead of that of missed requests.
        """
        pyplot = need("matplotlib.pyplot", "plot()")
        if ax is None:
            _, ax = pyplot.subplots()
        column = "byte_miss_ratio" if bytes else "miss_ratio"
        lines: dict[tuple[str, str], list[tuple[int, float]]] = {}
        for row in self.rows():
            lines.setdefault((row["trace"], row["policy"]), []).append((row["capacity"], row[column]))
        traces = {trace for trace, _ in lines}
        for (trace, policy), points in lines.items():
            xs, ys = zip(*sorted(points))
            ax.plot(xs, ys, label=policy if len(traces) == 1 else f"{policy}, {trace}")
        units = {row["unit"] for row in self.rows()}
        ax.set_xscale("log")
        ax.set_ylim(0, 1)
        ax.set_xlabel(f"capacity ({', '.join(sorted(units))})")
        ax.set_ylabel("missed bytes" if bytes else "miss ratio")
        ax.legend()
        return ax
