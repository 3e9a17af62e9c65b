"""What `csrag layers info` adds to the manifest: coverage, distributions against their bands, measured errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from csrag.build.distributions import coverage, spreads
from csrag.surfaces.manifest import Manifest

if TYPE_CHECKING:
    from csrag.build.distributions import Spread
    from csrag.surfaces.store import LayerStore

_COVERED = {
    "burn_probability": "burn probability", "zone": "circuity zone", "landing": "landings on the road network",
    "hazard_class": "hazard class", "county": "county", "roaded": "roaded", "records": "records",
    "feasible_records": "feasible records",
}  # fmt: skip
_BY_TREATMENT = ("cost", "feedstock", "delivered", "feedstock_gt_per_acre", "feedstock_gt")


def summary(store: LayerStore) -> dict[str, Any]:
    """Coverage, distributions, cost method and the accuracy of distances as JSON."""
    rows, clusters = spreads(store)
    return {
        "coverage": coverage(store),
        "distributions": {"clusters": clusters, "rows": [row.to_json() for row in rows]},
        "outside_bands": [_outside(row) for row in rows if row.ok is False],
        "cost_made_by": cost_method(store.manifest),
        "distance_accuracy": _accuracy(store.manifest),
    }


def cost_method(m: Manifest) -> str:
    """How the costs were made, in words."""
    if not m.cost_method:
        return "exact: every cost from the harvest simulator"
    said = m.cost_method
    about = (
        f"{said['model']} ({str(said.get('hash'))[:12]}), model of {said.get('simulator')}"
        if said.get("model")
        else "unknown"
    )
    return f"{said.get('method', 'unknown')}: {about}"


def show_summary(store: LayerStore) -> None:
    """Print the same for people."""
    known = ", ".join(
        f"{_COVERED[name]} {100 * share:.1f} %" for name, share in coverage(store).items() if share is not None
    )
    print(f"coverage    {known}")
    print(f"cost        {cost_method(store.manifest)}")
    for mode, rows in _accuracy(store.manifest).items():
        errors = ", ".join(f"{_band(row)} km {row['aggregate_error_pct']:+.1f} %" for row in rows)
        reference = mode == "network" and not any(row["aggregate_error_pct"] for row in rows)
        print(
            f"error       {mode}: {'the reference of these errors' if reference else errors + ' (sum over trips not fitted on)'}"
        )
    found, clusters = spreads(store)
    sampled = "" if clusters == len(store) else f", of 1 in {-(-len(store) // clusters)} clusters"
    print(f"distributions (5th, 50th, 95th percentile{sampled})")
    for layer in _BY_TREATMENT[:2]:
        of_layer = [row for row in found if row.layer == layer]
        print(f"  {of_layer[0].label}, cheapest of ground and cable [{of_layer[0].unit}]")
        for row in of_layer:
            print(f"    {row.treatment:<8}{_figures(row)}")
    for row in found:
        if row.layer not in _BY_TREATMENT:
            print(f"  {row.label} [{row.unit}]{_figures(row)}{_verdict(row)}")
    checked = [row for row in found if row.ok is not None]
    outside = [row for row in checked if row.ok is False]
    print(f"bands       {len(checked) - len(outside)} of {len(checked)} checks inside their sanity bands")
    for row in outside:
        print(f"OUTSIDE     {_outside(row)}")


def _accuracy(m: Manifest) -> dict[str, list[dict[str, Any]]]:
    """Measured error of each distance mode by band."""
    out: dict[str, list[dict[str, Any]]] = {}
    for row in (m.transport or {}).get("accuracy") or ():
        if row.get("aggregate_error_pct") is not None:
            out.setdefault(str(row["mode"]), []).append(dict(row))
    return out


def _band(row: dict[str, Any]) -> str:
    low, high = row["band_km"]
    return f"{low:g}-{high:g}" if high is not None else f"over {low:g}"


def _figures(row: Spread) -> str:
    if row.p5 is None or row.p50 is None or row.p95 is None:
        return "  no value"
    return (
        "  "
        + "  ".join(f"{value:10.4g}" for value in (row.p5, row.p50, row.p95))
        + (f"   {100 * row.unknown_share:.1f} % without" if row.unknown_share else "")
    )


def _verdict(row: Spread) -> str:
    if row.ok is None or row.band is None:
        return ""
    return f"   {'inside' if row.ok else 'OUTSIDE'} {row.band[0]:g} to {row.band[1]:g}"


def _outside(row: Spread) -> str:
    low, high = row.band or (0.0, 0.0)
    where = f" of {row.treatment}" if row.treatment else ""
    if row.checks == "each":
        return f"{row.label}{where}: {100 * (row.outside_share or 0):.2f} % of the values lie outside {low:g} to {high:g} {row.unit}"
    value = row.p50 if row.checks == "median" else row.mean
    return f"{row.label}{where}: the {row.checks} is {value:.4g} {row.unit}, outside {low:g} to {high:g}"
