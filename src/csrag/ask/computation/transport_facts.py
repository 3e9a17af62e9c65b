"""What an answer says about its road distances: the mode, its measured error at this radius, and what is missing."""

from __future__ import annotations

from csrag.ask.computation.choose import Selection
from csrag.ask.computation.delivered import Costs, Economics
from csrag.ask.computation.facts import Ledger
from csrag.ask.computation.transport import (
    FALLBACK_CIRCUITY,
    MODE_WORDS,
    NO_CIRCUITY,
    MeasuredError,
    Transport,
    measured_error,
)
from csrag.simulators.truck import NETWORK_WAITING_H_PER_LOAD
from csrag.surfaces.manifest import Manifest

ZONE_FIT_KM = 30.0
"""Zone factors are fitted on trips under this straight-line distance [km] (published description)."""
_UNMEASURED = "the error has not been measured for this layer set"
_STRAIGHT = {
    "zone": "straight lines times a zone factor", "stratified": "straight lines times a factor by zone and distance band",
}  # fmt: skip


def put_transport(ledger: Ledger, manifest: Manifest, transport: Transport, radius_km: float, econ: Economics) -> None:
    """Record the distance mode, its error in the band of the radius, and the caveats that follow.

    Parameters
    ----------
    ledger : Ledger
        Receives the values.
    manifest : Manifest
        `transport.accuracy`.
    transport : Transport
        The mode used.
    radius_km : float
        Circle of year one [km].
    econ : Economics
        Whether the user named the trucks' speed.
    """
    mode = transport.mode
    why = "as asked" if transport.wanted == mode else "the best the layer set has for this site"
    has = ", ".join(manifest.distance_modes) or "none"
    ledger.put("transport_mode", mode, f"{why}; the layer set has: {has}")
    error = measured_error(manifest, mode, radius_km)
    zone = measured_error(manifest, "zone", radius_km)
    _put_error(ledger, manifest, mode, error, zone)
    _about_choice(ledger, manifest, transport)
    if mode == "network":
        _about_network(ledger, manifest, error, zone, econ)
    elif mode == NO_CIRCUITY:
        ledger.caveat("transport_approximate", f"The layer set has no circuity; every road is taken as {FALLBACK_CIRCUITY:g} "
                      "times the straight line (assumed).")  # fmt: skip
    else:
        _about_factors(ledger, mode, error, radius_km)


def _put_error(
    ledger: Ledger, manifest: Manifest, mode: str, error: MeasuredError | None, zone: MeasuredError | None
) -> None:
    banded = error or zone
    ledger.put("transport_band", banded.words if banded else None, "straight-line band that holds the radius" if banded
               else _UNMEASURED)  # fmt: skip
    ledger.put("zone_transport_error_pct", zone.mape_pct if zone else None,
               f"mean of the absolute errors of {_trips(zone)}" if zone else _UNMEASURED)  # fmt: skip
    if error is None:
        why = _UNMEASURED
        if mode == "network" and (manifest.transport or {}).get("accuracy"):
            why = "the network is the reference that the other modes are measured against, not measured itself"
        for value_id in ("transport_error_pct", "transport_aggregate_error_pct"):
            ledger.put(value_id, None, why)
        return
    basis = _trips(error)
    ledger.put("transport_error_pct", error.mape_pct, f"mean of the absolute errors of {basis}")
    ledger.put(
        "transport_aggregate_error_pct", error.aggregate_pct, f"error of the sum, positive where too long, of {basis}"
    )


def _trips(error: MeasuredError) -> str:
    beyond = "; the circle reaches beyond the last band measured" if error.beyond else ""
    return f"{error.n:,} trips of {error.words}, straight line, measured on this layer set{beyond}"


def _about_choice(ledger: Ledger, manifest: Manifest, transport: Transport) -> None:
    """A mode that was wanted, or that the set has, and was not used."""
    used = MODE_WORDS[transport.mode]
    is_are = "is" if transport.mode in {"network", NO_CIRCUITY} else "are"
    if transport.off_network:
        ledger.caveat("site_off_network", f"This site does not lie on the road network ({transport.off_network}); {used} {is_are} "
                      "used instead.")  # fmt: skip
    elif transport.wanted is not None and transport.wanted != transport.mode:
        have = ", ".join(manifest.distance_modes) or "no circuity at all"
        ledger.caveat(
            "transport_mode_missing",
            f"The layer set has no {transport.wanted} distances (it has {have}); {used} {is_are} used.",
        )


