"""Product data from a shop with pages that shift and load late."""

from memtrial.worlds.scenarios.scenario import Decision, Scenario, Sign

PAGE, QUOTA = 20, 30
"""Products on a page; requests that the site takes in a minute."""


def _pages(n: int) -> int:
    return -(-n // PAGE)


SCRAPING = Scenario(
    name="paginated scraping",
    brief="Collect all {size} products of the shop {place}, each once, from its list in pages.",
    unit="products",
    sizes=(480, 960, 1440, 2200),
    places=("Birke", "Kelp", "Moss & Tin", "Larch", "Oat", "Quarry"),
    decisions=(
        Decision(
            habit="count the page number up",
            signs=(
                Sign("Each page ends with an opaque cursor", "follow the cursor of the last page",
                     "the next page is another one", "every request returned the first page",
                     lambda n: n - PAGE),
                Sign("New products push the older ones down the list", "ask for what follows the last id",
                     "no product slips past", "products at the page breaks are missing, others came twice",
                     _pages),
            ),
            idle="ask for the list from its end",
        ),
        Decision(
            habit="read the first html",
            signs=(
                Sign("Cards stay grey boxes until they are scrolled to", "scroll every card into view",
                     "the card is filled", "half of the products have no price", lambda n: n // 2),
                Sign("Prices come with a background request", "read the background request",
                     "the price is there", "no product has a price", lambda n: n),
            ),
            idle="wait before reading the page",
        ),
        Decision(
            habit="send all requests at once",
            signs=(
                Sign("The headers name a quota for each minute", "pace the requests to the quota",
                     "no request is refused", "the site answered 429 after its quota was used up",
                     lambda n: n - QUOTA * PAGE),
                Sign("Now and then an answer is a short outage", "repeat what failed with growing waits",
                     "the page comes in the end", "every tenth page is missing after a 503",
                     lambda n: _pages(n) // 10 * PAGE),
            ),
            idle="send the requests through a proxy",
        ),
    ),
)  # fmt: skip
