"""Options side by side: one table, differences and ratios, ranks, and ties where the error is larger than the difference."""

from __future__ import annotations

from collections.abc import Sequence

from csrag.ask.computation.compare_options import Option
from csrag.ask.computation.compare_standing import Draws, Result, Standing, standings
from csrag.ask.computation.compare_ties import TIE_FLOOR_PCT
from csrag.ask.computation.compare_values import (
    BY_LCOE,
    COLUMNS,
    COMMON,
    COMPONENTS,
    DRAWN_COLUMNS,
    HEADLINES,
    INTERVALS,
    NOT_ANSWERED,
    SHORT,
    column_of,
    ids_of,
)
from csrag.ask.computation.facts import Ledger
from csrag.ask.computation.transport import MODE_WORDS
from csrag.ask.results import Analysis, Caveat, Fact
from csrag.values import unit_and_label


def ranked_by(options: Sequence[Option]) -> str:
    """Value id that the options are ranked by: delivered cost, or the cost of electricity where their plants differ."""
    varied = {name for option in options for name in option.changes}
    return "lcoe_current" if varied & BY_LCOE else "average_delivered_cost"


def compare_results(results: Sequence[Result], drawn: Draws | None = None) -> Analysis:
    """Stage 3 of a comparison.

    Parameters
    ----------
    results : sequence of Result
        One an option, in order.
    drawn : Draws, optional
        Draws of their errors, where any was measured.

    Returns
    -------
    Analysis
        Answered; partial where an option has no figures or keeps no cap; refused where none has figures.
    """
    ledger = Ledger()
    delivered, lcoe, life = standings(results, drawn)
    measure = ranked_by([r.option for r in results])
    if measure == "lcoe_current" and lcoe.best is None:
        measure = "average_delivered_cost"
    by_lcoe = measure == "lcoe_current"
    _put_common(ledger, results, measure, lcoe if by_lcoe else delivered)
    for n, result in enumerate(results):
        _put_option(ledger, result)
        _put_differences(ledger, results, n, delivered, lcoe, life, by_lcoe=by_lcoe)
    if drawn is not None and drawn.result.status != "nothing_measured":
        _put_draws(ledger, results, delivered, drawn)
    _put_table(ledger, results)
    _caveats(ledger, results, drawn)
    done = [r for r in results if r.answered]
    status = (
        "answered" if len(done) == len(results) and all(_clean(r) for r in done) else "partial" if done else "refused"
    )
    return Analysis(status, "" if status == "answered" else _reason(results), ledger.facts, ledger.tables, ledger.caveats,
                    names=_names(results))  # fmt: skip


def _clean(result: Result) -> bool:
    return result.analysis is not None and result.analysis.status == "answered"


def _over(result: Result) -> str:
    """Which of the user's limits an option with figures exceeds; empty where it keeps them."""
    reason = result.analysis.reason if result.analysis is not None and result.answered else ""
    return {"cap_exceeded": "over your cap on the average", "budget_exceeded": "over your budget of a year"}.get(
        reason, reason
    )


def _reason(results: Sequence[Result]) -> str:
    codes = {r.code or (r.analysis.reason if r.analysis is not None else "") for r in results}
    codes.discard("")
    return codes.pop() if len(codes) == 1 else "some_options_not_met"


def letter(number: int) -> str:
    """What a text calls an option by: a for the first, b for the second [letter]."""
    return chr(ord("a") + number - 1)


def _names(results: Sequence[Result]) -> dict[str, str]:
    out = {}
    for r in results:
        mark = letter(r.option.number)
        out[f"option_{mark}"] = r.option.place_words
        out[f"option_{mark}_site"] = r.site.name
        if r.site != r.option.place:
            out[f"option_{mark}_area"] = r.option.place_words
        if not r.answered:
            code = r.code or (r.analysis.reason if r.analysis is not None else "")
            out[f"option_{mark}_why"] = NOT_ANSWERED.get(code, "the request cannot be answered there")
    return out


def _put_common(ledger: Ledger, results: Sequence[Result], measure: str, first: Standing) -> None:
    done = [r for r in results if r.answered]
    ledger.put("compared_options", len(results), "places and variants of the question, without repeats")
    ledger.put("answered_options", len(done), "the others' rows say why they have none")
    ledger.put("tied_options", sum(rank == 1 for rank in first.ranks), "those that share the first rank")
    label = (unit_and_label(measure) or ("", measure))[1]
    ledger.put(
        "comparison_measure", label, "the plants differ" if measure == "lcoe_current" else "the plants are the same"
    )
    if first.best is None:
        ledger.put("best_option", None, "no option has figures")
    else:
        ledger.put("best_option", results[first.best].option.label, f"lowest {label}")
    varied = any(r.option.changes for r in results)
    for value_id in COMMON:
        found = [r.facts[value_id] for r in results if value_id in r.facts]
        if (
            found
            and (len(found) == len(results) or not varied)
            and len({f.value for f in found}) == 1
            and found[0].value is not None
        ):
            ledger.facts[value_id] = found[0]