def _about_network(
    ledger: Ledger, manifest: Manifest, error: MeasuredError | None, zone: MeasuredError | None, econ: Economics
) -> None:
    source = ((manifest.transport or {}).get("network") or {}).get("source") or ""
    made_up = manifest.synthetic and "SYNTHETIC" not in source
    kind = "SYNTHETIC road network" if made_up else "road network"
    time = (
        f"its own driving times, with {NETWORK_WAITING_H_PER_LOAD:g} h of loading and waiting a load"
        if not econ.speed_set
        else f"your speed of {econ.truck.speed_km_per_h:g} km/h instead of its own driving times"
    )
    text = f"Road distances follow the layer set's {kind}"
    text += f" ({source})" if source else ""
    text += f", at {time}"
    if error is not None:
        text += f"; they are {_measured(error)}"
    else:
        text += "; how far it is off real roads has not been measured"
        text += (
            f". It is what the other modes are measured against: zone factors would be {_measured(zone)}"
            if zone
            else ""
        )
    ledger.caveat("transport_network", text + ".")


def _about_factors(ledger: Ledger, mode: str, error: MeasuredError | None, radius_km: float) -> None:
    far = mode == "zone" and radius_km > ZONE_FIT_KM
    text = f"Road distances are {_STRAIGHT[mode]}"
    if far:
        text += f", meant for trips under {ZONE_FIT_KM:g} km; this circle reaches further"
    text += (
        f"; they are {_measured(error)}" if error is not None else f", and {_UNMEASURED}" if far else f"; {_UNMEASURED}"
    )
    code = "transport_approximate" if radius_km > ZONE_FIT_KM else f"transport_{mode}"
    ledger.caveat(code, text + ".")


def _measured(error: MeasuredError) -> str:
    long = "too long" if error.aggregate_pct > 0 else "too short"
    beyond = ", the last band measured" if error.beyond else ""
    return (
        f"off by {error.mape_pct:.1f} % on average and {abs(error.aggregate_pct):.1f} % {long} in sum for trips of {error.words}"
        f"{beyond} ({error.n:,} trips measured on this layer set)"
    )


def put_trips(ledger: Ledger, costs: Costs, taken: Selection) -> None:
    """Record the driving time of the selection and the share of its tons whose road distance is a stand-in.

    Parameters
    ----------
    ledger : Ledger
        Receives the values.
    costs : Costs
        Candidates.
    taken : Selection
        Clusters taken.
    """
    assert costs.transport is not None
    assert costs.hours is not None
    network = costs.transport.mode == "network"
    hours = taken.mean(costs.hours, costs)
    source = "the network's own hours" if network else "at the mean speed"
    ledger.put("mean_road_hours", hours, f"one way, {source}, weighted by tons over the selection")
    unknown = ~costs.circuity_known[taken.rows]
    count, share = int(unknown.sum()), float(costs.tons[taken.rows][unknown].sum()) / taken.tons * 100
    stands_in = MODE_WORDS[costs.transport.without_network] if network else "the median factor"
    missing = "road distance by the network" if network else "circuity factor of a zone"
    ledger.put("fallback_circuity_pct", share, f"no {missing}; {stands_in} stand in" if network
               else f"no {missing}; {stands_in} stands in")  # fmt: skip
    if count and costs.transport.mode != NO_CIRCUITY:
        has, stand = ("has" if count == 1 else "have"), ("stand" if network and "factors" in stands_in else "stands")
        ledger.caveat("circuity_fallback", f"{count:,} of the clusters taken ({share:.1f} % of the tons) {has} no {missing}; "
                      f"{stands_in} {stand} in.")  # fmt: skip
    if costs.lifted:
        ledger.caveat("road_shorter_than_line", f"{costs.lifted:,} candidates had a road shorter than the straight line; it was "
                      "lifted to the straight line.")  # fmt: skip


def about_life_transport(ledger: Ledger, manifest: Manifest, mode: str, year_one_km: float, life_km: float) -> None:
    """Caveat where the life's circle reaches into another band of distance, with the error there.

    Parameters
    ----------
    ledger : Ledger
        Receives the caveat.
    manifest : Manifest
        `transport.accuracy`.
    mode : str
        The mode used.
    year_one_km, life_km : float
        Circles of year one and of the life's last year [km].
    """
    now, then = measured_error(manifest, mode, year_one_km), measured_error(manifest, mode, life_km)
    if now is None or then is None or now.low_km == then.low_km:
        return
    ledger.caveat("life_transport", f"In later years the circle grows to {life_km:g} km: for trips of {then.words} road distances "
                  f"are off by {then.mape_pct:.1f} % on average and {abs(then.aggregate_pct):.1f} % "
                  f"{'too long' if then.aggregate_pct > 0 else 'too short'} in sum.")  # fmt: skip
