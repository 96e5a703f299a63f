"""Several trained networks that answer as one, and the rules by which they do."""
