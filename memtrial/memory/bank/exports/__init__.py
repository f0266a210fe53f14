"""A bank as a file to carry away, as JSON lines or Parquet, and a bank of such a file: the same."""
