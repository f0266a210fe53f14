"""People in the loop: drafts that wait, the page where a person decides, and what was decided."""