def _put_option(ledger: Ledger, result: Result) -> None:
    number, label = result.option.number, result.option.label

    def put(value_id: str, fact: Fact | None) -> None:
        known = unit_and_label(value_id)
        if known is None:
            return
        why = result.message or "not computed for this option"
        fact = fact or Fact(None, *known, basis=why)
        # The fact itself, not a rounded copy: what asking for the option alone gives.
        ledger.facts[f"option_{number}_{value_id}"] = Fact(fact.value, fact.unit, f"{label}: {fact.label}", fact.basis)

    ledger.put(f"option_{number}_place_name", result.option.place_words, "as asked")
    ledger.put(f"option_{number}_variant", result.option.variant or None, "as asked" if result.option.variant
               else "it differs by its place alone")  # fmt: skip
    ledger.put(f"option_{number}_option_status", result.analysis.status if result.analysis is not None else "refused",
               result.message or _over(result) or "as the site alone")  # fmt: skip
    wanted = (*HEADLINES, *ids_of(result.option.query))
    for value_id in wanted:
        put(value_id, result.facts.get(value_id))
    for value_id in (*SHORT, *INTERVALS, "interval_level_pct"):
        if value_id in result.facts and value_id not in wanted:
            put(value_id, result.facts[value_id])


class _Against:
    """One option held against others: puts values under its number, null with the reason where one of both has none."""

    def __init__(self, ledger: Ledger, results: Sequence[Result], n: int) -> None:
        self.ledger, self.results, self.me, self.n = ledger, results, results[n], n

    def put(self, value_id: str, value: float | int | None, basis: str, none: str = "") -> None:
        why = self.me.message or none or "there are no figures to hold it against"
        self.ledger.put(f"option_{self.me.option.number}_{value_id}", value, basis if value is not None else why)

    def less(self, value_id: str, other: Result | None) -> float | None:
        mine, its = self.me.number(value_id), None if other is None else other.number(value_id)
        return None if mine is None or its is None else mine - its

    def best(self, standing: Standing) -> Result | None:
        return None if standing.best is None else self.results[standing.best]

    def put_ratios(
        self, ids: tuple[str, str, str], value_id: str, other: Result | None, words: str, none: str = ""
    ) -> None:
        """Difference, its share [percent] and the multiple, under three ids."""
        difference, its = self.less(value_id, other), None if other is None else other.number(value_id)
        known = difference is not None and its is not None and its != 0
        self.put(ids[0], difference, f"this option less {words}", none)
        self.put(ids[1], (difference or 0.0) / (its or 1.0) * 100 if known else None, f"of the cost of {words}", none)
        self.put(ids[2], ((its or 0.0) + (difference or 0.0)) / (its or 1.0) if known else None, f"over {words}", none)


def _put_differences(ledger: Ledger, results: Sequence[Result], n: int, delivered: Standing, lcoe: Standing,
                     life: Standing, *, by_lcoe: bool) -> None:  # fmt: skip
    """Differences and ratios of one option to the first and to the best, by component, with margin and rank."""
    at, first = _Against(ledger, results, n), results[0]
    cheapest, words, cost = at.best(delivered), "the cheapest option", "average_delivered_cost"
    for name, other, whose in (("first", first, "the first option"), ("best", cheapest, words)):
        at.put_ratios((f"difference_to_{name}", f"difference_to_{name}_pct", f"ratio_to_{name}"), cost, other, whose)
    for part, value_id in COMPONENTS.items():
        at.put(f"{part}_difference", at.less(value_id, cheapest), f"this option less {words}")
    margin = f"what is known of the error of their difference; at least {TIE_FLOOR_PCT:g} % (assumed)"
    at.put("tie_margin", delivered.margins[n], margin)
    fact = at.me.facts.get("lcoe_current")
    ended = "" if fact is None or fact.value is not None else fact.basis
    lowest, least = at.best(lcoe), at.best(life)
    ids = ("lcoe_difference_to_best", "lcoe_difference_to_best_pct", "lcoe_ratio_to_best")
    at.put("lcoe_difference_to_first", at.less("lcoe_current", first), "this option less the first option", ended)
    at.put_ratios(ids, "lcoe_current", lowest, "the lowest", ended)
    at.put("lcoe_tie_margin", lcoe.margins[n], margin, ended)
    lived = at.less("life_average_delivered_cost", least) if life.costs[n] is not None else None
    at.put("life_difference_to_best", lived, "this option less the lowest", ended)
    at.put("life_tie_margin", life.margins[n], margin, ended)
    burns = [x for r in results if (x := r.number("mean_burn_probability")) is not None]
    mine, least_burn = at.me.number("mean_burn_probability"), min(burns, default=0.0)
    at.put("burn_ratio_to_least", mine / least_burn if mine is not None and least_burn > 0 else None, "over the lowest",
           "the burn probability of what is taken is not known, or nought at the lowest")  # fmt: skip
    fact = at.me.facts.get("average_delivered_cost_low")
    why = "no error has been measured" if fact is None or fact.value is not None else fact.basis
    at.put("cost_error", at.me.half_width("average_delivered_cost"), "half the width of its interval", why)
    at.put("lcoe_rank", lcoe.ranks[n], "lowest cost of electricity first; ties share a rank", ended)
    ranked, by = (lcoe, "cost of electricity") if by_lcoe else (delivered, "delivered cost")
    at.put("rank", ranked.ranks[n], f"lowest {by} first; ties share a rank", ended)


