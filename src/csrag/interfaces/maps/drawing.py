"""A map as an SVG drawing, written as text: it needs no library and stays sharp at any size."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import numpy as np
from numpy.typing import NDArray

from csrag.geo import to_albers_m
from csrag.interfaces.maps import palette
from csrag.interfaces.maps.scene import Cells, Frame, Scene, frame_of, limits, plants_in, raster_of, scale_km, towns_in
from csrag.places.counties import county_names, rings_of

_HEIGHT, _TOP, _BOTTOM, _LEGEND = 760.0, 46.0, 58.0, 230.0
_SHADES = 48
"""Colours that a ramp is drawn with [count]: the squares of one shade are one path."""
_MOST_PIXELS = 420
_CORNERS_KM = 0.0015
"""Corners of county lines nearer than this share of the picture to the last one kept are left out."""


class _Plane:
    """From metres in California Albers to units of the drawing."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.scale = _HEIGHT / (frame.north - frame.south)
        self.width = (frame.east - frame.west) * self.scale
        if self.width > 1100:
            self.scale *= 1100 / self.width
            self.width = 1100.0
        self.height = (frame.north - frame.south) * self.scale

    def x(self, metres: NDArray[np.float64] | float) -> NDArray[np.float64]:
        return np.asarray((np.asarray(metres) - self.frame.west) * self.scale)

    def y(self, metres: NDArray[np.float64] | float) -> NDArray[np.float64]:
        return np.asarray((self.frame.north - np.asarray(metres)) * self.scale)

    def path(self, ring: NDArray[np.float64]) -> str:
        """A ring of longitude and latitude [degrees] as path data; empty where it lies outside."""
        x, y = to_albers_m(ring[:, 1], ring[:, 0])
        px, py = self.x(x), self.y(y)
        if px.max() < 0 or px.min() > self.width or py.max() < 0 or py.min() > self.height:
            return ""
        keep = [0]
        least = _CORNERS_KM * max(self.width, self.height)
        for i in range(1, len(px)):
            if abs(px[i] - px[keep[-1]]) + abs(py[i] - py[keep[-1]]) >= least:
                keep.append(i)
        if len(keep) < 3:
            return ""
        return "M" + "L".join(f"{px[i]:.1f} {py[i]:.1f}" for i in keep) + "Z"


def drawing_of(scene: Scene) -> str:
    """The text of an SVG file.

    Parameters
    ----------
    scene : Scene
        What the map shows.
    """
    plane = _Plane(frame_of(scene))
    width, height = plane.width + _LEGEND, plane.height + _TOP + _BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" font-family="DejaVu Sans, Helvetica, Arial, sans-serif" font-size="11">',
        f"<title>{escape(scene.title)}</title>",
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>',
        f'<text x="4" y="26" font-size="16">{escape(scene.title)}</text>',
        f'<defs><clipPath id="map"><rect width="{plane.width:.1f}" height="{plane.height:.1f}"/></clipPath></defs>',
        f'<g transform="translate(0 {_TOP})"><g clip-path="url(#map)">',
        *_map(scene, plane),
        "</g>",
        f'<rect width="{plane.width:.1f}" height="{plane.height:.1f}" fill="none" stroke="black"/>',
        *_legend(scene, plane),
        *_below(scene, plane),
        "</g></svg>",
    ]
    return "\n".join(parts) + "\n"


def _map(scene: Scene, plane: _Plane) -> Iterator[str]:
    yield f'<rect width="{plane.width:.1f}" height="{plane.height:.1f}" fill="#eaf1f7"/>'
    lines = "".join(plane.path(ring) for name in county_names() for ring in rings_of(name))
    yield f'<path d="{lines}" fill="white" stroke="none"/>'
    if scene.cells is not None and len(scene.cells.lat):
        yield from _squares(scene.cells, plane)
    yield f'<path d="{lines}" fill="none" stroke="{palette.BORDER}" stroke-width="0.7"/>'
    for ring in scene.outlines:
        yield f'<path d="{plane.path(ring)}" fill="none" stroke="{palette.LINE}" stroke-width="1.8"/>'
    for circle in scene.circles:
        data = plane.path(circle.ring())
        yield f'<path d="{data}" fill="none" stroke="{palette.SITE}" stroke-width="1.6" stroke-dasharray="7 4"/>'
    yield from _places(scene, plane)


