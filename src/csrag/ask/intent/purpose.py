"""What a question wants: its intent, from cue words and from what else it names."""

from __future__ import annotations

import re

from csrag.ask.intent.draft import Draft
from csrag.ask.intent.rule import Rule
from csrag.ask.intent.tradeoff import weighs_fire

_SITE_NOUN = r"(?:sites?|places?|locations?|spots?|areas?|towns?|count(?:y|ies)|parts?|cit(?:y|ies)|positions?|communit(?:y|ies))"
_COUNT = r"(?:\d+ |one |two |three |four |five |six |ten |few |handful of )?"
_COMMAND = Rule(
    r"^[\W\x01]*(?:(?:please|now|ok|okay|can you|could you|would you|then|and|also|great|thanks|good|"
    r"por favor)[, ]+)*(?:export|download|print (?:it|this|that|the|out)|store (?:it|this|that|the)|save(?: (?:it|this|that|"
    r"these|them|the|as|to|my|our|a)\b|$|\.)|(?:re-?)?load (?:it|the|my|our|session|scenario|saved|back|up|'|\")|open (?:the |"
    r"my )?(?:session|scenario|saved)|write (?:it|this|that|them) (?:to|out|as)|exporta|guarda|descarga|carga|send (?:it|this|"
    r"that|me) (?:as|to|the) |give me (?:a|the|that as a|it as) (?:csv|geojson|shapefile|spreadsheet|excel|pdf|geopackage|"
    r"parquet))\b"
)
_COMMAND_LATER = Rule(
    r"\b(?:export|save|download) (?:it|this|that|them|these|the \w+(?: \w+)?) (?:as|to|in|into)\b|\bas (?:a )?(?:geojson|"
    r"csv|shapefile|geopackage|xlsx|parquet) (?:file )?(?:please)?$"
)
_OFF_TOPIC = Rule(
    r"\b(?:solar|photovoltaics?|wind (?:farms?|turbines?|power|energy|project)|nuclear|hydro(?:power|electric)?|geothermal|"
    r"batter(?:y|ies)|data cent(?:er|re)s?|stocks? (?:price|market|this|now|today|tip)|(?:buy|sell) (?:\S+ ){0,3}(?:stocks?|"
    r"shares)|shares (?:in|of)|bitcoin|crypto\w*|poems?|poetry|haiku|limerick|songs?|lyrics|jokes?|bedtime story|short story|"
    r"recipes?|weather|population of|mayor|almonds?|walnuts?|grapes?|wine(?:ry)?|avocados?|cotton|cannabis|marijuana|cattle|"
    r"dairy|corn|wheat|tomato(?:es)?|football|baseball|basketball|soccer|movies?|restaurants?|hotels?|flights?|elections?|"
    r"president|governor|translate|python script|homework|essay|doctor|lawyer|divorce|horoscope|(?:house|home|real estate|"
    r"land) prices?|mortgage|capital (?:city )?of (?!\$|\d)|meaning of life|airport|hiking|camping|fishing|ski(?:ing)?|wolves|"
    r"deer|bears?|salmon|how (?:do|can) i get to|directions to|poema|chiste|clima|receta|oil prices?|gold|password|birthday|"
    r"tax(?:es)? return|covid|vaccine|dinner|lunch|pizza|music|video|game|car|laptop|phone)\b"
)
_CROPS = Rule(
    r"\b(?:almonds?|walnuts?|grapes?|avocados?|cotton|cannabis|marijuana|tomato(?:es)?|wheat|corn|rice|cattle|orchards?)\b"
)
_MARKETS = Rule(
    r"\b(?:power|electricity|energy|(?:natural )?gas|gasoline|lumber|carbon|timber|log|wholesale|spot|"
    r"retail)(?: market)? (?:prices?|rates?|tariffs?|demand)\b(?=.{0,60}\b(?:20[2-9]\d|will|next|future|forecast|be|tomorrow|"
    r"year)\b)|\bwhat (?:will|would|does|do) (?:the )?(?:electricity|gasoline|natural gas|lumber|carbon|oil) costs?\b|"
    r"\b(?:what|how much) (?:will|would|is|are) (?:the )?(?:power|energy|electricity|a kwh|diesel|"
    r"fuel oil)(?: going to)? (?:costs?|sell|be|trade|fetch)\b(?=.{0,40}\b(?:20[2-9]\d|next|future|tomorrow)\b)|"
    r"\bprice of (?:power|electricity|lumber|natural gas|carbon|oil)\b(?=.{0,60}\b(?:20[2-9]\d|next|future|be|in)\b)"
)
_BIOMASS = Rule(
    r"\b(?:biomass|biomasa|wood|woody|chips?|feedstock|fuel costs?|costs? of fuel|delivered|residues?|slash|"
    r"thin(?:ning|ned)?|gasif\w+|cogen\w*|chp|bdt|sawmill|boiler|forests?|timber|harvest\w*|logging)\b"
)
_DOMAIN = Rule(
    r"\b(?:bio-?energy|bio-?mass|biomasa|power ?plants?|plants?|planta|mw|megawatts?|fuel|combustible|wood|woody|chips?|"
    r"feedstock|delivered|entregado|forests?|bosques?|harvest\w*|cosecha|thin(?:ning|ned)?|treat(?:ments?|ed)?|sites?|siting|"
    r"build|construir|lcoe|levelized|levelised|supply|residues?|slash|timber|logging|haul(?:ing)?|burn(?:ing)?|(?:wild)?fires?|"
    r"gasif\w+|cogen\w*|boilers?|circuity|surrogate|clusters?|pareto|trade-?off|sdi|tfa|tfb|rmi|bdt|clear ?cut|costs?|costo|"
    r"cuesta|costaria|prices?|precio|diesel|moisture|radius|acres|tons?|tonnes?|toneladas|burn probability|mills?|generator|"
    r"cheap(?:er|est)?|landowners?|owns?|manages?|slopes?|steep|terrain|hazard|numbers|estimate|economics|burns?|trucks?|"
    r"yarding|cable|helicopter|frcs|frredss|csrag|layers?|model|tool|move-?in|methodology|data|sources?|capacity|pay|how much|"
    r"cuanto|cuanta|donde|where|compare|budget)\b"
)
_HOW_STRONG = Rule(
    r"\bhow (?:exactly |precisely )?(?:do|did|does) (?:you|csrag|it|this|the (?:tool|system|model|program|software|score|"
    r"surrogate|selection|ranking|calculation|simulator))(?: \w+)?? (?:comput|calculat|estimat|work|deriv|get\b|arriv|choos|"
    r"select|handl|defin|treat|model|know|decid|rank|scor|train|measur|account|figur|com(?:e|ing) up|determin|convert|turn|"
    r"pick|weigh|allocat|read|build|make)|\bhow (?:exactly )?(?:is|are|was|were) (?:the |a |an |"
    r"your )?[\w /-]{1,60}? (?:trained|computed|calculated|estimated|derived|defined|modell?ed|built|chosen|measured|validated|"
    r"determined|handled|fitted|obtained|selected|worked out|allocated|weighted|scored|ranked|converted|treated)\b|\b(?:which|"
    r"what) (?:\w+ )?(?:formulas?|equations?|methods?|methodology|algorithms?|definitions?|data ?sets?|data sources?|sources|"
    r"assumptions|defaults|surrogate|exponent)\b|\bexplain\b|\bmethodology\b|\bdocumentation\b|\bwhat (?:exactly |"
    r"precisely )?(?:does|do|did) [\w$/.()' -]{1,40}? (?:mean|stand for|signify|refer to|include|cover)\b|\bdefine\b|"
    r"\bdefinition of\b|\bmeaning of\b|\bwhere (?:do|does|did) [^.?!;]{1,80}? come from\b|\bhow (?:accurate|reliable|good|"
    r"precise) (?:is|are)\b|\bcomo se (?:calcula|define|entrena|mide|estima)|\bque significa\b|\bexplica(?:me)?\b|"
    r"\bdifference between (?:a |an |the )?(?:green|bone|bdt|gt|sdi|tf|zone|strat|average|marginal|current|constant|lcoe)|"
    r"\bwalk me through\b|\bwhy (?:do|does|did) (?:you|it|the (?:tool|model|system))\b|\bwhat can you do\b|\b(?:limits|"
    r"limitations|weaknesses|shortcomings|caveats|uncertaint(?:y|ies)|accuracy|assumptions) (?:of|in|behind) (?:your|the|"
    r"this) (?:model|tool|method\w*|estimates?|surrogate|data|approach|calculations?|numbers)\b|\bhow do i (?:use|cite|read|"
    r"interpret)\b|^\W*help\b"
)
_GLOSSARY = (
    r"(?:circuity(?: factors?)?|surrogates?|sdi(?:[- ]?\d+)?|tf[ab](?:[- ]?\d+)?|rmi(?:[- ]?100)?|bdt|bdmt|gt|green tons?|"
    r"bone[ -]dry tons?|lcoe|levelized cost(?: of (?:electricity|energy))?|burn probabilit(?:y|ies)|move-?in(?: costs?)?|alpha|"
    r"fire weight|pareto fronts?|clusters?|frcs|frredss|last[ -]ton(?: costs?)?|marginal (?:ton|cost)s?|capacity factors?|"
    r"stumpage|feller[ -]?bunchers?|cut[ -]to[ -]length|whole[ -]tree(?: harvesting)?|stand density index|knee|supply curves?|"
    r"tau|haul costs?|thinning from (?:below|above)|crown thinning|ladder fuels?|gasification|gasifiers?|cogen(?:eration)?|chp|"
    r"treatments?|harvesting systems?|(?:co-?)?products?|co-product|residues?|hog fuel|moisture content|higher heating value|"
    r"hhv|tornado charts?|sensitivity analysis)"
)
_WHAT_IS = Rule(
    rf"\b(?:what|que)(?:'s| is| are| exactly is| exactly are| es| son)(?: exactly| actually)? (?:an? |the |meant by |un |"
    rf"una |el |la )?{_GLOSSARY}\b(?! (?:for|at|in|near|of (?:a |the )?(?:plant|\d)|to|there|from|around|within))"
)
_WHY = Rule(
    r"\bwhy (?:is|are|do|does|did|would|should|isn't|not)\b|\bwhat is the (?:reason|idea|point)\b|\btell me how\b"
)
_HOW_DONE = Rule(
    r"\bhow (?:exactly |precisely )?(?:is|are|was|were|does|do) (?!it\b|this\b|that\b|things\b|we\b|i\b|much\b)[\w ,/'-]{1,60}? "
    r"(?!(?:delivered|needed|expected|affected|changed|compared|based)\b)(?:\w{3,}(?:ed|wn)|split|set|put|made|built|come about)\b"
)
_SENSITIVITY = Rule(
    r"\bsensitiv\w*\b|\btornado\b|\bvar(?:y|ying|ied)\b|\bwhat (?:drives|matters most)\b|\bwhich (?:inputs?|assumptions?|"
    r"parameters?|factors?|variables?) (?:matters?|drives?|has|have|is|are|moves?|count)|\bhow (?:much |strongly |"
    r"far )?(?:does|do|would|will|is) .{3,60}\b(?:affect|influence|swing|depend|respond|react|hinge)|\bsensibilidad\b|"
    r"\b(?:\+/-|plus or minus|plus/minus)|\bspider (?:chart|plot)\b|\bswing\b.{0,30}\bcost|\bdepend(?:s|ent)? on\b"
)
_EFFECT = Rule(
    r"\b(?:effects?|impacts?|influence) of (?!fire|wildfire)[^.?!;]{3,60}? on (?:the |our |its )?(?:\w+ )?"
    r"(?:costs?|lcoe|price|economics)\b|"
    r"\bhow (?:much|important|strongly) (?:does|do|is|are) [^.?!;]{3,50}? (?:matter|to (?:the |our )?(?:\w+ )?(?:cost|lcoe|price))\b"
)
_PARETO = Rule(
    r"\bpareto\b|\btrade[ -]?offs?\b|\b(?:efficient |cost[ -]fire )?frontier\b|\bcosts? (?:against|versus|vs\.?|"
    r"and) (?:the )?(?:wild)?(?:fire|burn)\w*(?: \w+)? (?:front|curve|trade|plot)|"
    r"\b(?:costs? (?:against|versus|vs\.?) (?:the )?(?:wild)?(?:fire|burn)|(?:wild)?(?:fire|"
    r"burn)[\w ]{0,20} (?:against|versus|vs\.?) (?:the )?costs?)|\bsweep (?:the |over )?(?:fire )?weights?\b|"
    r"\bfrente de pareto\b|\bbalance between cost and (?:fire|burn)|\ball fire weights\b"
)
_SUPPLY = Rule(
    r"\bsupply[ -]curves?\b|\bcost[ -]curves?\b|\bmarginal[ -]cost[ -]curves?\b|\bcumulative\b|\bcurva de (?:oferta|"
    r"suministro|costos?)\b|\bcost (?:by|versus|against|vs\.?) (?:tons?|tonnage|volume|supply|quantity)\b|"
    r"\bhow (?:does|do) (?:the )?costs? (?:rise|climb|increase|grow|go up) (?:with|as)\b|\bcurve of (?:cost|supply)|"
    r"\b(?:supply|tons?|tonnage|volume|residues?|bdt|biomass) (?:\w+ ){0,5}?(?:against|versus|vs\.?|by|at (?:what|each|which|"
    r"different|various)) (?:the )?(?:prices?|costs?)\b(?! of| per)"
)
_PLANT_NOUN = (
    r"(?:plants?|capacit(?:y|ies)|mw|megawatts?|facilit(?:y|ies)|generators?|units?|projects?|gasifiers?|cogens?|chps?|"
    r"power station|installation|planta)"
)
_MAXCAP = Rule(
    rf"\b(?:largest|biggest|highest|max(?:imum|imal)?|greatest|most)[ -](?:\w+[ -]){{0,3}}?{_PLANT_NOUN}\b|\bhow (?:big|"
    rf"large)(?: of)?(?: an?)? (?:\w+ ){{0,2}}?(?:{_PLANT_NOUN}|could|can|would|should|might)\b|\bhow many (?:mw|megawatts?)\b|"
    rf"\bhow much (?:capacity|power|generation|mw)\b|\b(?:what|which) (?:\w+ )?(?:size|capacity)\b|\bwhat size\b|"
    rf"\bsize of plant\b|\bmax mw\b|\bque tan grande\b|\bque (?:tamano|capacidad)\b|\bcuantos (?:mw|megavatios)\b|\b(?:planta|"
    rf"capacidad) (?:mas grande|maxima)\b|\bmayor planta\b|\bhow big\b(?! (?:an? )?(?:area|circle|radius|is the))"
)
_WHAT_FITS = Rule(r"\bwhat (?:can|could|might) (?:we|i|they|one|you) (?:build|afford|run|support)\b")
_WHERE = Rule(
    r"(?:^|[.;:?!,\x01] ?|\b(?:and|but|so|me|us|know|out|wonder|wondering|ask|asking|figure|decide|about|identify|see|exactly|"
    r"then|now|please|ok|hi|hello) |\W )where\b(?! (?:every|all|each|no|most|only|we|i|they|it|he|she|there|you|the (?:fire|mill|"
    r"road)|our|my|do the|does the)\b)",
    ("where",),
)
_SEARCH = Rule(
    rf"\b(?:best|cheapest|optimal|ideal|top|good|suitable|lowest[ -]cost|most suitable|most favou?rable|candidate|least[ -]cost|"
    rf"promising|perfect|right) {_COUNT}(?:\w+ ){{0,2}}?{_SITE_NOUN}\b|\b(?:which|what) (?:\w+ )?{_SITE_NOUN}\b|\bfind (?:me |us "
    rf")?(?:an? |the |some )?(?:\w+ ){{0,2}}?{_SITE_NOUN}\b|\b(?:recommend|suggest|propose|identify|looking for|look for|in search "
    rf"of|seek(?:ing)?|hunting for|scouting for|need|want)(?: me| us)? (?:an? |some |{_COUNT})(?:\w+ ){{0,2}}?(?:sites?|places?|"
    rf"locations?|spots?)\b(?![ -]?(?:costs?|price|specific|visit|plan|permit|assessment|survey|manager))|\b(?:lowest|cheapest|"
    rf"least|smallest|best) (?:[\w-]+ ){{0,4}}?(?:in|across|anywhere in|of|throughout) (?:all of )?(?:the |this )?(?:whole |entire "
    rf")?(?:state|california)\b|\b(?:heat ?)?maps? of (?:the )?(?:delivered |fuel )?costs?\b|(?:^|[.;:!?,] ?|\b(?:me|us|show|list|"
    rf"find|any|all|some|the|for) )(?:\w+ )?sites (?:for|within|under|below|over|above|in|near|that|where|with|of) |"
    rf"\btop[ -](?:\d+|three|five|ten)\b|\brank (?:\w+ )?{_SITE_NOUN}|\bdonde\b|\bmejor(?:es)? (?:\d+ )?(?:lugar(?:es)?|sitios?|"
    rf"ubicacion(?:es)?)\b|\b(?:site|siting|location) (?:search|selection|hunt)\b|\bbest[ -]site\b|\bscout\b|\bsearch (?:for "
    rf")?(?:\w+ ){{0,3}}?(?:{_SITE_NOUN}|county)\b|\bpick (?:me )?(?:an? |the )?(?:\w+ )?{_SITE_NOUN}\b"
)
_LOOKUP_WORD = (
    r"(?:biomass|residues?|woody? ?\w*|feedstock|slash|timber|forests?|forestland|material|fuel|bdt|bone[ -]dry tons?|"
    r"green tons?|tons?|tonnes?|acres|hectares|clusters|cells|stands|land|trees|biomasa|toneladas)"
)
_LOOKUP = Rule(
    rf"\bwho(?:se)? (?:owns?|manages?|holds?)\b|\bowner(?:ship)?s? (?:breakdown|mix|split|pattern|structure|map|of|in|around|"
    rf"within|near)\b|\b(?:forest|land|timber\w*) (?:owner(?:ship)?s?|tenure)\b|\bhow (?:much|"
    rf"many) (?:of )?(?:the )?(?:[\w-]+ ){{0,5}}?{_LOOKUP_WORD}\b|\b(?:what|how)(?:'s| is|"
    rf" are) [\w ]{{2,40}}(?: county)? like\b|\bdescribe\b|\btell me about\b|\bwhat(?:'s| is) (?:there|available|growing|"
    rf"out there|in the (?:woods|forest))\b|\b(?:inventory|stock-?taking|profile|overview|summary|statistics|stats|facts|"
    rf"snapshot|breakdown) (?:of|for|on)\b|\b(?:average|mean|typical) (?:slope|burn probability|yield|moisture|hazard)\b|"
    rf"\bhow (?:steep|fire[ -]prone|dense|forested)\b|\bcuant[ao]s? (?:\w+ )?(?:biomasa|toneladas|residuos?|residues?|madera|"
    rf"material|hectareas)\b|\bde quien (?:es|son)\b|\bquien es dueno\b|\bis there (?:enough|any|much|"
    rf"a lot of) (?:\w+ )?{_LOOKUP_WORD}\b|\bwhat (?:forest )?types?\b|\b(?:how high is|what is) the (?:fire hazard|"
    rf"burn probability|hazard)\b|\bavailable (?:\w+ )?(?:biomass|residues?|feedstock|wood)\b|\bwhat share of\b"
)
_STOCK = Rule(
    r"\b(?:everything|all|information|info|data|facts|figures) (?:there is )?(?:about|on|for) (?!the (?:plant|cost)|diesel|"
    r"fire)(?=[^.?!;]{0,40}\b(?:forests?|woods|county|biomass|residues?|land|timber|\x01))|\bstock[ -]?tak\w+|\binventor(?:y|"
    r"ies)\b|\bwho else\b|\bwho (?:is |are )?(?:already )?(?:buy(?:s|ing)?|us(?:es|ing)|tak(?:es|ing)|compet\w+)\b|\b(?:what|"
    r"which|how many|are there(?: any)?|list(?: the)?) (?:other|existing|competing|nearby|rival|wood[ -]burning|"
    r"biomass) (?:\w+ )?(?:plants?|mills?|facilities)\b|\b(?:other|existing|competing|nearby|rival) (?:buyers?|competitors?|"
    r"users?|customers)\b|\bcompetitors?\b|\bby (?:(?:fire[ -])?hazard|slope|owner\w*|land[ -]?use|landowner|"
    r"treatment)(?:[ -](?:class(?:es)?|zones?|types?|categor\w+))?\b|\b(?:tons?|tonnage|bdt|residues?|biomass|acres|supply|"
    r"feedstock|wood) (?:available|standing|on the ground|out there)\b|\bquien(?:es)? (?:mas )?compra\w*"
)
_SYSTEM_MIX = Rule(
    r"\b(?:harvest\w*|logging|yarding|machine)?[ -]?systems?[ -](?:mix|shares?|split|breakdown|composition)\b|"
    r"\b(?:mix|shares?|split|breakdown) of (?:the )?(?:harvest\w*|logging|yarding)[ -]systems?\b|\bmezcla de sistemas\b"
)
_OF_THE_ANSWER = Rule(r"\bhow (?:many|much) .{0,30}\b(?:is|are|would|does|do|will) (?:that|it|this|those)\b")
_COST_TALK = Rule(r"\b(?:costs?|price[ds]?|pay|charge|expensive|\$|lcoe|dollars|cheap\w*|costaria|cuesta|costo|precio)")
_COMPARE = Rule(
    r"\b(?:compar(?:e|es|ed|ing|ison|ar|acion)|versus|vs|side by side|side-by-side|contrast|head[ -]to[ -]head|"
    r"stack up|compara|lado a lado)\b"
)
_COMPARE_SOFT = Rule(
    r"\b(?:cheaper|better|cheapest|dearer|costlier|which (?:one |of (?:them|these|the two|those) |option |site |town |"
    r"place |treatment |technology |system )?(?:is|are|would|has|have|comes?|wins?|costs?|should|gives?|works?)|"
    r"difference between|rank|who has|lowest|least|or|mas barato|mejor|cual|with and without|together|both|each|table)\b"
)
_EXPLAIN_TOO = Rule(r"\b(?:explain|what .{1,30} means?|stand for)\b")
_JUST_COST = Rule(
    r"^\W*(?:(?:and|now|ok|okay|so|just|then|only|back to|what about|show me|give me|what(?:'s| is)) ?,? ?)*(?:the )?(?:plain |"
    r"simple |single )?(?:delivered |fuel )?(?:costs?|price|lcoe)(?: (?:only|alone|again|please|now|at the gate))*\W*$"
)


