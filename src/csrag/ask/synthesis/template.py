"""The offline writer: which sentences an answer has. Wording only; numbers are references to values."""

from __future__ import annotations

from collections.abc import Mapping

from csrag.ask.records import SitingQuery
from csrag.ask.results import Analysis, Fact
from csrag.ask.synthesis.render import Rendered, UnbackedNumberError, clean_name, render, verify
from csrag.ask.synthesis.template_methods import cost_sentences, transport_sentences
from csrag.ask.synthesis.template_projection import (
    NAMES,
    about_emissions,
    about_line,
    about_others,
    about_years,
    cut_words,
)
from csrag.ask.synthesis.template_rules import rules_refusal, rules_sentences, under_rules
from csrag.ask.synthesis.template_sensitivity import sensitivity_sentences, viability_sentences
from csrag.ask.synthesis.template_uncertainty import interval_sentences, life_interval_sentences

_TECHNOLOGY = {"combustion": "biomass power", "chp": "biomass heat and power", "gasification": "biomass gasification"}
_TREATMENT = {
    "RMI100": "complete removal",
    "SDI30": "thinning to low density",
    "SDI55": "thinning to medium density",
    "TFA": "thinning from above",
    "TFB": "thinning from below",
}
_REFUSED_IN_OWN_WORDS = frozenset({"compare", "search"})
"""Intents whose own module also words a refusal."""
_SAME_LOW, _SAME_HIGH = 0.95, 1.05
_CENT = 0.005


def treatment_words(treatment: str) -> str:
    """A treatment's name with what it means."""
    return f"{treatment}, {_TREATMENT.get(treatment, _TREATMENT.get(treatment[:3], 'treatment'))}"


def write_answer(query: SitingQuery, analysis: Analysis, place: str) -> Rendered:
    """Write and check the text of one answer.

    Parameters
    ----------
    query : SitingQuery
        What was asked.
    analysis : Analysis
        Computed values.
    place : str
        Name of the site, as the gazetteer spells it.

    Returns
    -------
    Rendered

    Raises
    ------
    UnbackedNumberError
        If any number of the text is not backed by a value; the text is then not shown.
    """
    names = {
        "place": place,
        "technology": _TECHNOLOGY[query.technology],
        "treatment": clean_name(treatment_words(query.treatment)),
        "code": query.treatment,
        "far": "40 km",
        **NAMES,
        **{name: clean_name(word) for name, word in analysis.names.items()},
    }
    of_one_site = analysis.status == "refused" and query.intent not in _REFUSED_IN_OWN_WORDS
    paragraphs = [[_refusal(analysis)]] if of_one_site else _paragraphs(query, analysis)
    template = "\n\n".join(" ".join(sentences) for sentences in paragraphs if sentences)
    rendered = render(template, analysis.facts, names)
    wrong = verify(rendered, analysis.facts)
    if wrong:
        raise UnbackedNumberError("; ".join(wrong), "The text is not shown.")
    return rendered


def _number(facts: Mapping[str, Fact], value_id: str) -> float | None:
    fact = facts.get(value_id)
    return None if fact is None or fact.value is None else float(fact.value)


def _plant(facts: Mapping[str, Fact]) -> str:
    capacity = _number(facts, "capacity_mw")
    if capacity is not None:
        return f"{'an' if _sounds_like_a_vowel(capacity) else 'a'} {{{{capacity_mw}}}} <<technology>> plant"
    return "a user of {{demand_bdt}}"


def _sounds_like_a_vowel(number: float) -> bool:
    """Eight, eleven, eighteen, eighty: "an 18 MW plant"."""
    digits = f"{number:.10g}"
    return digits.startswith("8") or digits.split(".")[0] in {"11", "18"}


def _paragraphs(query: SitingQuery, analysis: Analysis) -> list[list[str]]:
    # Intents with a text of their own come first; each is imported when it is asked.
    if query.intent == "compare":
        from csrag.ask.synthesis.template_compare import comparison_paragraphs

        return comparison_paragraphs(query, analysis)
    if query.intent == "lookup":
        from csrag.ask.synthesis.template_lookup import lookup_paragraphs

        return lookup_paragraphs(query, analysis)
    if query.intent == "pareto":
        from csrag.ask.synthesis.template_pareto import pareto_paragraphs

        own = pareto_paragraphs(query, analysis, _plant(analysis.facts))
        return own or _answer(query, analysis)
    if query.intent == "search":
        from csrag.ask.synthesis.template_search import search_paragraphs

        return search_paragraphs(query, analysis)
    return _answer(query, analysis)


