"""What a plant would pay for fuel at every site searched: the table behind a map."""

from __future__ import annotations

import numpy as np

from csrag.ask.computation.facts import Ledger
from csrag.ask.computation.search_sites import Candidates
from csrag.ask.computation.statewide import SiteCosts
from csrag.ask.results import Table
from csrag.geo import to_albers_m

HEAT_ROWS = 2500
"""Rows that an answer record shows of the map; beyond it each block shows its cheapest site."""
_BLOCKS_KM = (4, 6, 8, 12, 16, 24, 32, 64, 128)
_COLUMNS = ("lat", "lon", "average_usd_per_bdt")


def put_heat_map(ledger: Ledger, sites: Candidates, costs: SiteCosts) -> None:
    """Record the cost at every supplied site: `Table.whole` has them all, the rows of the record at most `HEAT_ROWS`.

    Parameters
    ----------
    ledger : Ledger
        Receives the table `heat_map`.
    sites : Candidates
        Where.
    costs : SiteCosts
        Average delivered cost by the search [USD per BDT].
    """
    at = np.flatnonzero(costs.met)
    average = np.round(costs.average_usd_per_bdt[at], 2)
    whole = tuple(zip(sites.lat[at].tolist(), sites.lon[at].tolist(), average.tolist(), strict=True))
    if len(whole) <= HEAT_ROWS:
        ledger.tables["heat_map"] = Table(
            _COLUMNS, whole, "average delivered cost by the search, move-in left out", whole
        )
        return
    x, y = to_albers_m(sites.lat[at], sites.lon[at])
    for block_km in _BLOCKS_KM:
        column, row = (np.floor(v / (1000 * block_km)).astype(np.int64) for v in (x, y))
        order = np.lexsort((at, average, column, row))
        first = np.ones(len(order), dtype=bool)
        first[1:] = (np.diff(column[order]) != 0) | (np.diff(row[order]) != 0)
        if first.sum() <= HEAT_ROWS:
            break
    shown = order[first]
    note = (
        f"average delivered cost by the search, move-in left out; of {len(whole):,} sites the cheapest of each {block_km} km "
        "block is shown, and a map draws them all"
    )
    ledger.tables["heat_map"] = Table(_COLUMNS, tuple(whole[i] for i in shown.tolist()), note, whole)
