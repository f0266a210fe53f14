"""Planning: how many tasks and repeats a question needs, and what a given number of them can show."""