def _answer(query: SitingQuery, analysis: Analysis) -> list[list[str]]:
    """Paragraphs: the price, the supply, fire, the plant's life, what comes with it."""
    facts = analysis.facts
    price = [*_without_trade_off(analysis), *_largest(query, facts)]
    price += [
        f"Fuel for {_plant(facts)} at <<place>> costs {{{{average_delivered_cost}}}} delivered, on average "
        "({{average_delivered_cost_usd_per_gt}} at {{moisture_pct}} moisture); the last ton costs {{last_ton_cost}}."
    ]
    if analysis.reason == "cap_exceeded":
        price.append(
            "That is over your cap of {{max_cost_usd_per_bdt}} on the average: under it there are {{obtainable_bdt}}, "
            "enough for {{largest_capacity_mw}}."
        )
    if _number(facts, "range_low_average_delivered_cost") is not None:
        text = (
            "That is the middle of your range: at {{range_low_capacity_mw}} the average is "
            "{{range_low_average_delivered_cost}}"
        )
        if _number(facts, "range_high_average_delivered_cost") is not None:
            text += ", at {{range_high_capacity_mw}} it is {{range_high_average_delivered_cost}}"
        price.append(text + ".")
    if _number(facts, "budget_usd_per_year") is not None and query.intent != "max_capacity":
        price.append(
            "The fuel bill is {{fuel_bill_usd_per_year}}, over your budget of {{budget_usd_per_year}}: within it there "
            "are {{obtainable_bdt}}, enough for {{largest_capacity_mw}}."
            if analysis.reason == "budget_exceeded"
            else "The fuel bill is {{fuel_bill_usd_per_year}}, within your budget of {{budget_usd_per_year}}."
        )
    price.append(
        "Of that, harvest is {{average_harvest_cost}}, haul {{average_haul_cost}} over {{mean_road_miles}} "
        "({{mean_road_km}}) of road one way, unloading {{unloading_cost}} and move-in {{move_in_cost}}."
    )
    price += [*transport_sentences(query, facts), *cost_sentences(facts), *interval_sentences(facts)]
    return [
        price,
        sensitivity_sentences(query, facts),
        [*_supply(query, facts), *rules_sentences(query, analysis), *about_others(facts)],
        _fire(query, facts),
        [*_life(query, facts), *about_years(facts)],
        [*_electricity(facts), *life_interval_sentences(facts), *about_line(facts), *about_emissions(query, facts)],
        viability_sentences(facts),
        _besides(facts),
    ]


def _without_trade_off(analysis: Analysis) -> list[str]:
    """Why a trade-off that was asked for cannot be shown; it stands first, so that nobody reads the rest as one."""
    if analysis.reason == "no_burn_probability":
        return [
            "The layers know no burn probability here, so fire cannot be traded against cost; this is the cheapest supply."
        ]
    if analysis.reason == "flat_burn_probability":
        return [
            "Burn probability is the same at every candidate here, so no weight of fire changes the supply and there is no trade-off."
        ]
    return []


def _largest(query: SitingQuery, facts: Mapping[str, Fact]) -> list[str]:
    if _number(facts, "max_capacity_mw") is None:
        return []
    if query.max_cost_usd_per_bdt is not None:
        kind = "on the last ton" if query.max_cost_kind == "last_ton" else "on the average"
        limit = f"with a cap of {{{{max_cost_usd_per_bdt}}}} {kind}"
    elif query.budget_usd_per_year is not None:
        limit = "on a fuel budget of {{budget_usd_per_year}}"
    else:
        limit = "if every candidate is taken in one year"
    return [
        f"The largest <<technology>> plant at <<place>> {limit} is {{{{max_capacity_mw}}}}, burning {{{{max_capacity_bdt}}}} from "
        "within {{radius_miles}} ({{radius_km}})."
    ]