def mark_purpose(draft: Draft) -> None:
    """Mark what other rules ask for before they run."""
    text = draft.source.text
    if _COMPARE.search(text):
        draft.marks.add("compare")
    if _SENSITIVITY.search(text):
        draft.marks.add("sensitivity")
    if _WHERE.search(text) or _SEARCH.search(text):
        draft.marks.add("seeking")
    if _LOOKUP.search(text) or _STOCK.search(text):
        draft.marks.add("stock")


def read_purpose(draft: Draft, follows: bool) -> str | None:
    """Intent of the turn; None in a follow-up that names none, so that the earlier one stays.

    Parameters
    ----------
    draft : Draft
        The turn with its fields read.
    follows : bool
        Whether there is an earlier question to carry on from.
    """
    text = draft.source.text
    values = draft.values
    sized = (
        "capacity_mw" in values
        or "capacity_range_mw" in values
        or "_capacities" in values
        or "demand_bdt" in values
        or "_demand_gt" in values
    )
    sited = bool(draft.locations)
    if (_COMMAND.search(text) or _COMMAND_LATER.search(text)) and not (sized and sited):
        return "command"
    if _off_topic(draft, text, sized):
        return "out_of_scope"
    strong = _HOW_STRONG.search(text)
    if strong and not (sited and (sized or _asks_cost_beside(text, strong))):
        return "methodology"
    what = _WHAT_IS.search(text)
    if what and follows and re.search(r"(?:'s| is| are) the ", what[0]):
        # "what's the LCOE?" after a question asks for its figure, not for the meaning of the word.
        what = None
    done = _HOW_DONE.search(text) and not (follows and (values or draft.overrides))
    if not sited and not sized and (what or done or (_WHY.search(text) and not follows)):
        return "methodology"
    if strong and _EXPLAIN_TOO.search(text):
        draft.note("an explanation was asked for too; ask it as a question of its own")
    return _asked(draft, text, sized, sited, follows)


