"""Algorithm 1 and its parts. It knows models and the engine, and nothing of files, data sets or the command line."""
