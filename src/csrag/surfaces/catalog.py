"""What a layer set holds: treatments, harvesting systems, columns with their units.

A layer is a function from place (and treatment, system) to a value, written out over every cluster. Everything here is
vocabulary; nothing reads a file.
"""

from __future__ import annotations

from dataclasses import dataclass

TREATMENTS = (
    "RMI100", "SDI30", "SDI55", "TFA20", "TFA40", "TFA60", "TFA80", "TFB20", "TFB40", "TFB60", "TFB80",
)  # fmt: skip
"""Names are the keys; ids differ between systems and are read from the data."""

FRREDSS_TREATMENT_IDS = {name: i for i, name in enumerate(TREATMENTS, start=1)}
"""FRREDSS's own numbering, used only to label demonstration data and as the default of an import that names it."""

CLEAR_CUT = "RMI100"
"""The only treatment that FRCS treats as a clear cut."""

SYSTEMS = (
    "Ground-Based Mech WT", "Ground-Based Manual WT", "Ground-Based Manual Log", "Ground-Based CTL",
    "Cable Manual WT/Log", "Cable Manual WT", "Cable Manual Log", "Cable CTL",
    "Helicopter Manual Log", "Helicopter CTL",
)  # fmt: skip

FAMILIES = {
    "ground": SYSTEMS[0:4],
    "cable": SYSTEMS[4:8],
    "helicopter": SYSTEMS[8:10],
    "auto": SYSTEMS[0:8],
}
"""What a family word means. `auto` leaves helicopters out: nobody flies chips unless asked to."""

FEEDSTOCK_CLASSES = ("whole_tree", "whole_tree_chips_only", "log", "cut_to_length")
"""Feedstock of a cluster depends on the system only through these four (FRCS): chip trees plus all recovered tops;
chip trees plus their own tops; chip-tree boles only; chip-tree boles plus bundled slash."""

FEEDSTOCK_CLASS_OF = {
    "Ground-Based Mech WT": 0, "Ground-Based Manual WT": 0, "Cable Manual WT": 0, "Cable Manual WT/Log": 1,
    "Ground-Based Manual Log": 2, "Cable Manual Log": 2, "Cable CTL": 2, "Helicopter Manual Log": 2,
    "Helicopter CTL": 2, "Ground-Based CTL": 3,
}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """One stored column.

    Parameters
    ----------
    name : str
        Name, unit suffix included.
    dtype : str
        NumPy dtype on disk.
    unit : str
        Unit in words; masses say their basis.
    axes : str
        Axes in storage order: "cluster", "treatment,cluster", "treatment,system,cluster" or "treatment,class,cluster";
        of a road network "node", "node+1" (one more than nodes), "arc", "core", "core+1", "chain" or "end,node".
    meaning : str
        One line.
    """

    name: str
    dtype: str
    unit: str
    axes: str
    meaning: str


_T, _TS, _TC = "treatment,cluster", "treatment,system,cluster", "treatment,class,cluster"
_COLUMNS = [
    Column("cluster_no", "<i8", "", "cluster", "cluster key, unique in the layer set"),
    Column("lat", "<f8", "degrees", "cluster", "cluster centre, latitude WGS 84"),
    Column("lon", "<f8", "degrees", "cluster", "cluster centre, longitude WGS 84"),
    Column("area_acres", "<f4", "acres", "cluster", "area of the cluster"),
    Column("slope_pct", "<f4", "percent", "cluster", "terrain slope; the user's limit acts on it"),
    Column("grade_pct", "<f4", "percent", "cluster", "grade from the cluster to its landing"),
    Column("yarding_ft", "<f4", "feet", "cluster", "mean yarding distance, level"),
    Column("elevation_ft", "<f4", "feet", "cluster", "elevation of the centre"),
    Column("wood_density_kg_per_m3", "<f4", "kg per m3", "cluster", "basic wood density (dry mass, green volume)"),
    Column("burn_probability", "<f4", "per year", "cluster", "annual burn probability; NaN unknown"),
    Column("zone", "<i2", "", "cluster", "circuity zone; -1 unknown"),
    Column("land_use", "|u1", "code", "cluster", "land use, coded in manifest.codes"),
    Column("wilderness", "|u1", "0 or 1", "cluster", "designated wilderness, or kept out by an exclusion layer"),
    Column("roaded", "|u1", "0 or 1", "cluster", "0 where no road is near enough to work the cluster"),
    Column("county", "|u1", "code", "cluster", "county, coded in manifest.codes; 255 unknown"),
    Column("forest_type", "|u1", "code", "cluster", "forest type, coded in manifest.codes; 255 unknown"),
    Column("hazard_class", "|u1", "code", "cluster", "fire hazard class, coded in manifest.codes; 255 unknown"),
    Column("stem_4_6_bdt_per_acre", "<f4", "BDT per acre", _T, "removed stems 4-6 in, bone dry"),
    Column("stem_6_9_bdt_per_acre", "<f4", "BDT per acre", _T, "removed stems 6-9 in, bone dry"),
    Column("stem_9_plus_bdt_per_acre", "<f4", "BDT per acre", _T, "removed stems over 9 in, bone dry"),
    Column("branch_bdt_per_acre", "<f4", "BDT per acre", _T, "removed branches and tops, bone dry"),
    Column("cost_usd_per_bdt", "<f4", "USD per BDT", _TS, "harvest cost of feedstock at the landing; NaN infeasible"),
    Column("feedstock_bdt", "<f4", "BDT per cluster", _TC, "feedstock of the whole cluster, bone dry"),
    Column("coproduct_bdt", "<f4", "BDT per cluster", _T, "saw logs of the whole cluster, bone dry"),
]

