"""Random fields: distribution, correlation length, seeds, no wrap-around."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from csrag.build.sources.fields import (
    FieldMaker,
    child_seed,
    fast_length,
    gamma_from_normal,
    gamma_quantile,
    normal_quantile,
    rank01,
    standardise,
)


def maker(seed: int = 7, pad_km: float = 60.0) -> FieldMaker:
    return FieldMaker(seed, (200, 150), 0.36, pad_km)


def test_child_seed_is_pinned() -> None:
    # SHA-256 of "20260101/terrain.hills": the same in every process and on every machine.
    assert child_seed(20260101, "terrain.hills").entropy == int(
        "c5122e95f94f6ce43c1c08027d4065b4566e8930d7132ca2e49cc22a5a0d6616", 16
    )
    assert child_seed(1, "a").entropy != child_seed(1, "b").entropy != child_seed(2, "b").entropy


@pytest.mark.parametrize("seed", [0, -5, 2**80])
def test_any_integer_is_a_seed(seed: int) -> None:
    assert np.isfinite(maker(seed).gaussian("x", 3.0)).all()


def test_a_new_field_changes_no_other() -> None:
    alone = maker().gaussian("b", 5.0)
    other = maker()
    other.gaussian("a", 5.0)
    other.white("c")
    assert other.gaussian("b", 5.0).tobytes() == alone.tobytes()


def test_field_has_unit_variance_over_realisations() -> None:
    fields = maker()
    samples = np.array([fields.gaussian(f"v{i}", 6.0)[::20, ::20] for i in range(60)])
    # 60 draws of a few independent patches each: the standard error of the variance is about 4 %.
    assert np.mean(samples**2) == pytest.approx(1.0, abs=0.15)
    assert abs(np.mean(samples)) < 0.15


@pytest.mark.parametrize(("length_km", "want"), [(3.0, 0.34), (15.0, 0.90)])
def test_correlation_follows_the_matern_function(length_km: float, want: float) -> None:
    # nu = 1: x K1(x) at x = 5 km / L, evaluated by hand: x = 1.68 and 0.336 at 14 cells of 360 m.
    fields = maker()
    products = []
    for i in range(40):
        field = fields.gaussian(f"m{i}", length_km)
        products.append(np.mean(field[:, :-14] * field[:, 14:]))
    assert np.mean(products) == pytest.approx(want, abs=0.1)


def test_padding_stops_wrap_around() -> None:
    def edge_covariance(pad_km: float) -> float:
        fields = maker(pad_km=pad_km)
        draws = (fields.gaussian(f"w{i}", 8.0) for i in range(60))
        return float(np.mean([np.mean(f[:, 0] * f[:, -1]) for f in draws]))

    assert edge_covariance(0.0) > 0.6
    assert abs(edge_covariance(60.0)) < 0.2


def test_fast_length() -> None:
    for n in (1, 2, 7, 11, 121, 839, 961):
        length = fast_length(n)
        assert length >= n
        rest = length
        for prime in (2, 3, 5):
            while rest % prime == 0:
                rest //= prime
        assert rest == 1
    assert fast_length(7) == 8
    assert fast_length(11) == 12
    assert fast_length(961) == 972


def test_normal_quantile_is_the_inverse() -> None:
    p = np.array([1e-5, 0.01, 0.3, 0.5, 0.9, 1 - 1e-5])
    assert normal_quantile(p) == pytest.approx([NormalDist().inv_cdf(v) for v in p], abs=1e-5)


def test_gamma_quantile_against_the_exponential_sum() -> None:
    # Gamma(2, 1): 1 - (1 + x) exp(-x) is its distribution function.
    p = np.linspace(0.001, 0.999, 21)
    x = gamma_quantile(p, 2.0, 1.0)
    assert 1 - (1 + x) * np.exp(-x) == pytest.approx(p, abs=1e-6)
    assert gamma_quantile(p, 2.0, 3.0) == pytest.approx(3 * x)


def test_gamma_from_normal_has_the_moments() -> None:
    z = maker().rng("z").standard_normal(200_000)
    for shape in (2.1, 4.5, 40.8):
        draws = gamma_from_normal(z, np.full(z.size, shape))
        assert draws.min() > 0
        assert draws.mean() == pytest.approx(shape, rel=0.01)
        assert draws.var() == pytest.approx(shape, rel=0.03)


def test_smoothing_keeps_the_mean_and_the_edge() -> None:
    fields = maker()
    step = np.zeros((200, 150))
    step[:, 75:] = 1.0
    blurred = fields.smooth(step, 2.0)
    assert blurred[:, 0] == pytest.approx(0.0, abs=1e-6)
    assert blurred[:, -1] == pytest.approx(1.0, abs=1e-6)
    assert 0.4 < blurred[100, 75] < 0.6


def test_rank_and_standardise() -> None:
    values = np.array([[3.0, -1.0], [10.0, 3.0]])
    assert rank01(values).tolist() == [[0.375, 0.125], [0.875, 0.625]]
    z = standardise(values)
    assert z.mean() == pytest.approx(0.0)
    assert z.std() == pytest.approx(1.0)
    assert standardise(np.full(3, 4.0)).tolist() == [0.0, 0.0, 0.0]
