"""Wire formats: one module for each, from a provider's JSON to requests and replies, and back.

Each has `read_request`, `write_request`, `read_reply` and `write_reply`. A request that is read and written
again is the same JSON; what would be lost is refused with a line that names it.
"""