def _squares(cells: Cells, plane: _Plane) -> Iterator[str]:
    """One path a colour, each run of equal pixels along a row one rectangle of it."""
    raster, (low, high) = raster_of(cells, _MOST_PIXELS), limits(cells)
    values = raster.values
    if not cells.classes:
        shade = np.clip(np.floor((values - low) / (high - low) * _SHADES), 0, _SHADES - 1)
        values = low + (shade + 0.5) / _SHADES * (high - low)
    image = palette.image_of(values, raster.pale, raster.there, low, high, len(cells.classes))
    packed = (np.round(image[..., :3] * 255).astype(np.int64) * np.array([65536, 256, 1])).sum(axis=-1)
    packed[~raster.there] = -1
    side = raster.pixel_m * plane.scale
    paths: dict[int, list[str]] = {}
    for row in range(packed.shape[0]):
        line = packed[row]
        starts = np.flatnonzero(np.concatenate([[True], line[1:] != line[:-1]]))
        ends = np.append(starts[1:], len(line))
        y = float(plane.y(raster.north_m - row * raster.pixel_m))
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            colour = int(line[start])
            if colour >= 0:
                x = float(plane.x(raster.west_m + start * raster.pixel_m))
                paths.setdefault(colour, []).append(
                    f"M{x:.2f} {y:.2f}h{(end - start) * side:.2f}v{side:.2f}h{(start - end) * side:.2f}z"
                )
    for colour in sorted(paths):
        yield f'<path d="{"".join(paths[colour])}" fill="#{colour:06x}" shape-rendering="crispEdges"/>'


def _words(x: float, y: float, text: str, more: str = "") -> str:
    halo = 'paint-order="stroke" stroke="white" stroke-width="3" stroke-linejoin="round"'
    lines = text.split("\n")
    inner = "".join(
        f'<tspan x="{x:.1f}" dy="{0 if n == 0 else 14}">{escape(line)}</tspan>' for n, line in enumerate(lines)
    )
    return f'<text x="{x:.1f}" y="{y:.1f}" {halo} {more}>{inner}</text>'


def _places(scene: Scene, plane: _Plane) -> Iterator[str]:
    frame, taken = plane.frame, []
    sites = []
    for marker in scene.markers:
        mx, my = (float(v) for v in to_albers_m(marker.lat, marker.lon))
        if not (frame.west < mx < frame.east and frame.south < my < frame.north):
            continue
        x, y = float(plane.x(mx)), float(plane.y(my))
        if marker.kind == "site":
            taken.append((mx, my))
            sites += [_star(x, y), _words(x + 9, y - 7, marker.text, 'font-size="13" font-weight="bold"')]
        else:
            yield (
                f'<path d="M{x:.1f} {y - 5:.1f}l5 9h-10z" fill="{palette.PLANT}" stroke="white"><title>{escape(marker.name)}'
                "</title></path>"
            )
    for name, mx, my in towns_in(frame, taken):
        x, y = float(plane.x(mx)), float(plane.y(my))
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.2"/>'
        yield _words(x + 4, y - 3, name)
    yield from sites


def _star(x: float, y: float) -> str:
    turn = np.arange(10) * np.pi / 5
    reach = np.where(np.arange(10) % 2 == 0, 10.0, 4.2)
    corners = " ".join(f"{x + r * np.sin(t):.1f},{y - r * np.cos(t):.1f}" for t, r in zip(turn, reach, strict=True))
    return f'<polygon points="{corners}" fill="{palette.SITE}" stroke="white" stroke-width="1.2"/>'


