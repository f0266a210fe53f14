"""Questions with one answer: maths, multiple choice, short answers; a task is a question."""
