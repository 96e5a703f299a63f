"""Settings chosen with the source alone: each kind of transformation in turn plays the domain that nobody has seen."""
