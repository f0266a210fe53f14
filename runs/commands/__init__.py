"""What each verb does, one a file."""
