"""Published data sets: where they are, fetching them, unpacking them, and knowing that they are whole."""
