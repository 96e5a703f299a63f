"""What the theory says about a finished run: how far its rounds went, what its loss can become, how far targets are."""
