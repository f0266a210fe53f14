"""What can stand in the place of what: things of one kind. Data only.

A line is a kind, in the section of a domain; its members are parted by commas, other words for one member by
bars. A member never stands for another word for itself.
"""

from loadbearing.memory.language.lexicon import word_set

THINGS = """
# shop
price|cost, rating|star rating|customer rating|user rating|average rating, shipping time|delivery time, stock
 level, discount rate
brand|manufacturer, material, warranty period
return policy|refund policy, privacy notice, delivery terms
price filter|price range|price limit|maximum price|price cap, brand filter|brand name, rating filter
budget|spending limit, delivery date, gift note
size|size option, pattern, fabric, fit type
color|colour|color option|colour option, scent, texture, finish
review|customer review|user review, product video, buyer question, size chart
description|product description|item description, seller profile, care label, packaging note
specification|spec|product detail|detail|feature, photo, coupon, accessory
product page|item page|listing|detail page, seller page, gift page, brand page
seller|vendor, courier, reviewer
discount|coupon|promo code, newsletter, loyalty card
cart|shopping cart|basket, wish list|wishlist, gift registry
shipping address|delivery address, phone number, email address
Buy Now, Add to Cart, Add to Wishlist, Share Item
Description, Features, Reviews, Attributes, Questions
Next, Prev
Submit, Reset, Preview
Sign In|Log In, Subscribe, Contact Us
cheapest|lowest-priced|least expensive, newest|latest|most recent, best-rated|highest-rated|top-rated,
 heaviest
brass, copper, tin, zinc, iron, steel, nickel, bronze, aluminum, silver, gold
wood|wooden, plastic, rubber, glass, stone, clay
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
flower pot|planter, seed tray, wheelbarrow
lamp|desklamp|desk lamp|floorlamp|floor lamp|light, television|tv, radio, alarm clock|alarmclock, ceiling fan
light switch|switch, thermostat, doorbell
cup|mug|glass cup, bowl, plate|dish, jug
pot|metal pot|saucepan, pan|frying pan, kettle|teapot, tin cup
apple|lettuce|bread|bread slice, tomato, potato, banana, carrot, peach, pear
soap|soapbar|soap bar, sponge|dishsponge|dish sponge, cloth|towel, spray bottle|spraybottle, toilet
 paper|toiletpaper
key|keychain|car key, wallet, watch, cell phone|cellphone|phone, remote control|remotecontrol, pencil|pen,
 newspaper, laptop
box, basket, bucket, jar, bag
thermometer, stopwatch, ruler, multimeter, magnifying glass
water, milk, orange juice|juice, apple juice, soap water, oil|cooking oil, vinegar, coffee, tea
salt, sugar|sucrose, flour, sodium chloride, baking soda, pepper
battery, solar panel, generator, wind turbine
light bulb|bulb, electric buzzer|buzzer, electric motor|motor
anode, cathode
ice, chocolate, wax|candle wax, butter, lead, caesium, gallium, mercury|liquid mercury
dog, cat, rabbit, hamster, parrot, dove, turtle|tortoise, crocodile, elephant, bear, mouse, hedgehog,
 chameleon, bee, ant, dragonfly, butterfly, moth, wolf, giraffe, beaver, frog
soil|dirt, sand, gravel
inclined plane|ramp, pulley, lever arm
lever, valve, button, crank, dial, knob, pedal, chain, handle
window, gate, hatch, trapdoor
inventory, map, notebook
# code
whole suite|test suite|whole test suite|suite|full test suite, type checker, linter
unit test|test|test case|failing test|regression test, benchmark, code sample
stack trace|stacktrace|traceback|error message|error log|error output|log|log file|exception message, commit
 history|git log|git history, coverage report, style guide|README
reproduction script|repro script|minimal reproduction|minimal example|reproduction, benchmark script,
 migration script, cleanup script
docstring|documentation|docs, license header, code comment, release note
function|helper function|helper, class, module
caller|call site|callsite|usage, test fixture, import line, subclass
default value|default argument, variable name, type hint|annotation|type annotation
edge case|corner case|boundary case|empty input, common case, large input, random input
git diff|diff|git status, git tag, git stash
branch, tag
commit, branch name, merge request
integer|int, string|str, float, boolean
list, tuple, dictionary|dict
for loop|loop|while loop, if statement, with statement
# sums
sum, difference, product, average|mean, median
oxygen, hydrogen, carbon, nitrogen, sulfur, chlorine, phosphorus, calcium, potassium, iron, copper, zinc
temperature, pressure, density, humidity, voltage
# facts
director|film director|filmmaker, screenwriter|scriptwriter, producer, composer, cinematographer, film editor
lead actor|leading actor|lead actress|main actor|star, stunt double, narrator
author|writer|novelist, publisher, translator, illustrator
singer|vocalist|lead singer|frontman, drummer, guitarist, bassist, pianist
birth year|year of birth, birthplace|place of birth|birth place, nationality, occupation|profession
birth date|birthdate|date of birth|birthday, hometown|home town, blood type, native language
founding year|year of foundation|founding date|foundation date|year founded, headquarters, logo, number of
 employees
height, weight, width, depth|thickness
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
American, British, French, German, Italian, Spanish, Canadian, Australian, Japanese, Swedish, Irish, Russian,
 Indian
English, Latin, Portuguese, Dutch, Polish, Danish
Wikipedia, Britannica, Wikidata
spelling, pronunciation, capitalization
first paragraph|opening paragraph|lead paragraph|first sentence|opening sentence|lead section, last
 paragraph, second paragraph, photo caption
infobox|info box|sidebar, photo gallery, reference list, image caption
article|wiki page|Wikipedia page|Wikipedia article|entry, photo gallery, discussion forum, video clip
search result, advertisement, sponsored link, video clip
search bar|search box|search field|search engine, site map, help menu, contact form
bridge entity|bridging entity|intermediate entity|linking entity|bridge, main verb, geographic clue
evidence|supporting evidence|supporting fact|supporting passage|citation, background, trivia
first result|first search result|first hit|top result, second result, last result
surname|last name|family name, given name
# any
January, February, March, April, June, July, August, September, October, November, December
full name|complete name|exact name|full title|exact title|canonical name|official name|formal name, initials,
 nickname, short name
second page|next page|page two, first page, last page, help page
first line, second line, last line
yes, no
red, blue, green, yellow, black, white, orange, purple, pink, brown, gray|grey, violet, navy, beige
small, medium, large, extra large
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
