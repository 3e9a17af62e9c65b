"""A supply curve in characters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_EIGHTHS = " ▁▂▃▄▅▆▇█"


def curve_chart(
    tons: Sequence[float], cost: Sequence[float], demand: float, width: int = 64, height: int = 9
) -> list[str]:
    """Draw cost against cumulative tons, with the demand marked.

    Parameters
    ----------
    tons, cost : sequence of float
        Cumulative feedstock [BDT] and delivered cost [USD per BDT], non-decreasing.
    demand : float
        Marked on the axis [BDT].
    width, height : int
        Size in characters [count].

    Returns
    -------
    list of str
        Lines, axis and labels included.
    """
    reach = min(float(tons[-1]), 2.5 * demand)
    at = (np.arange(width) + 0.5) * reach / width
    index = np.minimum(np.searchsorted(np.asarray(tons), at), len(cost) - 1)
    heights = np.asarray(cost, dtype=np.float64)[index]
    low = 10.0 * np.floor(heights.min() / 10) if heights.min() > 0 else float(heights.min())
    top = max(float(heights.max()), low + 1.0)
    eighths = np.rint((heights - low) / (top - low) * height * 8).astype(int)
    mark = min(width - 1, int(demand / reach * width))
    lines = []
    for row in range(height - 1, -1, -1):
        level = low + (top - low) * (row + 1) / height
        label = f"{level:7.0f} " if row in {height - 1, height // 2} else " " * 8
        body = "".join(_EIGHTHS[int(np.clip(e - 8 * row, 0, 8))] for e in eighths)
        body = body[:mark] + ("│" if body[mark] == " " else body[mark]) + body[mark + 1 :]
        lines.append(label + body)
    lines.append(f"{low:7.0f} " + "─" * mark + "┴" + "─" * (width - mark - 1))
    left = f"demand {demand:,.0f}"
    right = f"{reach:,.0f} BDT"
    start = max(0, min(mark - len(left) // 2, width - len(left) - len(right) - 2))
    lines.append(" " * (8 + start) + left + " " * (width - start - len(left) - len(right)) + right)
    return lines
