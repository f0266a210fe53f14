"""The module that each shipped memory system needs, by its word: without it its tests are skipped."""

MODULES = {
    "mem0": "mem0",
    "langmem": "langmem",
    "reasoning-bank": "reasoning_bank",
    "ace": "ace",
    "notes": "json",
    "mcp": "mcp",
    "bank": "memtrial",
}
