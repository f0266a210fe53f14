"""One file a provider: how it is reached and what its errors mean."""