def _asks_cost_beside(text: str, strong: re.Match[str]) -> bool:
    rest = text[: strong.start()] + " " + text[min(len(text), strong.end() + 60) :]
    return bool(_COST_TALK.search(rest))


def _asked(draft: Draft, text: str, sized: bool, sited: bool, follows: bool) -> str | None:
    """The computing intents, the most telling first."""
    places = [loc for loc in draft.locations if loc.kind not in {"county", "region", "forest"}]
    searching = "seeking" in draft.marks
    wide = sited and not places
    if "sweep" in draft.marks or _SENSITIVITY.search(text) or (_EFFECT.search(text) and not draft.overrides):
        return "sensitivity"
    if "tradeoff" in draft.marks or _PARETO.search(text) or weighs_fire(text):
        return "pareto"
    if _SYSTEM_MIX.search(text):
        return "lookup"
    counting = _counts_stock(draft, text, sized, sited, follows)
    if counting and (draft.variants or len(draft.locations) > 1 or _STOCK.search(text)):
        return "lookup"
    if _SUPPLY.search(text):
        return "supply_curve"
    limit = "_cap" in draft.values or "max_cost_usd_per_bdt" in draft.values or "budget_usd_per_year" in draft.values
    if (_MAXCAP.search(text) and (limit or not sized)) or (limit and not sized and _WHAT_FITS.search(text)):
        return "max_capacity"
    comparing = bool(draft.variants) or (len(draft.locations) > 1 and not (searching and wide))
    if comparing and ("compare" in draft.marks or draft.variants or "place list" in draft.marks):
        return "compare"
    if "projection" in draft.marks:
        return "projection"
    if counting and not _seeks(draft):
        return "lookup"
    if _seeks(draft) and not places:
        return "search"
    if searching and not (
        places
        and not re.search(r"\b(?:near|around|close to|in the|within|surrounding)\b", text)
        and not re.search(r"\bwhere\b|\bdonde\b", text)
    ):
        return "search"
    if "compare" in draft.marks and follows:
        return "compare"
    if follows:
        return "site" if _JUST_COST.match(text) or "one year" in draft.marks else None
    if wide and re.search(r"\b(?:build|put|site|locate|place)\b", text) and not _COST_TALK.search(text):
        return "search"
    return "site"


