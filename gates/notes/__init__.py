"""What programs find in files that people write by hand, without a run to hold them against."""
