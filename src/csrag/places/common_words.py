"""Names of places that are ordinary words, phrases or first names too.

A place of such a name counts only with a cue: a preposition before it, a capital letter inside a sentence, a county or
state after it, or a list of places around it.
"""

from __future__ import annotations

from typing import Final

_WORDS = (
    "airport alliance alpine alta alto antelope anthem apex august badger baker bear bell bend beverly big bishop blue "
    "boulder boulevard brick burns butte canyon cascade cascades centennial central challenge citrus clay clearwater "
    "cobb commerce concord congress converse cool corona coyote crest crystal cypress day defiance diablo douglas eagle eden "
    "elk empire enterprise fellows flint foothills fountain freedom garnet gold golden goodyear granger green grove "
    "groves harbor harmony helm herald hickory highland highlands hillside holiday home homeland homestead hood "
    "hurricane imperial independence industry jasper jupiter keystone kings lake lakeside largo laurel liberal liberty "
    "likely lookout lotus magna mason mecca mentor mesa midway mineral mission mobile mogul mono mustang needles nice "
    "normal ono onyx opportunity orange orchards overland pace paradise paramount park parker parkland parkway parole "
    "peanut pearl phoenix pike pioneer plantation plum portage powers price prosper queens rainbow reading redwood "
    "republic rescue riddle rodeo rye sandy savage seaside shoreline sierra smith sparks spring standard sterling stow "
    "strawberry summit sunrise sunset superior surprise talent temple thermal trail troy union university upland "
    "uptown victor vineyard vista volcano walker walnut warren washington weed westerly winters woodland woodlands "
    "woody wright "
    "brent bryan denny donna elizabeth gary howard linda ruth vincent viola"
)
_PHRASES = (
    "cedar hill", "deer park", "far north", "federal way", "five points", "forest lake", "forest park", "gold run",
    "green valley", "high point", "high sierra", "lake city", "live oak", "long barn", "mountain house", "mountain pass",
    "mountain view", "north shore", "the bay", "the foothills", "white oak", "white plains",
)  # fmt: skip

COMMON_WORDS: Final = frozenset(_WORDS.split()) | frozenset(_PHRASES)
"""Keys (see `csrag.places.normal.fold`) that need a cue."""

_NEVER = (
    "about above acre acres after agricultural amount answer area average below benefit best biomas biomass boiler "
    "budget build building bunch burn burning cable capacity capital carbon cheap cheaper cheapest chip chips circuit "
    "clear clearcut climate cluster clusters coal cogen combine combustion compare comparison condition cost costs "
    "county cover crown curve dead delivered demand density diesel distance does dollar dollars done drop each east "
    "electric electricity energy equity expect explain export factor fall family fast feed feedstock feul fire fires "
    "forest forestry forests forrest fuel fuels fule gallon gasification gasifier gassifier give good grade green "
    "ground hack half harvest harvesting haul hauling have head heavy helicopter high highway hill hour hours house "
    "hundred impact increase input interest into invest just keep kilowatt ladder lake land large largest last least "
    "less level light like limit line list load loads local lodge long make mark market maximise maximize maximum "
    "mean meaning meat median megawatt megawatts mile miles mill mills minimum model moderate moisture money more "
    "most mountain much national natural near need next north often once only open operator option order other output "
    "over owned owner owners oxygen pareto park part percent pine pines place plan plant plants please poem point "
    "pool power price private probability project projection public quick radius rain range rate rather ratio read "
    "reading recommend region residue residues result rice risk river road roads rock round rule sale same save score "
    "search sell sensitivity severe short show side site sites size slope small smoke snow soil solar some south "
    "spend stand stands state station steep still stock stop sugar supply surface surrogate system table take tell "
    "term test thank thanks that them then there they thin thing thinned thinning this through timber time tomorrow "
    "ton tonne tonnes tons total town trade train transport treatment tree trees truck trucker truckers trucks turn "
    "under understory until used valley value very view wage wages wait want waste water watt weight well west what "
    "wheat when where which whole wide wild wildfire wind with wood woods woody work would year years yield your "
)

NEVER_PLACES: Final = frozenset(_NEVER.split())
"""Ordinary words of this field that a string metric finds near some place's name: they are never misspelt places."""