def _counts_stock(draft: Draft, text: str, sized: bool, sited: bool, follows: bool) -> bool:
    """Whether a question takes stock of what stands, grows or is owned somewhere, without a plant of a size."""
    return (
        not sized
        and "stock" in draft.marks
        and not (_COST_TALK.search(text) and not re.search(r"\bwho owns\b|\bhow many\b", text))
        and not (follows and not sited and _OF_THE_ANSWER.search(text))
    )


def _seeks(draft: Draft) -> bool:
    """Whether a field that only a search has was named in the way of one."""
    return "searching" in draft.marks or (
        bool(
            {"site_count", "site_candidates", "min_separation_km", "max_km_to_substation", "max_km_to_plant"}
            & set(draft.values)
        )
        and bool("seeking" in draft.marks or "site_candidates" in draft.values or "site_count" in draft.values)
    )


def _off_topic(draft: Draft, text: str, sized: bool) -> bool:
    return bool(
        not re.search(r"[a-z0-9]", text)
        or (_CROPS.search(text) and not sized)
        # Names are masked: "Big Bear Lake" and "Deer Creek" speak of no animals.
        or (_OFF_TOPIC.search(draft.source.masked) and not _BIOMASS.search(text))
        or (_MARKETS.search(text) and not sized and not draft.overrides)
    )


def speaks_of_domain(draft: Draft) -> bool:
    """Whether a first question names anything that csrag knows about."""
    if draft.values or draft.overrides or draft.variants or _DOMAIN.search(draft.source.text):
        return True
    return bool(draft.locations) and len(draft.source.text.split()) <= 6
