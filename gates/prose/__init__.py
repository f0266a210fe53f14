"""Gates on wording alone: negative controls, which ought to make no difference to what is followed."""
