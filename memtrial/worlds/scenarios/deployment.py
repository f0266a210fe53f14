"""A new version of a service put in the place of the old one while requests come in."""

from memtrial.worlds.scenarios.scenario import Decision, Scenario, Sign

DEPLOYMENT = Scenario(
    name="deployment without downtime",
    brief="Put the new version of {place} in place while {size} requests come in, and fail none of them.",
    unit="requests",
    sizes=(6_000, 20_000, 90_000, 400_000),
    places=("the cart service", "the search service", "the mail gateway", "the login", "the price list"),
    decisions=(
        Decision(
            habit="probe the open port",
            signs=(
                Sign("The service listens while its cache is cold", "probe that it is ready",
                     "traffic waits for the cache", "requests timed out on cold instances", lambda n: n // 6),
                Sign("The probe passes while the database is away", "probe a query through the database",
                     "a broken instance gets no traffic", "instances without a database took requests",
                     lambda n: n // 3),
            ),
            idle="wait a minute after the start",
        ),
        Decision(
            habit="migrate the schema and then deploy",
            signs=(
                Sign("Old and new instances run side by side", "expand the schema now and contract it later",
                     "both versions can read it", "old instances failed on the new schema", lambda n: n // 2),
                Sign("The change of the schema locks its table", "change the table in small batches",
                     "no request waits for the lock", "requests waited for the lock and failed",
                     lambda n: n // 4),
            ),
            idle="migrate after the deployment",
        ),
        Decision(
            habit="stop the old instances",
            signs=(
                Sign("Long requests are under way", "drain the instance of its requests",
                     "they end in peace", "requests under way were cut off", lambda n: n // 15),
                Sign("Clients hold their connections for hours", "close the connections in turns",
                     "clients move over", "clients hung on connections of stopped instances",
                     lambda n: n // 10),
            ),
            idle="start twice as many instances",
        ),
        Decision(
            habit="move all traffic and watch",
            signs=(
                Sign("Faults of this service show under full load", "move the traffic in steps",
                     "a fault meets few", "the new version failed under full load", lambda n: n // 2),
                Sign("This goes out in the middle of the night", "roll back by the error rate",
                     "a fault ends by itself", "errors went on until somebody woke up", lambda n: n // 2),
            ),
            idle="ask the users to reload",
        ),
    ),
)  # fmt: skip
