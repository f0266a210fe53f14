"""Charges through a payment service that times out, signs and repeats itself."""

from memtrial.worlds.scenarios.scenario import Decision, Scenario, Sign

PAYMENTS = Scenario(
    name="payment interface",
    brief="Take {size} payments through the service {place}, each booked once, with events and login.",
    unit="payments",
    sizes=(700, 1400, 2100, 3500),
    places=("Tarrif", "Paywell", "Kronen", "Octant", "Sixpence", "Ledgerly"),
    decisions=(
        Decision(
            habit="send a failed charge again",
            signs=(
                Sign("A charge may time out after it was booked", "give each charge an idempotency key",
                     "a repeat books nothing", "every seventh payment was booked twice", lambda n: n // 7),
                Sign("The service forgets its keys in a day", "look the charge up and send what is missing",
                     "only what is missing is sent", "payments of the day before were booked twice",
                     lambda n: n // 5),
            ),
            idle="raise the time limit of a charge",
        ),
        Decision(
            habit="check the signature of the parsed json",
            signs=(
                Sign("The signature covers the bytes that were sent", "check the signature of the raw body",
                     "the digests agree", "every event was refused: its signature does not match",
                     lambda n: n),
                Sign("The signature header carries a time", "check the signature with its time",
                     "an old event cannot come back", "replayed events were taken for new ones",
                     lambda n: n // 10),
            ),
            idle="check where the request came from",
        ),
        Decision(
            habit="apply events as they come",
            signs=(
                Sign("Events arrive in any order and sometimes twice", "keep event ids and sort by creation",
                     "the last state wins", "refunded payments stand as paid", lambda n: n // 12),
                Sign("Events name an object and no state", "fetch the object that the event names",
                     "its state is the newest", "payments stayed without a state", lambda n: n // 2),
            ),
            idle="answer each event after a second",
        ),
        Decision(
            habit="keep the first access token",
            signs=(
                Sign("The access token lives for minutes", "renew the token every few minutes",
                     "no call is refused", "calls were refused with 401 in the middle of the run",
                     lambda n: n - n // 6),
                Sign("Test and live keys look alike", "take the key of the environment",
                     "charges reach the live books", "all charges went to the test books", lambda n: n),
            ),
            idle="log in with the account's password",
        ),
    ),
)  # fmt: skip
