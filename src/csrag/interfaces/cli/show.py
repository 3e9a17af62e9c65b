"""The answer on a terminal: headline, components, supply curve, what was assumed, caveats, sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table as RichTable

from csrag.ask.results import Answer, Table
from csrag.ask.synthesis.format import number_text, value_text
from csrag.interfaces.cli.chart import curve_chart
from csrag.interfaces.cli.show_sensitivity import sensitivity_tables

_WIDE = 120
"""Terminal width from which the basis of each value is shown [characters]; the JSON record always has it."""
_TABLES = ("scenarios", "comparison", "rules", "rules_allowed")
"""Result tables printed whole."""
_ROWS = (
    ("Plant", ("capacity_mw", "generation_mwh", "demand_bdt", "demand_gt", "truck_loads")),
    ("Supply", ("radius_km", "candidate_clusters", "feedstock_available_bdt", "supply_ratio", "protected_excluded_bdt")),
    ("Taken", ("selected_clusters", "feedstock_selected_bdt", "treated_acres", "mean_road_km", "coproduct_gt",
               "treatment_cost_usd_per_acre")),
    ("Fire", ("mean_burn_probability", "baseline_burn_probability", "burn_probability_ratio", "fire_extra_cost",
              "high_hazard_acres")),
    ("Electricity", ("lcoe_current", "lcoe_current_low", "lcoe_current_high", "life_average_delivered_cost",
                     "life_average_delivered_cost_low", "life_average_delivered_cost_high", "lcoe_with_subsidy_current")),
    ("Sale", ("power_price_usd_per_mwh", "margin_usd_per_mwh", "margin_usd_per_year", "cash_margin_usd_per_year",
              "simple_payback_years", "npv_usd", "break_even_price_usd_per_mwh", "subsidy_to_break_even_usd_per_bdt")),
    ("Power line", ("line_km", "line_usd", "line_usd_per_mwh", "lcoe_without_line_current")),
    ("Other plants", ("other_plants_count", "other_plants_demand_bdt", "other_plants_taken_bdt")),
    ("Fires over the life", ("life_average_cost_p05", "life_average_cost_p50", "life_average_cost_p95", "life_last_year_p05",
                             "life_last_year_p95", "exhaustion_year_p05", "burn_exhausted_pct")),
    ("Emissions", ("co2_kg_per_mwh", "supply_co2_kg_per_mwh", "carbon_intensity_g_per_mj", "lcfs_standard_g_per_mj",
                   "lcfs_credit_usd")),
)  # fmt: skip


def show_answer(answer: Answer, console: Console | None = None, *, told: bool = False) -> None:
    """Print an answer.

    Parameters
    ----------
    answer : Answer
        The record.
    console : rich.console.Console, optional
        Where to print; standard output by default.
    told : bool
        Whether its text stands there already, below the name of the layers.
    """
    out = console or Console(highlight=False)
    if answer.layers.get("synthetic") and not told:
        out.print(f"[bold yellow]SYNTHETIC demonstration data[/] · {escape(str(answer.layers['title']))}\n")
    style = "bold" if answer.status != "refused" else "bold red"
    if answer.status == "partial":
        out.print(
            f"[bold yellow]Partly answered[/] ({escape((answer.reason or 'this version computes less').replace('_', ' '))})"
        )
    if answer.status == "refused":
        out.print(f"[{style}]No answer[/] ({escape(answer.reason)})")
    if not told:
        out.print(Padding(escape(answer.text), (0, 0, 1, 0)))
    if "pareto_points" in answer.tables:
        from csrag.interfaces.cli.front_chart import trade_off_tables

        lines, named = trade_off_tables(answer)
        out.print("[bold]Trade-off[/], annual burn probability of what is taken against its delivered cost")
        for line in lines:
            out.print(escape(line), no_wrap=True, overflow="crop")
        out.print()
        out.print(named)
        out.print()
    elif "components" in answer.tables:
        out.print(_components(answer))
        out.print()
        _curve(out, answer)
    for name in _TABLES:
        if name in answer.tables and "option" in answer.tables[name].columns:
            from csrag.interfaces.cli.show_comparison import comparison_tables

            for table in comparison_tables(answer, out.width):
                out.print(table)
                out.print()
        elif name in answer.tables:
            out.print(plain_table(answer.tables[name]))
            out.print()
    if "site_rules" in answer.tables:
        from csrag.interfaces.cli.show_search import search_tables

        for table in search_tables(answer, out.width):
            out.print(table)
            out.print()
    if answer.query.intent == "lookup" or "system_mix" in answer.tables:
        from csrag.interfaces.cli.show_lookup import lookup_tables

        for table in lookup_tables(answer):
            out.print(table)
            out.print()
    for table in sensitivity_tables(answer):
        out.print(table)
        out.print()
    values = _values(answer, out.width)
    if values.row_count:
        out.print(values)
        out.print()
    if answer.inferred:
        assumed = "; ".join(
            f"{_FIELDS.get(i['field'], i['field'])} {_plain(i['value'])} ({i['why']})" for i in answer.inferred
        )
        out.print(f"[bold]Assumed, since you did not say:[/] {escape(assumed)}.")
    for note in answer.query.notes:
        out.print(f"[bold]Read as:[/] {escape(note)}.")
    shown = [w for w in answer.warnings if w.message != answer.text]
    if shown:
        out.print("[bold]Keep in mind:[/]")
        for warning in shown:
            out.print(f"  · {escape(warning.message)}")
    if answer.sources and answer.layers:
        out.print(
            f"[dim]Sources: {escape('; '.join(answer.sources))}. Layer set {escape(str(answer.layers['hash'])[:12])}.[/]"
        )
    spent = sum(step.ms for step in answer.trace)
    by_tool: dict[str, list[float]] = {}
    for step in answer.trace:
        by_tool.setdefault(step.tool, []).append(step.ms)
    steps = ", ".join(
        f"{tool.replace('_', ' ')} {sum(ms):.1f} ms{f' in {len(ms)} runs' if len(ms) > 1 else ''}"
        for tool, ms in by_tool.items()
    )
    if answer.trace:
        out.print(f"[dim]{steps}; {spent:.0f} ms in all.[/]")


def show_answers(answers: Sequence[Answer], console: Console | None = None) -> None:
    """Print the answers to one message, each under its question where there are several."""
    out = console or Console(highlight=False)
    for n, answer in enumerate(answers, 1):
        if len(answers) > 1:
            out.print(f"[bold]{n} of {len(answers)}:[/] {escape(answer.question)}\n")
        show_answer(answer, out)
        if n < len(answers):
            out.print()


def plain_table(table: Table) -> RichTable:
    """Any result table, numbers to the right, what is missing blank."""
    out = RichTable(pad_edge=False)
    for name in table.columns:
        out.add_column(escape(name.replace("_", " ")))
    for row in table.rows:
        out.add_row(*(escape(_cell(value)) for value in row))
    return out


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.4f}" if abs(value) < 1 else f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _components(answer: Answer) -> RichTable:
    table = RichTable(title="Delivered cost", title_justify="left", title_style="bold", pad_edge=False)
    table.add_column("component")
    table.add_column("USD per BDT", justify="right")
    table.add_column("USD per green ton", justify="right")
    rows = answer.tables["components"].rows
    for position, (label, per_bdt, per_gt) in enumerate(rows):
        last = position == len(rows) - 1
        if last:
            table.add_section()
        table.add_row(str(label), f"{per_bdt:,.2f}", f"{per_gt:,.2f}", style="bold" if last else "")
    table.add_row("last ton (dearest cluster taken)", number_text(answer.facts["last_ton_cost"]).lstrip("$"), "")
    for label, value_id in (("average", "average_delivered_cost"), ("last ton", "last_ton_cost")):
        ends = _ends(answer, value_id)
        if ends:
            table.add_row(f"{label}, {value_text(answer.facts['interval_level_pct'])} interval", ends, "", style="dim")
    return table


def _ends(answer: Answer, value_id: str) -> str:
    """Both ends of a value's interval; empty where it has none."""
    low, high = (answer.facts.get(f"{value_id}_{end}") for end in ("low", "high"))
    if low is None or high is None or low.value is None or high.value is None:
        return ""
    return f"{number_text(low).lstrip('$')} to {number_text(high).lstrip('$')}"


