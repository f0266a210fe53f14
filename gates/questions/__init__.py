"""What a judge is shown beside the item: worked examples, and other tasks."""
