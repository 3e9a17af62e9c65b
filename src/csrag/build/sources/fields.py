"""Correlated Gaussian fields by FFT, and the monotone maps that give them a distribution.

Everything is float64, single-threaded and seeded: one child seed a field, derived from the field's NAME, so that a new
field changes no other and the order of drawing does not matter.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def child_seed(seed: int, name: str) -> np.random.SeedSequence:
    """Seed of one named field.

    Parameters
    ----------
    seed : int
        Root seed; any integer.
    name : str
        Name of the field.

    Returns
    -------
    numpy.random.SeedSequence
        The same for the same pair on every machine (SHA-256, not Python's salted hash).
    """
    digest = hashlib.sha256(f"{int(seed)}/{name}".encode()).digest()
    return np.random.SeedSequence(int.from_bytes(digest, "big"))


def fast_length(n: int) -> int:
    """Smallest length of at least `n` whose prime factors are 2, 3 and 5; FFTs of it are quick."""
    best = 1 << max(n - 1, 1).bit_length()
    five = 1
    while five < best:
        three = five
        while three < best:
            two = three
            while two < n:
                two *= 2
            best = min(best, two)
            three *= 3
        five *= 5
    return best


@dataclass(frozen=True)
class FieldMaker:
    """Draws named random fields on one rectangle of square cells.

    Parameters
    ----------
    seed : int
        Root seed.
    shape : tuple of int
        Rows and columns of the rectangle.
    cell_km : float
        Side of a cell [km].
    pad_km : float
        Margin added on every side before the FFT [km]. The transform is periodic; without the margin the left edge
        would continue the right one.
    on_field : callable, optional
        Called after every correlated field, for a progress bar.
    """

    seed: int
    shape: tuple[int, int]
    cell_km: float
    pad_km: float = 60.0
    on_field: Callable[[], None] | None = None

    def rng(self, name: str) -> np.random.Generator:
        """Generator of the field called `name`."""
        return np.random.Generator(np.random.PCG64(child_seed(self.seed, name)))

    def white(self, name: str) -> Array:
        """White noise of unit variance, shape (rows, columns)."""
        return self.rng(name).standard_normal(self.shape)

    def gaussian(self, name: str, length_km: float, nu: float = 1.0) -> Array:
        """Gaussian field of unit variance with a Matern-like spectrum.

        Parameters
        ----------
        name : str
            Name; the seed follows from it.
        length_km : float
            Length scale L [km].
        nu : float, optional
            Smoothness.

        Returns
        -------
        ndarray of float64, shape (rows, columns)
            Mean 0 and variance 1 over realisations (a single window of a long field has less).

        Notes
        -----
        Amplitude spectrum (1 + (2 pi k L)^2)^-((nu+1)/2), k in cycles per km; its square is the Matern spectral
        density in the plane (Whittle 1954, Biometrika 41:434).
        """
        pad = 2 * round(self.pad_km / self.cell_km)
        rows, columns = fast_length(self.shape[0] + pad), fast_length(self.shape[1] + pad)
        k_y = np.fft.fftfreq(rows, self.cell_km)[:, None]
        k_x = np.fft.rfftfreq(columns, self.cell_km)[None, :]
        power = (1.0 + (2.0 * np.pi * length_km) ** 2 * (k_x**2 + k_y**2)) ** -(nu + 1.0)
        # The half plane of a real transform holds every column once except the first (and, if even, the last).
        twice = np.full(power.shape[1], 2.0)
        twice[0] = 1.0
        if columns % 2 == 0:
            twice[-1] = 1.0
        power /= np.sum(power * twice) / (rows * columns)
        spectrum = np.fft.rfft2(self.rng(name).standard_normal((rows, columns)))
        spectrum *= np.sqrt(power)
        field = np.fft.irfft2(spectrum, s=(rows, columns))
        if self.on_field is not None:
            self.on_field()
        return np.ascontiguousarray(field[: self.shape[0], : self.shape[1]])

    def smooth(self, field: Array, length_km: float) -> Array:
        """Gaussian blur of standard deviation `length_km` [km]; edges are mirrored, so nothing wraps around."""
        margin = min(round(5 * length_km / self.cell_km), min(field.shape) - 1)
        wide = np.pad(field, margin, mode="reflect")
        k_y = np.fft.fftfreq(wide.shape[0], self.cell_km)[:, None]
        k_x = np.fft.rfftfreq(wide.shape[1], self.cell_km)[None, :]
        kernel = np.exp(-2.0 * (np.pi * length_km) ** 2 * (k_x**2 + k_y**2))
        blurred = np.fft.irfft2(np.fft.rfft2(wide) * kernel, s=wide.shape)
        return np.ascontiguousarray(blurred[margin : margin + field.shape[0], margin : margin + field.shape[1]])


def standardise(values: Array) -> Array:
    """Shift and scale to mean 0 and standard deviation 1 over all elements; a constant becomes 0."""
    spread = float(np.std(values))
    centred = values - float(np.mean(values))
    return centred / spread if spread > 0 else centred


def rank01(values: Array) -> Array:
    """Rank of every element as a number in (0, 1): (rank + 1/2) / n, ties in order of position."""
    ranks = np.empty(values.size, dtype=np.float64)
    ranks[np.argsort(values, axis=None, kind="stable")] = np.arange(values.size) + 0.5
    return (ranks / values.size).reshape(values.shape)


def _quantile_table(x: Array, log_density: Array) -> tuple[Array, Array]:
    """Cumulative probability over `x` by the trapezoid rule, normalised to end at 1."""
    density = np.exp(log_density - log_density.max())
    steps = np.diff(x) * 0.5 * (density[1:] + density[:-1])
    cumulative = np.concatenate([[0.0], np.cumsum(steps)])
    return cumulative / cumulative[-1], x


def normal_quantile(probability: Array) -> Array:
    """Standard normal quantile, to about 1e-6 for probabilities between 1e-6 and 1 - 1e-6."""
    x = np.linspace(-7.0, 7.0, 56_001)
    cumulative, x = _quantile_table(x, -0.5 * x * x)
    return np.interp(probability, cumulative, x)


def gamma_quantile(probability: Array, shape: float, scale: float) -> Array:
    """Quantile of the Gamma distribution (shape above 1) [unit of `scale`], to about 1e-4 of the scale."""
    x = np.linspace(0.0, shape + 14.0 * np.sqrt(shape) + 20.0, 60_001)
    with np.errstate(divide="ignore"):
        log_density = (shape - 1.0) * np.log(x) - x
    cumulative, x = _quantile_table(x, log_density)
    return scale * np.interp(probability, cumulative, x)


def gamma_from_normal(normal: Array, shape: Array) -> Array:
    """Gamma variate (scale 1) of a standard normal one, by the cube-root approximation.

    Wilson and Hilferty 1931 (PNAS 17:684): X is about a (1 - 1/(9a) + z/(3 sqrt a))^3. Good to a few percent of a
    standard deviation for shapes above 1; it lets a Dirichlet share be correlated in space.
    """
    root = 1.0 - 1.0 / (9.0 * shape) + normal / (3.0 * np.sqrt(shape))
    return np.asarray(shape * np.maximum(root, 0.02) ** 3, dtype=np.float64)
