"""Plant economics and life-cycle figures: pure functions of plain numbers.

Techno-economic models as `@ucdavis/tea` 1.4.3 (power only, heat and power, gasification, power line, substation) and
life-cycle inventory as `@ucdavis/lca` 1.6.8, written anew from their formulas. Where the packages give NaN, there is
either the mathematical limit or an `InvalidValueError` that says how to mend the input; no function returns NaN.

models        the door with the packages' own names, for `csrag simulate` and for comparison
plant         cost of electricity of a plant of a given size at a given delivered fuel cost, for answers
schema        what an input field is; tables/ hold every field with unit, default and range
inputs        the frozen input records made from the tables
tea, cash_flow, finance, combustion, gasification, carbon     the plant models
grid          power line and substation
lca, project, sensitivity                                     what is built on them
"""
