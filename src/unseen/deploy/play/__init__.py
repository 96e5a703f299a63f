"""A page on this machine to play with finished runs: a picture goes in, sliders change it, the answers are seen."""
