"""Statistics as pure functions of numpy arrays: they know no column names, no store and no randomness of their own."""
