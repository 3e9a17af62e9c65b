"""Everyday and domain words that are never tried as misspelt places. Pure data."""

from __future__ import annotations

_WORDS = """
about above across after again against ahead along already also although always among amount annual another answer
anyone anything apart area areas around aside available average away back background based basis because become been before
behind being below benefit beside besides best better between beyond biggest biomass board boiler both bottom bought
bring brings brought budget build building built burn burned burning cable calculate california call called came cannot
capacity capital case cases cells change changes cheap cheaper cheapest check chip chips choose city close closer
closest coast cogen combine combined combustion come comes coming compare compared comparison complete conditions
consider constant construction consultants contract conversion cost costing costs could council counted counties
county course cover crew crews crown current curve curves cut cutting data day days dead deal decade default defaults
deliver delivered delivery demand dense density describe diesel difference different direct distance does doing dollar
dollars done down draw dried drive driver drivers drop drought during each early east easy economic economics effect
efficiency either electric electricity else end ends energy enough entire equal equipment equity estimate even ever
every everyone everything exactly example except excluding existing expect expensive explain export extra facility
factor factors fallers family farm fast favor favour federal feed feedstock feel field figure figures find fine fire
fires firewood first five fixed flat follow following food foot forest forests form four frontier fuel full further
future gallon gasification gasifier gasifiers gave general generate generation generator get gets getting give given
gives goes going good gotten grade great green ground grow growth guess half hand happen happens hard harvest
harvesting haul hauled hauling have hazard head heat heavy height hello help helicopter here high higher highest hill
hills hold hope hour hours house however hundred idea ignore important improve include included including income
increase industrial industry inside instead instructions interest into invest investment issue itself just keep keeps
kind know known ladder lake land lands large larger largest last late later least leave left less level levelized
levelised life light like likely limit line list little live load loads loan local location locations logging logs
long longer look looking lost lots lower lowest lumber made main make makes making management many map margin marginal
market material matter matters maximise maximize maximum maybe mean means mechanised mechanized medium meet megawatt
megawatts members method methods metric middle might mile miles mill million mind minimum mixed model moderate
moisture money month months more morning most mostly mountain mountains move much must name narrow national near
nearby nearest need needed needs network never next nice none north northern note nothing number numbers object offer
office often okay older once ones only open operate operating option options order other others otherwise ours output
outside over owned owner owners ownership page pareto park parks part parts past pays people percent perhaps person
picture piece pine place places plan planned plant plants please plot plus point policy position possible power
practical predict present pretty price prices primary private probability problem process produce project projected
projection projects proposed public pull purchase purpose quarter question quick quite radius rather ratio reach real
really reason recent record reduce region regions relative remain remaining removal remove repeat report require
required research residue residues resource rest result results return rich ridge right risk river road roads rough
roughly round route rules running safe said same save saving scale scenario second section sell send sense sensitive
sensitivity serious serve service seven severe share short should show shown shows side sight similar simple since
single site sites siting situation size slash slightly slope slopes small smaller solar some someone something
sorry sound source sources south southern space speak species spend spending split spot spots stand standing stands
start started state station stay steam steep steeper step still stock stop story straight stratified strong study
stuff such suggest sum summary supply support suppose sure surface syngas system systems table take taken takes taking
talk target tariff technology tell terms terrain than thank thanks that their them then there these they thin thing
things think thinned thinning this those thought thousand three through timber time times today together tomorrow
tonne tonnes tons tool total town track trade trade-off transport treat treated treatment tree trees tribal truck
truckers trucks true trying turn twenty type under understory unit units until update upon upper used useful user
uses using usual value values variety vary versus very view wage wages wait want wanted wants waste watch water
weather week weight well went were west western what whatever when where whether which while whole wide wild wildfire
will wind winter with within without wonder wood woods work worker workers working works world worse worst worth
would wrong yard yarding year years yellow yesterday yield your yours zero zone gate desk doors coop fellow folks group
buddy cousin coffee board meeting supervisors commission company developer developers investor investors lender bank
bonds return returns equipment district districts watershed conservation fiber fibre bioenergy pellet pellets mill
sawmill sawmills sawlogs biochar hydrogen ethanol gasify electricity grid utility utilities tables chart charts graph
spreadsheet geojson csv excel pdf shapefile geopackage report session base marginally annually yearly monthly daily
thirty forty fifty sixty seventy eighty ninety eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen someplace somewhere anywhere everywhere nowhere fewer couple dozen hour hourly cheaply dearest dearer
circuity harvester skidder skyline cents kilowatt kilowatts gigawatt gigawatts kilometers kilometres meters metres
acres hectares acreage lease leased rural urban downtown central land-use private privately physical physically
realistic realistically availability available annual conservative optimistic pessimistic scenario baseline front
whole-tree cut-to-length delivered-cost bone-dry bone oven lcoe levelized mwh bdt bdmt cost-only
cuanto cuanta costo costaria cuesta cual seria combustible para planta biomasa condado donde conviene construir mejor
lugar precio entregado tonelada toneladas seca secas millas kilometros radio desde hasta sobre como puede quiero
necesito megavatios bosque nacional incendio riesgo costaria entregada electricidad anos cerca entre mostrar dame
dime gracias hola buenos dias favor una unas unos este esta esto esos comparar comparacion barato barata
happen hits hit goes rises doubles says say tell told ask asked asking another else both neither none thing
mean meant doing rest stays stay leave last previous prior original back undo reset restart again same
monday tuesday wednesday thursday friday saturday sunday january february march april june july august september
october november december sierra-nevada english spanish miss mister madam sir dear regards cheers sincerely
system user assistant human instruction ignore highway route interstate council beside behind lot lots parcel
"""
COMMON = frozenset(_WORDS.split())
