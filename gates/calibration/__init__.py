"""What a gate's flags are worth: labelled fixtures, rates with intervals, and whether they are fresh."""
