"""SVG that is written, not drawn by a library: texts, lines, areas and marks, and pairs of axes of them."""
