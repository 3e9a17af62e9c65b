"""Caveats that code adds to an answer; no language model has a say in them."""

from __future__ import annotations

import numpy as np

from csrag.ask.computation.choose import Selection
from csrag.ask.computation.facts import Ledger
from csrag.ask.records import Location, SitingQuery
from csrag.ask.results import Catchment
from csrag.surfaces.coverage import edge_share
from csrag.surfaces.manifest import Manifest

EDGE_WARN_SHARE = 0.05
USUAL_USD_PER_BDT = (25.0, 130.0)
"""Delivered cost seen in the field [USD per BDT]: 70 at Blodgett (California Agriculture 69(3), 2015), 55-118 in northern
Sierra federal thinning (Energies 2021, 14(9), 2696), with room to either side."""
SMALL_PLANT_MW = 10.0
PRIVATE_CLEAR_CUT_ACRES = 20.0
"""California Forest Practice Rules: even-aged units of 20 acres by ground, 30 by cable or helicopter [acres]."""


def about_data(ledger: Ledger, manifest: Manifest, catchment: Catchment, query: SitingQuery,
               capacity_mw: float | None) -> None:  # fmt: skip
    """Caveats on the layers, the circle and the question.

    Parameters
    ----------
    ledger : Ledger
        Receives the caveats.
    manifest : Manifest
        The layer set's.
    catchment : Catchment
        Candidates of one circle.
    query : SitingQuery
        What is asked.
    capacity_mw : float or None
        [MW]
    """
    if manifest.synthetic:
        ledger.caveat(
            "synthetic_data",
            f"SYNTHETIC demonstration data ({manifest.name}): forest, terrain, ownership, fire and roads are made up; only "
            "town and county positions are real. Nothing here is California's truth.",
        )
    if catchment.edge_share > EDGE_WARN_SHARE:
        ledger.caveat(
            "data_edge",
            f"{catchment.edge_share:.0%} of the circle lies outside the layers' area; wood there is not counted, so the real "
            "supply may be larger and cheaper.",
        )
    if catchment.radius_origin == "widest":
        ledger.caveat("radius_at_limit", f"The automatic radius stopped at {catchment.radius_km:g} km, where the last candidate "
                      "within 200 km lies, with less than five years' demand in reach: there is little to choose from.")  # fmt: skip
    if capacity_mw is not None and capacity_mw < SMALL_PLANT_MW:
        ledger.caveat("small_plant", "Below 10 MW a 20 % efficiency and costs that scale with capacity to the power 0.82 are "
                      "optimistic; ask with your own efficiency.")  # fmt: skip
    if query.technology == "gasification":
        share = query.overrides.get("dual_fuel_pct", 20.0)
        if share > 0:
            ledger.caveat("dual_fuel", f"Gasification takes {share:g} % of its fuel energy from heavy diesel by default; set "
                          "dual fuel to 0 % to run on wood alone.")  # fmt: skip
    ledger.caveat(
        "dollar_years", "Dollar years are mixed: machine prices at the October 2021 index, wages 2020-21, diesel 2025."
    )
    if query.availability == "practical":
        ledger.caveat("practical_availability", "Practical availability: 45 % of public land's tons (North et al. 2015), 70 % "
                      "of private land's (assumed).")  # fmt: skip
    else:
        ledger.caveat("physical_potential", "Supply is the physical potential: every owner in the circle sells and every acre "
                      "may be treated. Ask for practical availability to scale it down.")  # fmt: skip


def about_price(ledger: Ledger, query: SitingQuery) -> None:
    """Caveat on a price outside the field's usual range, with what makes it so.

    Parameters
    ----------
    ledger : Ledger
        Holds the components [USD per BDT]; receives the caveat.
    query : SitingQuery
        Treatment.
    """
    average, harvest, haul, ratio = (
        float(ledger.facts[i].value or 0.0)
        for i in ("average_delivered_cost", "average_harvest_cost", "average_haul_cost", "supply_ratio")
    )
    low, high = USUAL_USD_PER_BDT
    usual = f"the usual {low:g} to {high:g} USD per BDT"
    if average < low:
        why = f"harvest is {harvest:.0f} and haul {haul:.0f}, since only the cheapest of {ratio:.0f} years' supply is taken"
        if query.treatment == "RMI100":
            why += ", and complete removal is the cheapest way to harvest"
        ledger.caveat("outside_usual_range", f"This is below {usual}: {why}.")
    elif average > high:
        dear = "haul" if haul > harvest else "harvest"
        ledger.caveat("outside_usual_range", f"This is above {usual}: {dear} is the larger part, harvest {harvest:.0f} and haul "
                      f"{haul:.0f}.")  # fmt: skip


