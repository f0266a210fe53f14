"""Five pieces of engineering work with planted causes of failure, each of which one lesson would prevent."""
