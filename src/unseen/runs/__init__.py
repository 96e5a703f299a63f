"""One training with its own folder: fit, config, checkpoints, metrics, exact resume."""
