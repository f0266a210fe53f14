"""The words of the workshop. No two families share a state, a sign or a material, so that a lesson
about one machine does not speak of another."""

MACHINES: tuple[tuple[str, tuple[str, str]], ...] = (
    ("glaze kiln", ("tiles", "jugs")),
    ("ribbon loom", ("sashes", "flags")),
    ("cider press", ("apples", "pears")),
    ("bell foundry", ("chimes", "gongs")),
    ("paper mill", ("ledgers", "cards")),
    ("rope walk", ("hawsers", "twine")),
    ("ink still", ("indigo", "sepia")),
    ("lens lathe", ("prisms", "monocles")),
    ("candle mould", ("tapers", "votives")),
    ("flour sifter", ("semolina", "bran")),
    ("leather drum", ("saddles", "belts")),
    ("wire draw", ("staples", "needles")),
)

STATES: tuple[str, ...] = (
    "The amber lamp glows", "The belt hangs slack", "The gauge trembles", "The hatch stands ajar",
    "The flywheel ticks", "The vent whistles", "The dial points north", "The funnel drips",
    "The roller squeaks", "The spindle leans", "The tank gurgles", "The grate smokes", "The float bobs",
    "The ratchet clicks", "The mirror fogs", "The bobbin wobbles", "The chute rattles", "The beacon blinks",
    "The piston sighs", "The hopper bulges", "The pendulum swings wide", "The shutter flaps",
    "The coil shimmers", "The nozzle spits", "The anvil rings",
)  # fmt: skip

SIGNS: tuple[str, ...] = (
    "Frost shows", "Rust blooms", "Tar oozes", "Moss clings", "Sparks jump", "Steam curls", "Salt crusts",
    "Oil pools", "Cracks spread", "Soot settles", "Wax beads", "Lint drifts",
)  # fmt: skip

MATERIALS: tuple[str, ...] = (
    "copper", "brass", "tin", "zinc", "iron", "nickel", "oak", "ash", "pine", "walnut", "ivory", "amberine",
    "jade", "onyx", "slate", "marble", "cobalt", "chrome", "bronze", "pewter", "cedar", "maple", "coral",
    "quartz",
)  # fmt: skip

CONTROLS: tuple[tuple[str, str], ...] = (
    ("turn", "valve"),
    ("pull", "lever"),
    ("press", "button"),
    ("wind", "crank"),
    ("flip", "switch"),
    ("push", "pedal"),
    ("tug", "chain"),
    ("slide", "bolt"),
)
"""A verb and the control it works on."""
