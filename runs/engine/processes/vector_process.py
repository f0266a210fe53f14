"""A process that makes vectors of texts once, and ends; its argument is the file of its line.

What makes them takes some 100 MB, which no process that plays on would give back.
"""

from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.runs.setup.processes.line_process import Line, serve_line


def answer_texts(line: Line) -> None:
    """The vectors of the texts that come behind the number of dimensions."""
    embedder = HashingEmbedder(line.recv())
    line.send(embedder.vectors(line.recv()))


if __name__ == "__main__":
    serve_line(answer_texts)
