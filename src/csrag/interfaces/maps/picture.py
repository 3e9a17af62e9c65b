"""A map as a PNG picture, drawn by matplotlib (extra `report`)."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from csrag.errors import RequestError
from csrag.geo import to_albers_m
from csrag.interfaces.maps import palette
from csrag.interfaces.maps.scene import (
    Cells,
    Frame,
    Raster,
    Scene,
    frame_of,
    limits,
    plants_in,
    raster_of,
    scale_km,
    towns_in,
)
from csrag.places.counties import county_names, rings_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_HEIGHT_IN = 8.0
_LEGEND_IN = 2.7


def require_matplotlib() -> None:
    """Check that pictures can be drawn, before anything is computed.

    Raises
    ------
    RequestError
        If matplotlib is not installed.
    """
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise RequestError(
            "A PNG map needs matplotlib, which is not installed.",
            'Install it with pip install "csrag[report]", or write .svg or .geojson, which need nothing.',
            code="extra_missing",
        ) from None


@lru_cache(maxsize=1)
def county_lines() -> tuple[NDArray[np.float64], ...]:
    """Every ring of every county, coast included, shape (n, 2): easting and northing [m]."""
    return tuple(
        np.column_stack(to_albers_m(ring[:, 1], ring[:, 0])) for name in county_names() for ring in rings_of(name)
    )


def picture_of(scene: Scene) -> bytes:
    """A PNG file of a scene.

    Parameters
    ----------
    scene : Scene
        What the map shows.

    Raises
    ------
    RequestError
        If matplotlib is not installed.
    """
    require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    frame = frame_of(scene)
    width = _HEIGHT_IN * (frame.east - frame.west) / (frame.north - frame.south)
    height = _HEIGHT_IN
    if width > 11.0:
        width, height = 11.0, _HEIGHT_IN * 11.0 / width
    figure = Figure(figsize=(width + _LEGEND_IN, height + 1.1), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    _ground(axes, frame)
    if scene.cells is not None and len(scene.cells.lat):
        _cells(figure, axes, scene.cells, raster_of(scene.cells))
    _lines(axes, scene)
    _places(axes, scene, frame)
    _finish(axes, scene, frame)
    out = io.BytesIO()
    figure.savefig(out, format="png", bbox_inches="tight", pad_inches=0.12, metadata={"Software": "csrag"})
    return out.getvalue()


def _ground(axes: Any, frame: Frame) -> None:
    from matplotlib.collections import LineCollection, PolyCollection

    axes.set_facecolor("#eaf1f7")  # sea and neighbouring states; the land of California is white
    axes.add_collection(PolyCollection(county_lines(), facecolors="white", edgecolors="none", zorder=0), autolim=False)
    axes.add_collection(LineCollection(county_lines(), colors=palette.BORDER, linewidths=0.6, zorder=3), autolim=False)
    axes.set_xlim(frame.west, frame.east)
    axes.set_ylim(frame.south, frame.north)
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_yticks([])


def _cells(figure: Figure, axes: Any, cells: Cells, raster: Raster) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize
    from matplotlib.patches import Patch

    low, high = limits(cells)
    image = palette.image_of(raster.values, raster.pale, raster.there, low, high, len(cells.classes))
    rows, columns = raster.values.shape
    extent = (
        raster.west_m,
        raster.west_m + columns * raster.pixel_m,
        raster.north_m - rows * raster.pixel_m,
        raster.north_m,
    )
    axes.imshow(image, extent=extent, interpolation="nearest", zorder=1, aspect="equal")
    patches = []
    if cells.classes:
        for code, name in enumerate(cells.classes):
            if (cells.values == code).any():
                patches.append(Patch(color=palette.CLASSES[code % len(palette.CLASSES)], label=name))
    else:
        colours = ListedColormap(palette.ramp(np.linspace(0, 1, 256)))
        known = cells.values[np.isfinite(cells.values)]
        beyond = bool(known.size) and (known.min() < low or known.max() > high)
        figure.colorbar(ScalarMappable(Normalize(low, high), colours), ax=axes, label=f"{cells.label} [{cells.unit}]",
                        extend="both" if beyond else "neither", shrink=0.6, pad=0.02)  # fmt: skip
    if cells.pale.any():
        middle = palette.ramp(np.array(0.45))
        patches.append(Patch(color=palette.hexadecimal(middle), label=cells.full_words))
        patches.append(Patch(color=palette.hexadecimal(palette.paled(middle)), label=cells.pale_words))
    if np.isnan(cells.values).any():
        patches.append(Patch(color=palette.NO_VALUE, label=cells.nothing_words))
    if patches:
        title = cells.label if cells.classes else None
        figure.legend(handles=patches, title=title, loc="outside lower center", ncols=min(4, len(patches)), fontsize=8.5,
                      title_fontsize=9, frameon=False)  # fmt: skip


def _lines(axes: Any, scene: Scene) -> None:
    for ring in scene.outlines:
        x, y = to_albers_m(ring[:, 1], ring[:, 0])
        axes.plot(x, y, color=palette.LINE, linewidth=1.6, zorder=4)
    for circle in scene.circles:
        ring = circle.ring()
        x, y = to_albers_m(ring[:, 1], ring[:, 0])
        axes.plot(x, y, color=palette.SITE, linewidth=1.4, linestyle=(0, (6, 3)), zorder=4)


def _places(axes: Any, scene: Scene, frame: Frame) -> None:
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=2.5, foreground="white")]
    taken: list[tuple[float, float]] = []
    for marker in scene.markers:
        x, y = (float(v) for v in to_albers_m(marker.lat, marker.lon))
        if not (frame.west < x < frame.east and frame.south < y < frame.north):
            continue
        site = marker.kind == "site"
        axes.plot(x, y, marker="*" if site else "^", markersize=17 if site else 8, linestyle="none", zorder=7,
                  color=palette.SITE if site else palette.PLANT, markeredgecolor="white", markeredgewidth=1.1)  # fmt: skip
        if site:
            axes.annotate(marker.text, (x, y), xytext=(9, 7), textcoords="offset points", fontsize=10, weight="bold", zorder=8,
                          path_effects=halo)  # fmt: skip
            taken.append((x, y))
    for name, x, y in towns_in(frame, taken):
        axes.plot(x, y, marker="o", markersize=3.5, color="black", zorder=5)
        axes.annotate(name, (x, y), xytext=(4, 3), textcoords="offset points", fontsize=8, zorder=5, path_effects=halo)


def _finish(axes: Any, scene: Scene, frame: Frame) -> None:
    axes.set_title(scene.title, loc="left", fontsize=12, wrap=True)
    if scene.synthetic:
        axes.text(0.99, 0.99, "SYNTHETIC demonstration data", transform=axes.transAxes, ha="right", va="top", fontsize=11,
                  weight="bold", color="#b00020", bbox={"facecolor": "white", "edgecolor": "#b00020"}, zorder=9)  # fmt: skip
    length_km, width = scale_km(frame), frame.east - frame.west
    x, y = frame.west + 0.03 * width, frame.south + 0.03 * width
    axes.plot([x, x + 1000 * length_km], [y, y], color="black", linewidth=3, solid_capstyle="butt", zorder=9)
    axes.text(x, y + 0.008 * width, f"{length_km} km", fontsize=9, va="bottom", zorder=9,
              bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1})  # fmt: skip
    triangles = plants_in(scene, frame)
    key = "lines: counties and coast; dots: towns" + ("; triangles: wood-burning plants" if triangles else "")
    axes.set_xlabel(f"{scene.note}\n{key}", fontsize=8, loc="left", wrap=True)
