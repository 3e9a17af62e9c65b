"""Writes treated_clusters_small.csv: SYNTHETIC clusters of the demonstration region in FRREDSS's column form.

Run from the project root: ``python tests/data/make_treated_clusters.py``. Nothing in it describes a real stand.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from csrag.build.sources.demo import demo_source
from csrag.geo import haversine_km
from csrag.surfaces.catalog import FRREDSS_TREATMENT_IDS, REMOVAL_COLUMNS, TREATMENTS

CLUSTERS = 60
MISSING = {("SDI55", 3), ("TFA20", 7), ("TFA20", 8)}
"""Records left out, by treatment and position."""
OWNERS = {0: "Private", 1: "USDA Forest Service", 2: "Bureau of Land Management", 3: "National Park Service", 4: "State",
          5: "Tribal", 6: "Other"}  # fmt: skip
HEADER = (
    "cluster_no", "treatmentid", "year", "landing_lat", "landing_lng", "landing_elevation", "center_lat", "center_lng",
    "center_elevation", "slope", "area", "mean_yarding", "site_class", "county_name", "land_use", "forest_type",
    "haz_class", "stem4to6_tonsacre", "stem6to9_tonsacre", "stem9plus_tonsacre", "branch_tonsacre", "foliage_tonsacre",
    "wood_density",
)  # fmt: skip


def main() -> None:
    """Write the table beside this file."""
    source = demo_source()
    c = source.clusters()
    near = np.argsort(haversine_km(39.9368, -120.9465, c["lat"], c["lon"]), kind="stable")[:CLUSTERS]
    out = Path(__file__).with_name("treated_clusters_small.csv")
    with out.open("w", newline="") as stream:
        write = csv.writer(stream, lineterminator="\n")
        write.writerow(HEADER)
        for position, i in enumerate(near.tolist()):
            for name in TREATMENTS:
                if (name, position) in MISSING:
                    continue
                tons = source.removals(name, slice(i, i + 1))
                s46, s69, s9, branch = (float(tons[column][0]) for column in REMOVAL_COLUMNS)
                lat, lon, hazard = float(c["lat"][i]), float(c["lon"][i]), int(c["hazard_class"][i])
                write.writerow([
                    int(c["cluster_no"][i]), FRREDSS_TREATMENT_IDS[name], 2025, f"{lat + 0.001:.6f}", f"{lon - 0.001:.6f}",
                    f"{c['elevation_ft'][i]:.1f}", f"{lat:.6f}", f"{lon:.6f}", f"{c['elevation_ft'][i]:.1f}",
                    f"{c['grade_pct'][i]:.3f}", f"{c['area_acres'][i]:.6f}", f"{c['yarding_ft'][i]:.3f}", "3",
                    source.codes["county"][c["county"][i]], OWNERS[int(c["land_use"][i])],
                    source.codes["forest_type"][c["forest_type"][i]], hazard if hazard < 4 else "",
                    f"{s46:.6f}", f"{s69:.6f}", f"{s9:.6f}", f"{branch:.6f}", f"{0.35 * branch:.6f}",
                    f"{c['wood_density_kg_per_m3'][i]:.2f}",
                ])  # fmt: skip


if __name__ == "__main__":
    main()