def _supply(query: SitingQuery, facts: Mapping[str, Fact]) -> list[str]:
    has_plant = _number(facts, "capacity_mw") is not None
    need = "The plant burns {{demand_bdt}}" if has_plant else "The demand is {{demand_bdt}}"
    tail = " to make {{generation_mwh}}." if has_plant else "."
    out = [
        f"{need} ({{{{demand_gt}}}}, {{{{truck_loads}}}} or {{{{truck_loads_per_day}}}}){tail}",
        "It comes from {{selected_clusters}} on {{treated_acres}} treated with <<treatment>>, taken from "
        "{{candidate_clusters}} with {{feedstock_available_bdt}} within {{radius_miles}} ({{radius_km}}).",
    ]
    if _number(facts, "main_system_pct") is not None:
        out.append(
            "Of the tons taken {{main_system_pct}} come by {{main_system}}, which would also be the cheapest way for "
            "{{main_system_pool_pct}} of all candidates' tons."
        )
    if query.intent == "supply_curve":
        out.append(
            "Along the supply curve the cheapest cluster costs {{cheapest_ton_cost}}, your demand ends at {{last_ton_cost}}, "
            "and taking every candidate would average {{pool_average_cost}}."
        )
    return out


def _besides(facts: Mapping[str, Fact]) -> list[str]:
    out = []
    if _number(facts, "coproduct_gt"):
        cost = ", and treating everything, saw logs included, costs {{treatment_cost_usd_per_acre}}"
        tail = cost if _number(facts, "treatment_cost_usd_per_acre") is not None else ""
        out.append(f"{{{{coproduct_gt}}}} of saw logs come with it and are not burned{tail}.")
    if _number(facts, "protected_excluded_bdt"):
        out.append("Parks and wilderness in the circle hold another {{protected_excluded_bdt}}, which are left out.")
    return out


def _life(query: SitingQuery, facts: Mapping[str, Fact]) -> list[str]:
    """Year one is not the plant's life; and the projection, where one was asked for."""
    if _number(facts, "life_average_delivered_cost") is None:
        return []
    circle = (
        "the circle stays as you set it" if query.radius_km is not None else "the circle grows to {{life_radius_km}}"
    )
    ends = _number(facts, "exhaustion_year")
    end = " until the wood in reach gives out in {{exhaustion_year}}" if ends is not None else ""
    out = [
        f"That is year one. Over a life of {{{{life_years}}}} {cut_words(facts)} and {circle}, so fuel averages "
        f"{{{{life_average_delivered_cost}}}} in dollars of year one{end}, with {{{{life_last_year_cost}}}} in the last year supplied."
    ]
    if query.intent == "projection" and _number(facts, "projection_last_cost") is not None:
        text = (
            "Projected over {{projection_years}}, with prices growing by {{escalation_pct}}, delivered cost goes from "
            "{{average_delivered_cost}} to {{projection_last_cost}} in dollars of year one, which is "
            "{{projection_last_current_dollars}} in dollars of that year, at a radius of {{projection_radius_miles}} "
            "({{projection_radius_km}})"
        )
        past = _number(facts, "first_year_past_40_km") is not None
        out.append(text + ("; the circle passes <<far>> in {{first_year_past_40_km}}." if past else "."))
    return out


def _electricity(facts: Mapping[str, Fact]) -> list[str]:
    if _number(facts, "lcoe_current") is None:
        if _number(facts, "exhaustion_year") is not None:
            return [
                "No levelised cost of electricity is given, since the wood in reach ends before the plant's life does."
            ]
        return []
    payment = _number(facts, "capacity_payment_usd_per_kw_y")
    income = (
        "a capacity payment of {{capacity_payment_usd_per_kw_y}} is assumed and takes {{capacity_income_usd_per_mwh}} off"
        if payment
        else "no capacity payment is assumed"
    )
    credit = _number(facts, "production_tax_credit_usd_per_mwh")
    tax = "a tax credit of {{production_tax_credit_usd_per_mwh}}" if credit else "no tax credit"
    line = "the power line adds {{line_usd}} of capital" if _number(facts, "line_usd") else "a power line is not in it"
    out = [
        "On that fuel, year by year, electricity costs {{lcoe_current}} in current dollars ({{lcoe_constant}} in constant "
        f"dollars): {income}, with {tax}, and {line}."
    ]
    if _number(facts, "heat_income_usd_per_mwh"):
        out.append("Heat sales of {{heat_income_usd_per_mwh}} in year one are counted in.")
    if _number(facts, "dual_fuel_usd_per_mwh"):
        out.append("Heavy diesel beside the wood costs {{dual_fuel_usd_per_mwh}} in year one.")
    return out


