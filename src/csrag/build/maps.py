"""Pictures of layers: clusters gathered into pixels of 360 m or a multiple of it, county lines over them, a legend with units."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.layer_view import NETWORK, LayerView, no_roads
from csrag.errors import DataError, RequestError
from csrag.geo import to_albers_m
from csrag.places.counties import county_names, rings_of
from csrag.surfaces.store import LayerStore

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CELL_M = 360.0
"""Side of a cluster's cell [m]."""
_MOST_PIXELS = 900
_TAIL_PCT = 2.0
_NO_VALUE = "#d9d9d9"
# Cynthia Brewer's PuOr and the perceptually even cividis are told apart with any colour vision; so are the classes' colours,
# those of Okabe and Ito (2008).
_SEQUENTIAL, _DIVERGING = "cividis", "PuOr"
_CLASSES = ("#56b4e9", "#e69f00", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#000000")


@dataclass(frozen=True)
class Frame:
    """The pixels of a picture in California Albers.

    Parameters
    ----------
    x0_m, y1_m : float
        West and north edge [m].
    pixel_m : float
        Side of a pixel [m].
    rows, columns : int
        Number of pixels, from the north and from the west.
    """

    x0_m: float
    y1_m: float
    pixel_m: float
    rows: int
    columns: int

    @classmethod
    def around(cls, x_m: NDArray[np.float64], y_m: NDArray[np.float64], most: int = _MOST_PIXELS) -> Frame:
        """Pixels that cover points, each a whole number of cells wide, and at most `most` along either side.

        Parameters
        ----------
        x_m, y_m : ndarray, shape (n,)
            Points [m].
        most : int
            Number of pixels.
        """
        west, north = float(x_m.min()) - CELL_M / 2, float(y_m.max()) + CELL_M / 2
        width, height = float(x_m.max()) + CELL_M / 2 - west, north - (float(y_m.min()) - CELL_M / 2)
        pixel = CELL_M * max(1, int(np.ceil(max(width, height) / CELL_M / most)))
        return cls(west, north, pixel, int(np.ceil(height / pixel - 1e-6)), int(np.ceil(width / pixel - 1e-6)))

    def pixel_of(self, x_m: NDArray[np.float64], y_m: NDArray[np.float64]) -> NDArray[np.int64]:
        """Index of the pixel of each point, row by row from the north-west, -1 outside; points [m]."""
        column = np.floor((x_m - self.x0_m) / self.pixel_m).astype(np.int64)
        row = np.floor((self.y1_m - y_m) / self.pixel_m).astype(np.int64)
        inside = (row >= 0) & (row < self.rows) & (column >= 0) & (column < self.columns)
        return np.where(inside, row * self.columns + column, -1)

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """West, east, south, north [m]."""
        return (
            self.x0_m, self.x0_m + self.columns * self.pixel_m, self.y1_m - self.rows * self.pixel_m, self.y1_m,
        )  # fmt: skip


def pixel_means(frame: Frame, pixel: NDArray[np.int64], values: NDArray[Any]) -> NDArray[np.float64]:
    """Mean of the known values in each pixel.

    Parameters
    ----------
    frame : Frame
        The pixels.
    pixel : ndarray of int64, shape (n,)
        Index of each value's pixel; -1 outside.
    values : ndarray, shape (n,)
        Values, any unit; NaN unknown.

    Returns
    -------
    ndarray of float64, shape (rows, columns)
        In the values' unit; NaN where a pixel has no known value.
    """
    known = np.isfinite(values) & (pixel >= 0)
    size = frame.rows * frame.columns
    count = np.bincount(pixel[known], minlength=size)
    total = np.bincount(pixel[known], weights=values[known].astype(np.float64), minlength=size)
    means = np.full(size, np.nan)
    np.divide(total, count, out=means, where=count > 0)
    return means.reshape(frame.rows, frame.columns)


def pixel_classes(frame: Frame, pixel: NDArray[np.int64], codes: NDArray[Any], number: int) -> NDArray[np.int64]:
    """Most frequent code in each pixel, the lower one of equals, -1 where none is known; shape (rows, columns)."""
    size = frame.rows * frame.columns
    best, most = np.full(size, -1, dtype=np.int64), np.zeros(size, dtype=np.int64)
    for code in range(number):
        count = np.bincount(pixel[(codes == code) & (pixel >= 0)], minlength=size)
        more = count > most
        best[more], most[more] = code, count[more]
    return best.reshape(frame.rows, frame.columns)


def fastest_roads(frame: Frame, store: LayerStore) -> NDArray[np.float64]:
    """Speed of the fastest road through each pixel.

    Returns
    -------
    ndarray of float64, shape (rows, columns)
        Truck's speed [km per hour]; NaN where no road passes. Edges are drawn straight from node to node.

    Raises
    ------
    InvalidValueError
        If the set has no road network.
    """
    roads = store.roads
    if roads is None:
        raise no_roads(store)
    start = np.repeat(np.arange(roads.node_lat.size), np.diff(roads.indptr))
    once = start < roads.neighbour
    u, v = start[once], np.asarray(roads.neighbour)[once].astype(np.int64)
    hours = np.asarray(roads.hours)[once].astype(np.float64)
    speed = np.divide(np.asarray(roads.km)[once], hours, out=np.full(hours.shape, np.nan), where=hours > 0)
    x, y = to_albers_m(roads.node_lat, roads.node_lon)
    steps = 1 + np.ceil(2 * np.hypot(x[v] - x[u], y[v] - y[u]) / frame.pixel_m).astype(np.int64)
    out = np.full(frame.rows * frame.columns, -np.inf)
    for lo in range(0, u.size, 500_000):  # a national graph's points need not lie in memory together
        at = slice(lo, lo + 500_000)
        many = steps[at]
        edge = np.repeat(np.arange(many.size), many)
        share = (np.arange(edge.size) - np.repeat(np.cumsum(many) - many, many)) / np.maximum(many - 1, 1)[edge]
        a, b = u[at][edge], v[at][edge]
        pixel = frame.pixel_of(x[a] + share * (x[b] - x[a]), y[a] + share * (y[b] - y[a]))
        fine = (pixel >= 0) & np.isfinite(speed[at][edge])
        np.maximum.at(out, pixel[fine], speed[at][edge][fine])
    return np.where(np.isfinite(out), out, np.nan).reshape(frame.rows, frame.columns)


def layer_picture(store: LayerStore, seen: LayerView | None) -> bytes:
    """A PNG of one layer.

    Parameters
    ----------
    store : LayerStore
        The set.
    seen : LayerView or None
        The layer; None for the road network.

    Returns
    -------
    bytes
        PNG file.

    Raises
    ------
    RequestError
        If matplotlib is not installed.
    InvalidValueError
        If there is no road network to draw.
    """
    frame, pixel = _frame_of(store)
    if seen is None:
        image = fastest_roads(frame, store)
        seen = LayerView(
            NETWORK, "road network: fastest road in each pixel", "km per hour, loaded truck", image.ravel()
        )
        note = f"{0 if store.roads is None else store.roads.node_lat.size:,} nodes"
        return _measure(store, frame, image, np.zeros_like(image, dtype=bool), seen, note)
    there = np.zeros(frame.rows * frame.columns, dtype=bool)
    there[pixel[pixel >= 0]] = True
    empty = there.reshape(frame.rows, frame.columns)
    if seen.classes:
        return _classes(store, frame, pixel_classes(frame, pixel, seen.values, len(seen.classes)), empty, seen)
    known = int(np.count_nonzero(np.isfinite(seen.values)))
    note = f"{known:,} of {seen.values.size:,} clusters"
    return _measure(store, frame, pixel_means(frame, pixel, seen.values), empty, seen, note)


def difference_picture(
    a: LayerStore, b: LayerStore, label: str, unit: str, gap: NDArray[np.float64], note: str
) -> bytes:
    """A PNG of second minus first.

    Parameters
    ----------
    a, b : LayerStore
        The two sets, over the same clusters.
    label, unit : str
        What is compared; unit in words.
    gap : ndarray, shape (n,)
        Differences in that unit; NaN where either has no value.
    note : str
        A line below the picture.

    Returns
    -------
    bytes
        PNG file.

    Raises
    ------
    RequestError
        If matplotlib is not installed.
    """
    frame, pixel = _frame_of(a)
    image = pixel_means(frame, pixel, gap)
    there = np.zeros(frame.rows * frame.columns, dtype=bool)
    there[pixel[pixel >= 0]] = True
    known = image[np.isfinite(image)]
    reach = float(np.percentile(np.abs(known), 100 - _TAIL_PCT)) if known.size else 0.0
    reach = reach or float(np.abs(known).max(initial=0.0)) or 1.0
    what = "synthetic" if a.manifest.synthetic or b.manifest.synthetic else ""
    figure, axes = _canvas(frame, f"Difference in {label}", bool(what))
    _background(axes, frame, there.reshape(image.shape) & np.isnan(image))
    shown = axes.imshow(image, extent=frame.extent, cmap=_DIVERGING, vmin=-reach, vmax=reach, interpolation="nearest")
    _bar(
        figure,
        axes,
        shown,
        f"{b.manifest.name} ({b.hash[:8]}) minus {a.manifest.name} ({a.hash[:8]})\n[{unit}]",
        "both",
    )
    return _finished(figure, axes, frame, note + "; grey: no value in one of them")


def difference_raster(store: LayerStore, gap: NDArray[np.float64]) -> bytes:
    """A GeoTIFF of differences in California Albers (EPSG:3310), one cell of 360 m a cluster.

    Parameters
    ----------
    store : LayerStore
        Either set.
    gap : ndarray, shape (n,)
        Differences, any unit; NaN where either has no value.

    Returns
    -------
    bytes
        GeoTIFF file, float32, NaN for no value.

    Raises
    ------
    RequestError
        If rasterio is not installed.
    """
    try:
        from rasterio.io import MemoryFile
        from rasterio.transform import Affine
    except ImportError:
        raise RequestError(
            "A GeoTIFF needs rasterio, which is not installed.", 'Install it with pip install "csrag[gis]", or use --csv.',
            code="extra_missing",
        ) from None  # fmt: skip
    x, y = to_albers_m(store.column("lat"), store.column("lon"))
    frame = Frame.around(x, y, most=1 << 30)
    image = pixel_means(frame, frame.pixel_of(x, y), gap).astype(np.float32)
    with MemoryFile() as memory:
        with memory.open(
            driver="GTiff", height=frame.rows, width=frame.columns, count=1, dtype="float32", crs="EPSG:3310", nodata=np.nan,
            transform=Affine(frame.pixel_m, 0.0, frame.x0_m, 0.0, -frame.pixel_m, frame.y1_m), compress="deflate",
        ) as target:  # fmt: skip
            target.write(image, 1)
        return bytes(memory.getbuffer())


def _frame_of(store: LayerStore) -> tuple[Frame, NDArray[np.int64]]:
    x, y = to_albers_m(store.column("lat"), store.column("lon"))
    if not x.size:
        raise DataError(f"{store.path} holds no clusters to draw.", "Build or import a layer set.")
    frame = Frame.around(x, y)
    return frame, frame.pixel_of(x, y)


def _measure(
    store: LayerStore, frame: Frame, image: NDArray[np.float64], there: NDArray[np.bool_], seen: LayerView, note: str
) -> bytes:
    known = image[np.isfinite(image)]
    low, high = (float(v) for v in np.percentile(known, [_TAIL_PCT, 100 - _TAIL_PCT])) if known.size else (0.0, 1.0)
    if low == high:
        low, high = float(known.min()), float(known.max())
    figure, axes = _canvas(frame, f"{store.manifest.name}: {seen.label}", store.manifest.synthetic)
    _background(axes, frame, there & np.isnan(image))
    shown = axes.imshow(image, extent=frame.extent, cmap=_SEQUENTIAL, vmin=low, vmax=high, interpolation="nearest")
    beyond = known.size and (known.min() < low or known.max() > high)
    _bar(figure, axes, shown, f"{seen.label}\n[{seen.unit}]", "both" if beyond else "neither")
    grey = "; grey: no value" if (there & np.isnan(image)).any() else ""
    return _finished(figure, axes, frame, f"layer set {store.hash[:16]}; {note}{grey}")


def _classes(
    store: LayerStore, frame: Frame, image: NDArray[np.int64], there: NDArray[np.bool_], seen: LayerView
) -> bytes:
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    figure, axes = _canvas(frame, f"{store.manifest.name}: {seen.label}", store.manifest.synthetic)
    _background(axes, frame, there & (image < 0))
    colours = [_CLASSES[i % len(_CLASSES)] for i in range(len(seen.classes))]
    axes.imshow(np.ma.masked_less(image, 0), extent=frame.extent, cmap=ListedColormap(colours), vmin=-0.5,
                vmax=len(colours) - 0.5, interpolation="nearest")  # fmt: skip
    share = np.bincount(seen.values[seen.values >= 0], minlength=len(colours)) / max(seen.values.size, 1)
    patches = [Patch(color=colour, label=f"{name} {100 * share[i]:.1f} %")
               for i, (name, colour) in enumerate(zip(seen.classes, colours, strict=True)) if share[i] > 0]  # fmt: skip
    unknown = 1 - float(share.sum())
    if unknown > 0:
        patches.append(Patch(color=_NO_VALUE, label=f"unknown {100 * unknown:.1f} %"))
    axes.legend(handles=patches, title="share of clusters", loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False,
                fontsize=9, alignment="left")  # fmt: skip
    return _finished(figure, axes, frame, f"layer set {store.hash[:16]}; {seen.values.size:,} clusters")


def _canvas(frame: Frame, title: str, synthetic: bool) -> tuple[Figure, Any]:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise RequestError(
            "A map picture needs matplotlib, which is not installed.", 'Install it with pip install "csrag[report]".',
            code="extra_missing",
        ) from None  # fmt: skip
    # A strip as wide as the legend stands beside the map, whatever its shape.
    height = 8.0
    width = min(max(height * frame.columns / frame.rows, 4.5), 11.0)
    figure = Figure(figsize=(width + 2.6, height + 1.0), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_title(title, loc="left", fontsize=12, wrap=True)
    if synthetic:
        axes.text(0.99, 0.99, "SYNTHETIC: made-up data", transform=axes.transAxes, ha="right", va="top", fontsize=11,
                  weight="bold", color="#b00020", bbox={"facecolor": "white", "edgecolor": "#b00020"}, zorder=5)  # fmt: skip
    return figure, axes


def _background(axes: Any, frame: Frame, empty: NDArray[np.bool_]) -> None:
    from matplotlib.colors import ListedColormap

    axes.imshow(np.ma.masked_equal(empty, False), extent=frame.extent, cmap=ListedColormap([_NO_VALUE]),
                interpolation="nearest")  # fmt: skip


def _bar(figure: Figure, axes: Any, shown: Any, label: str, extend: str) -> None:
    figure.colorbar(shown, ax=axes, label=label, extend=extend, shrink=0.75, pad=0.02)


@lru_cache(maxsize=1)
def _county_lines() -> list[NDArray[np.float64]]:
    lines = []
    for name in county_names():
        for ring in rings_of(name):
            lines.append(np.column_stack(to_albers_m(ring[:, 1], ring[:, 0])))
    return lines


def _finished(figure: Figure, axes: Any, frame: Frame, note: str) -> bytes:
    from matplotlib.collections import LineCollection

    west, east, south, north = frame.extent
    margin = 0.02 * max(east - west, north - south)
    axes.add_collection(LineCollection(_county_lines(), colors="#303030", linewidths=0.6), autolim=False)
    axes.set_xlim(west - margin, east + margin)
    axes.set_ylim(south - margin, north + margin)
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_yticks([])
    _scale_bar(axes, west - margin, south - margin, east - west)
    axes.set_xlabel(f"{note}; pixels of {frame.pixel_m:,.0f} m; lines: counties", fontsize=8, loc="left", wrap=True)
    out = io.BytesIO()
    figure.savefig(out, format="png", metadata={"Software": "csrag"})
    return out.getvalue()


def _scale_bar(axes: Any, x_m: float, y_m: float, width_m: float) -> None:
    length_km = max((k for k in (1, 2, 5, 10, 20, 50, 100, 200) if k * 1000 <= width_m / 4), default=1)
    x, y = x_m + 0.03 * width_m, y_m + 0.03 * width_m
    axes.plot([x, x + 1000 * length_km], [y, y], color="black", linewidth=3, solid_capstyle="butt", zorder=6)
    axes.text(x, y + 0.008 * width_m, f"{length_km} km", fontsize=9, va="bottom", zorder=6,
              bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 1})  # fmt: skip
