"""Questions with one answer: maths, multiple choice, short answers. A task is a question, an answer ends it."""