def _legend(scene: Scene, plane: _Plane) -> Iterator[str]:
    x, y = plane.width + 18, 8.0
    if scene.synthetic:
        yield f'<rect x="{x:.0f}" y="0" width="200" height="24" fill="white" stroke="#b00020"/>'
        yield (
            f'<text x="{x + 100:.0f}" y="16" text-anchor="middle" font-weight="bold" fill="#b00020">SYNTHETIC demonstration '
            "data</text>"
        )
        y = 44.0
    cells = scene.cells
    if cells is None or not len(cells.lat):
        return
    keys: list[tuple[str, str]] = []
    if cells.classes:
        yield f'<text x="{x:.0f}" y="{y + 8:.0f}">{escape(cells.label)}</text>'
        y += 18
        keys = [(palette.CLASSES[i % len(palette.CLASSES)], name) for i, name in enumerate(cells.classes)
                if (cells.values == i).any()]  # fmt: skip
    else:
        yield f'<text x="{x:.0f}" y="{y + 8:.0f}">{escape(cells.label)}</text>'
        yield f'<text x="{x:.0f}" y="{y + 22:.0f}">[{escape(cells.unit)}]</text>'
        y += 32
        low, high = limits(cells)
        tall = 240.0
        for n in range(_SHADES):
            colour = palette.hexadecimal(palette.ramp(np.array((n + 0.5) / _SHADES)))
            yield (
                f'<rect x="{x:.0f}" y="{y + tall * (1 - (n + 1) / _SHADES):.2f}" width="18" height="{tall / _SHADES + 0.3:.2f}" '
                f'fill="{colour}"/>'
            )
        known = cells.values[np.isfinite(cells.values)]
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            beyond = "and more" if share == 1.0 and known.max(initial=high) > high else (
                "and less" if share == 0.0 and known.min(initial=low) < low else "")  # fmt: skip
            level = y + tall * (1 - share)
            number = f"{low + share * (high - low):,.3g}"
            yield f'<path d="M{x + 18:.0f} {level:.1f}h5" stroke="black"/>'
            yield f'<text x="{x + 27:.0f}" y="{level + 4:.1f}">{number} {beyond}</text>'
        y += tall + 18
    if cells.pale.any():
        middle = palette.ramp(np.array(0.45))
        keys += [
            (palette.hexadecimal(middle), cells.full_words),
            (palette.hexadecimal(palette.paled(middle)), cells.pale_words),
        ]
    if np.isnan(cells.values).any():
        keys.append((palette.NO_VALUE, cells.nothing_words))
    for colour, words in keys:
        yield f'<rect x="{x:.0f}" y="{y:.0f}" width="14" height="12" fill="{colour}"/>'
        for n, line in enumerate(_wrapped(words, 30)):
            yield f'<text x="{x + 20:.0f}" y="{y + 10 + 13 * n:.0f}">{escape(line)}</text>'
        y += 18 + 13 * (len(_wrapped(words, 30)) - 1)


def _wrapped(words: str, width: int) -> list[str]:
    lines = [""]
    for word in words.split():
        if lines[-1] and len(lines[-1]) + len(word) + 1 > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _below(scene: Scene, plane: _Plane) -> Iterator[str]:
    length_km = scale_km(plane.frame)
    x, y = 14.0, plane.height - 14
    long = length_km * 1000 * plane.scale
    yield f'<rect x="{x - 5}" y="{y - 18:.1f}" width="{long + 10:.1f}" height="26" fill="white" opacity="0.8"/>'
    yield f'<path d="M{x} {y:.1f}h{length_km * 1000 * plane.scale:.1f}" stroke="black" stroke-width="4"/>'
    yield f'<text x="{x}" y="{y - 5:.1f}">{length_km} km</text>'
    triangles = "; triangles: wood-burning plants" if plants_in(scene, plane.frame) else ""
    lines = [*_wrapped(scene.note, int(plane.width / 5.6)), f"lines: counties and coast; dots: towns{triangles}"]
    for n, line in enumerate(lines):
        yield f'<text x="4" y="{plane.height + 15 + 13 * n:.1f}" font-size="10">{escape(line)}</text>'