def about_life(ledger: Ledger, manifest: Manifest, site: Location, year_one_km: float) -> None:
    """Caveat on a life that reaches beyond the layers.

    Parameters
    ----------
    ledger : Ledger
        Holds the radius that the life reaches; receives the caveat.
    manifest : Manifest
        The area that the layers cover.
    site : Location
        The plant's place.
    year_one_km : float
        Circle of year one, which has its own caveat [km].
    """
    reach = max(
        float(ledger.facts[i].value or 0.0) for i in ("life_radius_km", "projection_radius_km") if i in ledger.facts
    )
    if reach <= year_one_km or site.lat is None or site.lon is None:
        return
    share = edge_share(site.lat, site.lon, reach, manifest.data_area)
    if share > EDGE_WARN_SHARE:
        ledger.caveat("life_data_edge", f"In later years the circle grows to {reach:g} km, and {share:.0%} of that circle lies "
                      "outside the layers' area: those years may be cheaper than shown.")  # fmt: skip


def about_selection(ledger: Ledger, query: SitingQuery, catchment: Catchment, taken: Selection,
                    manifest: Manifest) -> None:  # fmt: skip
    """Caveats that depend on what was taken.

    Parameters
    ----------
    ledger : Ledger
        Receives the caveats.
    query : SitingQuery
        Treatment, land.
    catchment : Catchment
        Candidates.
    taken : Selection
        Clusters taken.
    manifest : Manifest
        Codes.
    """
    nothing = catchment.excluded_clusters.get("nothing to remove", 0)
    if catchment.rows_read:
        share = nothing / catchment.rows_read
        ledger.put("nothing_to_remove_pct", share * 100, f"{query.treatment}, all clusters in the circle")
        if share > 0.1 and query.treatment.startswith("SDI"):
            ledger.caveat("nothing_to_remove", f"{query.treatment} finds nothing to remove on {share:.0%} of the clusters in the "
                          "circle; TFB40 (thin from below) is the usual alternative.")  # fmt: skip
    if not len(taken.rows):
        return
    names = list(manifest.codes["land_use"])
    land = catchment.frame["land_use"][taken.rows]
    on_forest = "usfs" in names and bool((land == names.index("usfs")).any())
    on_private = "private" in names and bool((land == names.index("private")).any())
    if on_forest and (query.treatment == "RMI100" or query.treatment.startswith("TFA")):
        ledger.caveat("treatment_not_permitted_here", f"{query.treatment} cuts the largest trees; on national forest land trees "
                      "over 30 inches are normally kept, so this treatment would not be permitted there.")  # fmt: skip
    if on_private and query.treatment == "RMI100":
        ledger.caveat("treatment_not_permitted_here", "A clear cut on private land is limited to units of "
                      f"{PRIVATE_CLEAR_CUT_ACRES:g} to 30 acres; one cluster is 32.")  # fmt: skip
    if query.treatment.startswith("TFA"):
        ledger.caveat("joint_cost", "Tops of saw-log trees are charged only their collection and chipping; the saw-log harvest "
                      "pays for the rest. Without it this fuel would cost far more.")  # fmt: skip
    burn = catchment.frame["burn_probability"][taken.rows]
    if query.fire_weight > 0 and not np.isfinite(burn).any():
        ledger.caveat("fire_without_data", "The layer set has no burn probability for these clusters, so the fire weight has no "
                      "effect.")  # fmt: skip
    elif not np.isfinite(burn).all():
        count = int((~np.isfinite(burn)).sum())
        ledger.caveat("unknown_burn_probability", f"{count:,} of the clusters taken {_have(count)} no burn probability, left out of "
                      "the fire averages, not counted as zero.")  # fmt: skip
    if query.feedstock == "whole_tree":
        ledger.caveat(
            "whole_tree",
            "Whole trees are burned, saw logs included, as you asked; the default burns chip trees and tops.",
        )


def _have(count: int) -> str:
    return "has" if count == 1 else "have"
