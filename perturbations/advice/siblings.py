"""What can stand in the place of what: things of one kind. Data only.

A line is a kind, in the section of a domain; its members are parted by commas, other words for one member by
bars. A member never stands for another word for itself.
"""

from __future__ import annotations

from loadbearing.perturbations.language.lexicon import word_set

THINGS = """
# shop
price|cost, rating|star rating|customer rating|user rating|average rating, shipping time|delivery time,
 stock level, discount rate
brand|manufacturer, material, warranty period
total price|final price|total cost, delivery date, warranty period
return policy|refund policy, privacy notice, delivery terms
price filter|price range|price limit|maximum price|price cap, brand filter|brand name, rating filter
budget|spending limit, delivery date, gift note
size|size option, pattern, fabric, fit type
color|colour|color option|colour option, scent, texture, finish
review|customer review|user review, product video, buyer question, size chart
description|product description|item description, seller profile, care label, packaging note
specification|spec|product detail|detail|feature, photo, coupon, accessory
product page|item page|listing|detail page, seller page, gift page, brand page
quantity, gift option, delivery slot
shipping cost|shipping fee|delivery fee, gift note, tax rate
seller|vendor, courier, reviewer
discount|coupon|promo code, newsletter, loyalty card
cart|shopping cart|basket, wish list|wishlist, gift registry
shipping address|delivery address, phone number, email address
Buy Now, Add to Cart, Add to Wishlist, Share Item
Description, Features, Reviews, Attributes, Questions
Back to Search, Help Center, Site Map
Next, Prev
Submit, Reset, Preview
Sign In|Log In, Subscribe, Contact Us
cheapest|lowest-priced|least expensive, newest|latest|most recent, best-rated|highest-rated|top-rated,
 heaviest
cotton, wool, silk, linen, leather, polyester, denim
brass, copper, tin, zinc, iron, steel, nickel, bronze, aluminum, silver, gold
wood|wooden, plastic, rubber, glass, stone, clay
circle, square, triangle
shirt|t-shirt, jacket, sweater, scarf, skirt
shoe|sneaker|running shoe, boot, sandal, slipper
order number|order id, customer number
# house
kitchen, bathroom, bedroom, living room, hallway, workshop, greenhouse, foundry, art studio, garage,
 basement, attic
outside, upstairs, downstairs
drawer, cabinet, cupboard, wardrobe, chest, safe, closet
shelf, countertop|counter|kitchen counter, desk, dining table|coffee table|side table|table|diningtable,
 dresser, nightstand, sofa|couch, armchair, ottoman, bed
fridge|refrigerator|freezer, pantry, wine rack
microwave, oven, stove|stoveburner|stove burner, blast furnace, toaster
sink|sinkbasin|sink basin|basin, bathtub|bathtubbasin|bath tub, toilet, shower
garbage can|garbagecan|trash can|garbage bin|trash, laundry hamper
flower pot|planter, seed tray, wheelbarrow
lamp|desklamp|desk lamp|floorlamp|floor lamp|light, television|tv, radio, alarm clock|alarmclock, ceiling
 fan
light switch|switch, thermostat, doorbell
knife|butterknife|butter knife, fork, spoon|ladle, spatula
cup|mug|glass cup, bowl, plate|dish, jug
pot|metal pot|saucepan, pan|frying pan, kettle|teapot, tin cup
apple|lettuce|bread|bread slice, tomato, potato, banana, carrot, peach, pear
soap|soapbar|soap bar, sponge|dishsponge|dish sponge, cloth|towel, spray bottle|spraybottle, toilet
 paper|toiletpaper
key|keychain|car key, wallet, watch, cell phone|cellphone|phone, remote
 control|remotecontrol, pencil|pen, newspaper, laptop
pillow, blanket, curtain, rug
vase, statue, candle, picture frame
box, basket, bucket, jar, bag
thermometer, stopwatch, ruler, multimeter, magnifying glass
water, milk, orange juice|juice, apple juice, soap water, oil|cooking oil, vinegar, coffee, tea
salt, sugar|sucrose, flour, sodium chloride, baking soda, pepper
battery, solar panel, generator, wind turbine
light bulb|bulb, electric buzzer|buzzer, electric motor|motor
anode, cathode
terminal 1, terminal 2
ice, chocolate, wax|candle wax, butter, lead, caesium, gallium, mercury|liquid mercury
dog, cat, rabbit, hamster, parrot, dove, turtle|tortoise, crocodile, elephant, bear, mouse, hedgehog,
 chameleon, bee, ant, dragonfly, butterfly, moth, wolf, giraffe, beaver, frog
soil|dirt, sand, gravel
shovel, axe|ax, rake, hammer, ladder
inclined plane|ramp, pulley, lever arm
lever, valve, button, crank, dial, knob, pedal, chain, handle
gauge, siren, sample
fuse, filter cartridge, gasket
front door|main door, back door, side door, cellar door
window, gate, hatch, trapdoor
inventory, map, notebook
window latch, water tap|tap|faucet, gas valve, power switch
# code
whole suite|test suite|whole test suite|suite|full test suite, type checker, linter
null check|none check|null guard|None check, type check, length check, log call
bounds check|range check|boundary check|index check, retry loop, timeout, cache lookup
unit test|test|test case|failing test|regression test, benchmark, code sample
integration test|end-to-end test, load test, smoke test
stack trace|stacktrace|traceback|error message|error log|error output|log|log file|exception message,
 commit history|git log|git history, coverage report, style guide|README
reproduction script|repro script|minimal reproduction|minimal example|reproduction, benchmark script,
 migration script, cleanup script
import|import statement|imports, comment, type alias, decorator
docstring|documentation|docs, license header, code comment, release note
variable name, constant name, enum name
function|helper function|helper, class, module
caller|call site|callsite|usage, test fixture, import line, subclass
return value|return type|return statement, default argument, variable name, loop counter
default value|default argument, variable name, type hint|annotation|type annotation
exception handler|try/except|try-except|try block|error handling|except clause, context manager, list
 comprehension, lambda expression
edge case|corner case|boundary case|empty input, common case, large input, random input
config file|configuration file|configuration|config|settings file, lock file, data file, shell script
environment variable|env variable, command-line flag, build target
dependency|dependencies|package, plugin, compiler flag
dependency version|package version, plugin version, compiler version
linter, debugger, profiler, formatter, type checker|mypy
git diff|diff|git status, git tag, git stash
branch, tag
commit, branch name, merge request
integer|int, string|str, float, boolean
list, tuple, dictionary|dict
for loop|loop|while loop, if statement, with statement
loop bound|loop condition|loop bounds, loop body, variable name
list index, key name, loop counter
assertion|failing assertion, import block, setup code
# sums
sum, difference, product, average|mean, median
numerator, denominator
left side|left-hand side, right side|right-hand side
coefficient, subscript, exponent
oxygen, hydrogen, carbon, nitrogen, sulfur, chlorine, phosphorus, calcium, potassium, iron, copper, zinc
volume, perimeter, surface area
temperature, pressure, density, humidity, voltage
meters|metres, feet, yards
kilograms, pounds, ounces
decimal point, plus sign, comma
order of magnitude|magnitude, last digit, first digit
# facts
director|film director|filmmaker, screenwriter|scriptwriter, producer, composer, cinematographer, film
 editor
lead actor|leading actor|lead actress|main actor|star, stunt double, narrator
author|writer|novelist, publisher, translator, illustrator
singer|vocalist|lead singer|frontman, drummer, guitarist, bassist, pianist
founder, chairman, treasurer, spokesperson
father, mother, brother, sister, grandfather, grandmother
wife|husband|spouse, cousin, godparent
birth year|year of birth, birthplace|place of birth|birth place, nationality, occupation|profession
birth date|birthdate|date of birth|birthday, hometown|home town, blood type, native language
death date|date of death|death year, burial place|place of burial
birth order, eye color
lifespan, shoe size
release year|year of release, filming location, running time|runtime, country of origin|box office
release date|premiere date, poster design, filming budget
publication date|date of publication|publication year|year of publication, word count, page count, print
 run
founding year|year of foundation|founding date|foundation date|year founded, headquarters, logo, number of
 employees
population, area, elevation|altitude, climate, postal code
height, weight, width, depth|thickness
length, diameter, circumference
capital|capital city, currency, official language, national anthem, flag
city|town, county, province, continent, island
country|nation|state, valley, river, mountain
genre|musical genre, record label|label, tempo, chart position, track listing
band|group|musical group, orchestra, choir, dance troupe
studio album|live album, music video, concert tour
song, album, poem
film|movie, novel, stage play, radio show
book, magazine, newspaper, brochure
university|college|school, hospital, museum, library
team|club|football club, stadium, referee, mascot
coach|manager, goalkeeper, captain
battle|war, treaty, coronation
award|prize, scholarship, championship
American, British, French, German, Italian, Spanish, Canadian, Australian, Japanese, Swedish, Irish,
 Russian, Indian
English, Latin, Portuguese, Dutch, Polish, Danish
Wikipedia, Britannica, Wikidata
surname|last name|family name, given name
spelling, pronunciation, capitalization
alias|alternative name|alternate name, motto
first paragraph|opening paragraph|lead paragraph|first sentence|opening sentence|lead section, last paragraph,
 second paragraph, photo caption
introduction|intro|abstract, conclusion, appendix, bibliography
infobox|info box|sidebar, photo gallery, reference list, image caption
disambiguation page|disambiguation entry, talk page, help page, image page
article|wiki page|Wikipedia page|Wikipedia article|entry, photo gallery, discussion forum, video clip
search result, advertisement, sponsored link, video clip
search bar|search box|search field|search engine, site map, help menu, contact form
bridge entity|bridging entity|intermediate entity|linking entity|bridge, main verb, geographic clue
entity|entity name, place name, year
evidence|supporting evidence|supporting fact|supporting passage|citation, background, trivia
answer type|answer format|expected answer type|question type|type of answer, answer length, question
 length
first result|first search result|first hit|top result, second result, last result
# any
January, February, March, April, June, July, August, September, October, November, December
Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday
full name|complete name|exact name|full title|exact title|canonical name|official name|formal name,
 initials, nickname, short name
decimal place, significant digit
second page|next page|page two, first page, last page, help page
first option, second option, last option
first line, second line, last line
first match, second match, last match
yes, no
red, blue, green, yellow, black, white, orange, purple, pink, brown, gray|grey, violet, navy, beige
small, medium, large, extra large
clockwise, counterclockwise
north, south, east, west
top, bottom
short phrase|noun phrase|short noun phrase, full sentence, numbered list
"""

ADJECTIVES = word_set(
    "red blue green yellow black white orange purple pink brown gray grey violet navy beige small medium "
    "large left right top bottom north south east west cotton wool silk linen leather wooden plastic metal "
    "tin brass copper zinc iron steel gold silver"
)
"""Things that describe others."""
