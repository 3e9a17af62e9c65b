"""Draw a picture of every layer, to be looked at: stripes, wrap-around and hard edges show at a glance.

Usage::

    python tools/map_layers.py OUT_DIR [--region northern-sierra] [--seed 17] [--only slope_pct zone ...]
    python tools/map_layers.py OUT_DIR --layers LAYER_SET_DIR [--only ...]

Development only; needs matplotlib (`pip install "csrag[dev]"`).
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from numpy.typing import NDArray

from csrag.build.sources.demo_region import DEFAULT_SEED
from csrag.geo import to_albers_m
from csrag.surfaces.catalog import COLUMNS, REMOVAL_COLUMNS, TREATMENTS, UNKNOWN_CODE

mpl.use("Agg")
import matplotlib.pyplot as plt

CELL_M = 360.0
CODED = ("land_use", "county", "forest_type", "hazard_class")


def raster(lat: NDArray[Any], lon: NDArray[Any], values: NDArray[Any]) -> tuple[NDArray[np.float64], tuple[float, ...]]:
    """Cluster values on their 360 m grid, NaN between, and the extent [km] for imshow."""
    x_m, y_m = to_albers_m(lat, lon)
    column, row = np.floor(x_m / CELL_M).astype(int), np.floor(y_m / CELL_M).astype(int)
    column0, row0 = column.min(), row.min()
    out = np.full((row.max() - row0 + 1, column.max() - column0 + 1), np.nan)
    out[row - row0, column - column0] = values
    extent = (column0, column.max() + 1, row0, row.max() + 1)
    return out, tuple(e * CELL_M / 1000.0 for e in extent)


def draw(
    path: Path,
    title: str,
    where: tuple[NDArray[Any], NDArray[Any]],
    values: NDArray[Any],
    names: Sequence[str] | None,
    towns: Sequence[tuple[str, float, float]],
) -> None:
    """One PNG."""
    numbers = np.asarray(values, dtype=np.float64)
    if names is not None:
        numbers = np.where(np.asarray(values) == UNKNOWN_CODE, np.nan, numbers)
    image, extent = raster(*where, numbers)
    figure, axis = plt.subplots(figsize=(9, 10), dpi=110)
    axis.set_facecolor("#e8e6e0")
    if names is not None:
        used = [int(v) for v in np.unique(numbers[np.isfinite(numbers)])]
        position = {v: i for i, v in enumerate(used)}
        shown = np.vectorize(lambda v: position.get(int(v), np.nan) if np.isfinite(v) else np.nan, otypes=[float])(
            image
        )
        colours = plt.get_cmap("tab20", max(len(used), 1))
        axis.imshow(
            shown, origin="lower", extent=extent, cmap=colours, vmin=-0.5, vmax=len(used) - 0.5, interpolation="nearest"
        )
        total = np.count_nonzero(np.isfinite(numbers))
        for v, i in position.items():
            share = np.count_nonzero(numbers == v) / total
            axis.plot([], [], "s", color=colours(i), label=f"{names[v]} {share:.1%}")
        axis.legend(loc="upper left", fontsize=7)
    else:
        known = numbers[np.isfinite(numbers)]
        low, high = np.percentile(known, [1, 99]) if known.size else (0.0, 1.0)
        picture = axis.imshow(
            image,
            origin="lower",
            extent=extent,
            cmap="viridis",
            vmin=low,
            vmax=max(high, low + 1e-9),
            interpolation="nearest",
        )
        figure.colorbar(picture, ax=axis, shrink=0.7)
        p05, p50, p95 = np.percentile(known, [5, 50, 95]) if known.size else (np.nan,) * 3
        title += f"   p5/50/95 = {p05:.4g} / {p50:.4g} / {p95:.4g}   unknown {np.mean(~np.isfinite(numbers)):.2%}"
    small = extent[1] - extent[0] < 400  # a map of the whole state has no room for names
    for name, lat, lon in towns:
        x_m, y_m = to_albers_m(lat, lon)
        x_km, y_km = float(x_m) / 1000, float(y_m) / 1000
        if extent[0] <= x_km <= extent[1] and extent[2] <= y_km <= extent[3]:
            axis.plot(x_km, y_km, "r+", ms=5 if small else 1)
            if name and small:
                axis.annotate(name, (x_km, y_km), fontsize=6, color="red")
    axis.set_title(title, fontsize=9)
    axis.set_xlabel("km, EPSG:3310")
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)


def from_demo(region: str, seed: int) -> tuple[dict[str, NDArray[Any]], Mapping[str, Sequence[str]]]:
    """Layers of a demonstration source: cluster columns, and total removed tons by treatment."""
    from csrag.build.sources.demo import demo_source

    source = demo_source(region, seed)
    layers = source.clusters()
    for treatment in TREATMENTS:
        removed = source.removals(treatment, slice(None))
        layers[f"removed_bdt_per_acre.{treatment}"] = np.sum([removed[name] for name in REMOVAL_COLUMNS], axis=0)
    return layers, source.codes


def from_layer_set(folder: Path) -> tuple[dict[str, NDArray[Any]], Mapping[str, Sequence[str]]]:
    """Layers of a built layer set, straight from its files; one a cluster column, treatment and system."""
    from csrag.surfaces.stores.columnar import ColumnarStore

    store = ColumnarStore(folder)
    manifest = store.manifest.to_json()
    layers: dict[str, NDArray[Any]] = {}
    for name, column in COLUMNS.items():
        data = store.column(name)
        if column.axes == "cluster":
            layers[name] = np.asarray(data)
            continue
        for t, treatment in enumerate(manifest["treatments"]):
            if data.ndim == 2:
                layers[f"{name}.{treatment['name']}"] = np.asarray(data[t])
            else:
                inner = manifest["systems"] if "system" in column.axes else manifest["feedstock_classes"]
                for s, label in enumerate(inner):
                    layers[f"{name}.{treatment['name']}.{label.replace('/', '-')}"] = np.asarray(data[t, s])
    return layers, manifest["codes"]


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--region", default="northern-sierra")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED)
    parser.add_argument("--layers", type=Path, help="a built layer set instead of the demonstration source")
    parser.add_argument("--only", nargs="*", help="names (or beginnings of names) of layers")
    options = parser.parse_args()
    layers, codes = from_layer_set(options.layers) if options.layers else from_demo(options.region, options.seed)
    from csrag.places.gazetteer import towns

    town = towns()
    # Names only of the larger ones, or the map is all words.
    points = [
        (name if people >= 1500 else "", float(lat), float(lon))
        for name, lat, lon, people in zip(town.name, town.lat, town.lon, town.population, strict=True)
    ]
    options.out.mkdir(parents=True, exist_ok=True)
    where = (layers["lat"], layers["lon"])
    for name, values in layers.items():
        if name in ("lat", "lon", "cluster_no", "area_acres"):
            continue
        if options.only and not any(name.startswith(begin) for begin in options.only):
            continue
        draw(options.out / f"{name}.png", name, where, values, codes[name] if name in CODED else None, points)
        print(options.out / f"{name}.png")


if __name__ == "__main__":
    main()
