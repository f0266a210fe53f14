"""A server on loopback that speaks the providers' protocols and answers by script: for tests and dry runs."""
