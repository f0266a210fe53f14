"""What a request shows a model: its texts, spans between marks in them, and whether memory stood there."""
