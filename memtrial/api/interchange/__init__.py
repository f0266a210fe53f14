"""What other programs keep of memory and results, in and out."""
