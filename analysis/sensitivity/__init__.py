"""The same question by other methods: how far a result hangs on the method that was chosen."""
