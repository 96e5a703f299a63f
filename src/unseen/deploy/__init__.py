"""What a trained network is for: predictions without labels, graphs for other programs, a folder to hand over."""
