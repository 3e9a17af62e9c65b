"""Colours that are told apart with any colour vision, for both kinds of picture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Twelve stops of viridis (Smith and van der Walt 2015, CC0), perceptually even and safe for any colour vision; between
# them colours are interpolated in RGB.
_VIRIDIS = (
    "#440154", "#482173", "#433e85", "#38598c", "#2d708e", "#25858e", "#1e9b8a", "#2ab07f", "#52c569", "#86d549",
    "#c2df23", "#fde725",
)  # fmt: skip
CLASSES = ("#56b4e9", "#e69f00", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#000000")
"""Okabe and Ito (2008)."""
NO_VALUE = "#d9d9d9"
PALE = 0.68
"""How far a faint square goes towards white [0 to 1]."""
SITE, PLANT, LINE, BORDER = "#d55e00", "#111111", "#111111", "#5a5a5a"


def rgb(colour: str) -> tuple[float, float, float]:
    """A hexadecimal colour as red, green, blue [0 to 1]."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


def ramp(share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Colours of the ramp, shape (..., 3) [0 to 1], at shares of its length [0 to 1]."""
    stops = np.array([rgb(c) for c in _VIRIDIS])
    at = np.linspace(0.0, 1.0, len(stops))
    inner = np.clip(share, 0.0, 1.0)
    return np.stack([np.interp(inner, at, stops[:, channel]) for channel in range(3)], axis=-1)


def paled(colours: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same colours, faint [0 to 1]."""
    return colours + (1.0 - colours) * PALE


def hexadecimal(colour: NDArray[np.float64]) -> str:
    """Red, green, blue [0 to 1] as a hexadecimal colour."""
    return "#" + "".join(f"{round(255 * float(c)):02x}" for c in colour)


def image_of(values: NDArray[np.float64], pale: NDArray[np.bool_], there: NDArray[np.bool_], low: float, high: float,
             classes: int = 0) -> NDArray[np.float64]:  # fmt: skip
    """Colours of a grid of values.

    Parameters
    ----------
    values : ndarray of float64, shape (rows, columns)
        In any unit, or class codes; NaN where there is none.
    pale, there : ndarray of bool, shape (rows, columns)
        Faint, and drawn at all.
    low, high : float
        Ends of the ramp, in the values' unit.
    classes : int
        Number of classes [count]; 0 for a measure.

    Returns
    -------
    ndarray of float64, shape (rows, columns, 4)
        Red, green, blue and opacity [0 to 1].
    """
    known = np.isfinite(values)
    if classes:
        table = np.array([rgb(CLASSES[i % len(CLASSES)]) for i in range(classes)])
        colours = table[np.where(known, values, 0).astype(np.int64)]
    else:
        colours = ramp(np.where(known, (values - low) / (high - low), 0.0))
    colours = np.where(known[..., None], colours, np.array(rgb(NO_VALUE)))
    colours = np.where(pale[..., None], paled(colours), colours)
    return np.concatenate([colours, there[..., None].astype(np.float64)], axis=-1)
