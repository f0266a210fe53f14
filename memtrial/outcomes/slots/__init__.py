"""What a harness of the user's brings back."""