def _curve(out: Console, answer: Answer) -> None:
    rows = answer.tables["pool_curve"].rows
    demand = answer.facts["demand_bdt"].value
    if len(rows) < 2 or not isinstance(demand, (int, float)):
        return
    out.print("[bold]Supply curve[/], USD per BDT delivered against BDT, all candidates, cheapest first")
    width = max(32, min(72, out.width - 10))
    for line in curve_chart([r[0] for r in rows], [r[1] for r in rows], float(demand), width):
        out.print(escape(line), no_wrap=True, overflow="crop")
    out.print()


def _values(answer: Answer, width: int) -> RichTable:
    table = RichTable(show_header=False, box=None, pad_edge=False)
    table.add_column("group", style="bold")
    table.add_column("what")
    table.add_column("value", justify="right", no_wrap=True)
    wide = width >= _WIDE
    if wide:
        table.add_column("basis", style="dim")
    for group, ids in _ROWS:
        first = True
        for value_id in ids:
            fact = answer.facts.get(value_id)
            if fact is None or fact.value is None:
                continue
            cells = [group if first else "", fact.label, value_text(fact)]
            table.add_row(*cells, *([escape(fact.basis)] if wide else []))
            first = False
    return table


_FIELDS = {
    "capacity_mw": "capacity in MW",
    "fire_weight": "weight of fire",
    "land_use": "land",
    "radius_km": "radius in km",
    "max_slope_pct": "steepest slope in percent",
    "moisture_pct": "moisture in percent",
    "system": "harvesting system",
    "selection": "order of taking by",
}


def _plain(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, (list, tuple)):
        return " + ".join(str(v) for v in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