def _put_draws(ledger: Ledger, results: Sequence[Result], delivered: Standing, drawn: Draws) -> None:
    """In how many draws each is cheapest, and the best cheaper than each."""
    told = drawn.result
    settled = "until every share was known to half a point" if told.converged else "as many as are made at most"
    ledger.put("draws", told.draws, f"common random numbers from the question's own seed, {settled}")
    ledger.put("draws_standard_error_pct", told.standard_error_pct, "of the share known least well")
    ledger.put("interval_level_pct", told.level_pct, "of the intervals of differences")
    chosen = (
        "clusters chosen anew in each draw" if told.reselected else "the supply stays as chosen where a rule binds it"
    )
    for n, position in drawn.at.items():
        number = results[n].option.number
        ledger.put(
            f"option_{number}_cheapest_draws_pct",
            told.options[position].cheapest_pct,
            f"{chosen}; equal ones share a draw",
        )
        pair = None if delivered.best is None else drawn.pair(n, delivered.best)
        if pair is not None:
            ledger.put(f"option_{number}_cheaper_draws_pct", pair.second_cheaper_pct, chosen)
            for end, value in (("low", pair.low), ("high", pair.high)):
                ledger.put(
                    f"option_{number}_difference_{end}", value, f"this option less the cheapest as computed, {chosen}"
                )


def _put_table(ledger: Ledger, results: Sequence[Result]) -> None:
    extra = tuple(dict.fromkeys(i for r in results for i in ids_of(r.option.query)))
    lows = tuple(i for i in INTERVALS if any(r.number(i) is not None for r in results))
    named = (
        *COLUMNS,
        *(DRAWN_COLUMNS if "draws" in ledger.facts else ()),
        *((column_of(i), i) for i in (*lows, *extra)),
    )
    ids = tuple(i for _, i in named)
    columns = ("option", "place", "site", "variant", "status", *(c for c, _ in named), "lat", "lon", "why")
    rows = []
    for r in results:
        facts = [ledger.facts.get(f"option_{r.option.number}_{i}") for i in ids]
        rows.append(
            (r.option.label, r.option.place_words, r.site.name, r.option.variant,
             r.analysis.status if r.analysis is not None else "refused",
             *(None if f is None else f.value for f in facts), r.site.lat, r.site.lon, r.message or _over(r))
        )  # fmt: skip
    ledger.table(
        "comparison",
        columns,
        rows,
        "each row is what asking for that option alone gives; options that tie share a rank",
    )


def _caveats(ledger: Ledger, results: Sequence[Result], drawn: Draws | None) -> None:
    """Each option's caveats: once where all share them, else with the names of those that they hold for."""
    shown = [r for r in results if r.analysis is not None]
    seen: dict[Caveat, list[str]] = {}
    for r in shown:
        assert r.analysis is not None
        for caveat in r.analysis.warnings:
            seen.setdefault(caveat, []).append(r.option.label)
    for caveat, whose in seen.items():
        whole = len(whole_set := dict.fromkeys(whose)) == len(shown)
        ledger.caveat(caveat.code, caveat.message if whole else f"{', '.join(whole_set)}: {caveat.message}")
    _about_distances(ledger, results)
    for r in results:
        if not r.answered:
            ledger.caveat("option_not_answered", f"{r.option.label}: {r.message}")
    done = [r for r in results if r.answered]
    if len(done) > 1:
        if drawn is None or drawn.result.status == "nothing_measured":
            why = "No error has been measured for these costs. Options"
        else:
            why = "Options tie where the draws of their measured errors do not tell them apart; those"
            still = [label for label, _ in drawn.result.unmeasured]
            if still:
                ledger.caveat("draws_stand_still", f"No error has been measured for {', '.join(still)}: its cost stays as it is "
                              "in every draw.")  # fmt: skip
        ledger.caveat(
            "comparison_ties", f"{why} closer than {TIE_FLOOR_PCT:g} % are called a tie in any case (assumed)."
        )


def _about_distances(ledger: Ledger, results: Sequence[Result]) -> None:
    """Caveat where options of one question reckon their roads unlike each other, without being asked to."""
    if any("transport" in r.option.changes or "selection" in r.option.changes for r in results):
        return
    modes: dict[str, list[str]] = {}
    for r in results:
        fact = r.facts.get("transport_mode")
        if r.answered and fact is not None and fact.value is not None:
            modes.setdefault(MODE_WORDS.get(str(fact.value), str(fact.value)), []).append(r.option.label)
    if len(modes) > 1:
        told = "; ".join(f"{', '.join(names)} by {words}" for words, names in modes.items())
        ledger.caveat("unlike_distances", f"The options' road distances are not reckoned alike: {told}. Ask with zone or stratified "
                      "distances to hold them against each other by one.")  # fmt: skip