def _fire(query: SitingQuery, facts: Mapping[str, Fact]) -> list[str]:
    if query.fire_weight <= 0:
        return []
    if _number(facts, "mean_burn_probability") is None:
        return ["The layers know no burn probability for these stands, so weighing fire changes nothing here."]
    ratio = _number(facts, "burn_probability_ratio")
    extra = _number(facts, "fire_extra_cost") or 0.0
    paid = (
        f"for {{{{fire_extra_cost}}}} {'more' if extra > 0 else 'less'}" if abs(extra) >= _CENT else "at the same cost"
    )
    if extra <= -_CENT:
        paid = "at no extra cost"
    against = (
        "({{mean_burn_probability}} against {{baseline_burn_probability}}; over {{fire_horizon_years}} a chance of "
        "{{burn_chance_20_years_pct}} against {{baseline_burn_chance_20_years_pct}})"
    )
    if ratio is None:
        return ["What is taken has an annual burn probability of {{mean_burn_probability}}."]
    if _SAME_LOW < ratio < _SAME_HIGH:
        return [
            "Weighing fire at {{fire_weight_pct}} changes little here: the fuel comes from stands about as likely to burn as "
            f"those of the cheapest selection {against}, {paid}."
        ]
    price = ""
    if _number(facts, "fire_price_usd_per_bdt_per_pct") is not None:
        price = " The weight pays up to {{fire_price_usd_per_bdt_per_pct}}."
    return [
        "Weighing fire at {{fire_weight_pct}}, the fuel comes from stands {{burn_probability_ratio}} as likely to burn as those "
        f"of the cheapest selection {against}, {paid}.{price}"
    ]


def _refusal(analysis: Analysis) -> str:
    facts = analysis.facts
    if _number(facts, "max_capacity_mw") is not None:
        limit = "cap of {{max_cost_usd_per_bdt}}" if _number(facts, "max_cost_usd_per_bdt") is not None else "limit"
        return (
            f"No plant at <<place>> keeps your {limit}: of {{{{candidate_clusters}}}} within {{{{radius_miles}}}} "
            "({{radius_km}}) what fits is {{max_capacity_bdt}}, enough for {{max_capacity_mw}}."
        )
    plant = _plant(facts)
    if analysis.reason == "rules_not_met":
        return rules_refusal(analysis, plant)
    have = _number(facts, "obtainable_bdt") or 0.0
    if have <= 0:
        text = (
            f"There is no fuel to be had for {plant} at <<place>>: of {{{{clusters_in_circle}}}} within {{{{radius_miles}}}} "
            "({{radius_km}}) none passes the filters, so {{largest_capacity_mw}} can be supported. The need is {{demand_bdt}}."
        )
    elif analysis.reason == "cap_not_met":
        text = (
            f"Under your cap of {{{{max_cost_usd_per_bdt}}}} on the last ton there are {{{{obtainable_bdt}}}} for {plant} at "
            "<<place>>, less than the {{demand_bdt}} it needs: the cap binds. That much keeps {{largest_capacity_mw}} running, at "
            "{{obtainable_average_cost}} on average."
        )
    else:
        text = (
            f"The demand of {plant} at <<place>> is not met: {{{{demand_bdt}}}} are needed and {{{{obtainable_bdt}}}} are there "
            f"within {{{{radius_miles}}}} ({{{{radius_km}}}}){under_rules(facts)}. That much keeps "
            "{{largest_capacity_mw}} running, at {{obtainable_average_cost}} on average."
        )
    if analysis.reason == "cap_not_met":
        return text
    if _number(facts, "radius_needed_km") is not None:
        text += " The radius binds: {{radius_needed_km}} would hold the demand."
    else:
        binding = _binding(analysis)
        if binding:
            text += f" Most of what is left out goes by: {binding}."
    return text


def _binding(analysis: Analysis) -> str:
    """The filter that takes the most tons out, in words; limits the user set come before the rest."""
    table = analysis.tables.get("excluded")
    rows = [r for r in table.rows if float(r[2]) > 0] if table else []
    return str(max(rows, key=lambda r: float(r[2]))[0]) if rows else ""
