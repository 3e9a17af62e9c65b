"""The steps that a trace can show: the stage each belongs to, the tool that runs it, and what it does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """One kind of step.

    Parameters
    ----------
    stage : str
        intent, retrieval, computation or synthesis.
    tools : tuple of str
        Tools whose calls run it; none for what only the whole pipeline does.
    meaning : str
        In words, for a terminal.
    """

    stage: str
    tools: tuple[str, ...]
    meaning: str


_SITE = ("supply_curve", "lcoe", "project", "sensitivity", "compare", "pareto")
STEPS: dict[str, Step] = {
    "parse_question": Step("intent", (), "reading the question"),
    "fill_gaps_with_model": Step("intent", (), "asking the model about what was not understood"),
    "plan_with_model": Step("intent", (), "asking the model what to compute"),
    "geocode": Step("intent", ("geocode",), "finding the place"),
    "estimate_demand": Step("computation", ("estimate_demand", "max_capacity", *_SITE), "reckoning what the plant burns"),
    "find_radius": Step("retrieval", ("retrieve_clusters", *_SITE), "finding how far the plant must reach"),
    "retrieve_clusters": Step("retrieval", ("retrieve_clusters", "max_capacity", *_SITE), "reading the clusters of the circle"),
    "retrieve_clusters_for_life": Step("retrieval", _SITE, "reading the clusters of the plant's life"),
    "retrieve_clusters_for_sensitivity": Step("retrieval", ("sensitivity",), "reading the clusters of a larger plant"),
    "search_roads": Step("retrieval", ("retrieve_clusters", "max_capacity", *_SITE), "searching the roads"),
    "find_radius_for_demand": Step("retrieval", ("find_radius", *_SITE), "looking for a wide enough circle"),
    "cost_clusters": Step("computation", ("retrieve_clusters",), "costing the clusters"),
    "analyse_site": Step("computation", ("max_capacity", *_SITE), "choosing the supply and running the years"),
    "largest_plant": Step("computation", ("max_capacity",), "looking for the largest plant"),
    "sensitivity": Step("computation", ("sensitivity",), "moving the assumptions"),
    "trade_off": Step("computation", ("pareto",), "choosing the supply at every weight of fire"),
    "draw_differences": Step("computation", ("compare",), "drawing the measured errors of all options"),
    "compare_options": Step("computation", ("compare",), "setting the options side by side"),
    "find_candidate_sites": Step("retrieval", ("search", "compare"), "laying out the candidate sites"),
    "prepare_search": Step("retrieval", ("search", "compare"), "costing every cluster at its landing"),
    "search_again": Step("computation", ("search",), "finding the site in its search"),
    "search_sites": Step("computation", ("search", "compare"), "costing the supply of every site"),
    "choose_portfolio": Step("computation", ("search",), "choosing plants that share no fuel"),
    "evaluate_sites": Step("computation", ("search",), "answering the best sites in full"),
    "find_area": Step("retrieval", ("lookup",), "finding the clusters of the area"),
    "take_stock": Step("computation", ("lookup",), "taking stock of the forest"),
    "explain_method": Step("retrieval", ("explain_method",), "searching the documentation"),
    "write_answer": Step("synthesis", (), "writing the answer"),
    "write_with_model": Step("synthesis", (), "letting the model word the answer"),
}  # fmt: skip
"""Every name that stands under `tool` in a trace, save in a model's plan: there each call stands under the name of its tool."""