COLUMNS: dict[str, Column] = {c.name: c for c in _COLUMNS}
ROAD_COLUMNS: dict[str, Column] = {
    c.name: c
    for c in (
        Column("landing_node", "<i4", "", "cluster", "road node that the cluster's landing joins; -1 none near enough"),
        Column("landing_km", "<f4", "km", "cluster", "access leg from the landing to that node; NaN none"),
        Column("landing_hours", "<f4", "hours", "cluster", "driving time of the access leg; NaN none"),
        Column("road_node_lat", "<f8", "degrees", "node", "road node, latitude WGS 84"),
        Column("road_node_lon", "<f8", "degrees", "node", "road node, longitude WGS 84"),
        Column("road_indptr", "<i4", "", "node+1", "first arc of each road node; each edge is stored from both ends"),
        Column("road_neighbour", "<i4", "", "arc", "road node at the far end of the arc"),
        Column("road_km", "<f4", "km", "arc", "length of the arc"),
        Column("road_hours", "<f4", "hours", "arc", "truck's driving time along the arc"),
    )
}
"""Columns of a set that carries a road network: all of them or none."""
CORE_COLUMNS: dict[str, Column] = {
    c.name: c
    for c in (
        Column(
            "core_node", "<i4", "", "core", "road node of each core node: a junction, an end, a cut in a long chain"
        ),
        Column("core_indptr", "<i4", "", "core+1", "first chain of each core node"),
        Column("core_neighbour", "<i4", "", "chain", "core node at the far end of the chain"),
        Column("core_km", "<f8", "km", "chain", "length of the chain"),
        Column("core_hours", "<f8", "hours", "chain", "truck's driving time along the chain"),
        Column("core_end", "<i4", "", "end,node", "core nodes at the two ends of each road node's chain"),
        Column("core_end_km", "<f8", "km", "end,node", "way from the road node to those ends"),
        Column("core_end_hours", "<f8", "hours", "end,node", "driving time of that way"),
        Column("core_chain", "<i4", "", "node", "number that the road nodes inside one chain share; -1 a core node"),
    )
}
"""What follows from the road columns and saves working it out when a question is asked: all of them or none."""
CLUSTER_COLUMNS = tuple(c.name for c in _COLUMNS if c.axes == "cluster")
REMOVAL_COLUMNS = ("stem_4_6_bdt_per_acre", "stem_6_9_bdt_per_acre", "stem_9_plus_bdt_per_acre", "branch_bdt_per_acre")
SITE_STAND_COLUMNS = (
    "area_acres",
    "slope_pct",
    "grade_pct",
    "yarding_ft",
    "elevation_ft",
    "wood_density_kg_per_m3",
    "roaded",
)
"""Cluster-level inputs of the harvest simulator; with `REMOVAL_COLUMNS` they are all a what-if needs."""

UNKNOWN_CODE = 255
LAND_USES = ("private", "usfs", "blm", "nps", "state", "tribal", "other")
HAZARD_CLASSES = ("none", "moderate", "high", "very high")


def systems_of(system: str) -> tuple[str, ...]:
    """Systems that a query's `system` allows: a family word or one FRCS name.

    Raises
    ------
    KeyError
        If it is neither.
    """
    if system in FAMILIES:
        return FAMILIES[system]
    if system in SYSTEMS:
        return (system,)
    raise KeyError(system)
