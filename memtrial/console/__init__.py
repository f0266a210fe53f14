"""What a terminal shows: printable text, its width, numbers, progress."""
