"""Pictures of layers: clusters gathered into pixels of 360 m or a multiple of it, county lines over them, a legend with units."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.layer_view import NETWORK, LayerView
from csrag.build.map_pixels import Frame, fastest_roads, pixel_classes, pixel_means, widened
from csrag.errors import DataError, RequestError
from csrag.geo import to_albers_m
from csrag.places.counties import county_names, rings_of
from csrag.surfaces.store import LayerStore

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TAIL_PCT = 2.0
_NO_VALUE = "#d9d9d9"
# Cynthia Brewer's PuOr and the perceptually even cividis are told apart with any colour vision; so are the classes' colours,
# those of Okabe and Ito (2008).
_SEQUENTIAL, _DIVERGING = "cividis", "PuOr"
_CLASSES = ("#56b4e9", "#e69f00", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#000000")


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
        image = widened(fastest_roads(frame, store))
        seen = LayerView(
            NETWORK, "road network: fastest road in each pixel", "km per hour, loaded truck", image.ravel()
        )
        note = f"{0 if store.roads is None else store.roads.node_lat.size:,} nodes"
        return _measure(store, frame, image, np.zeros_like(image, dtype=bool), seen, note)
    empty = _with_clusters(frame, pixel)
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
    known = image[np.isfinite(image)]
    reach = float(np.percentile(np.abs(known), 100 - _TAIL_PCT)) if known.size else 0.0
    reach = reach or float(np.abs(known).max(initial=0.0)) or 1.0
    what = "synthetic" if a.manifest.synthetic or b.manifest.synthetic else ""
    figure, axes = _canvas(frame, f"Difference in {label}", bool(what))
    _background(axes, frame, _with_clusters(frame, pixel) & np.isnan(image))
    shown = axes.imshow(image, extent=frame.extent, cmap=_DIVERGING, vmin=-reach, vmax=reach, interpolation="nearest")
    _bar(
        figure,
        axes,
        shown,
        f"{_called(b)} minus {_called(a)}\n[{unit}]",
        "both",
    )
    return _finished(figure, axes, frame, note + "; grey: no value in one of them")


def _with_clusters(frame: Frame, pixel: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Pixels that hold a cluster, shape (rows, columns)."""
    there = np.zeros(frame.rows * frame.columns, dtype=bool)
    there[pixel[pixel >= 0]] = True
    return there.reshape(frame.rows, frame.columns)


def _called(store: LayerStore) -> str:
    """A set as a legend names it: name, how its costs were made where that is not FRCS itself, first digits of its hash."""
    method = store.manifest.cost_method
    made = f", {method['method']} costs" if method else ", exact costs"
    return f"{store.manifest.name} ({store.hash[:8]}{made})"


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
    if high - low <= 1e-6 * max(
        abs(low), abs(high)
    ):  # one value everywhere: a scale around it, not one of rounding errors
        low, high = low - 0.05 * abs(low) - 1e-6, high + 0.05 * abs(high) + 1e-6
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
