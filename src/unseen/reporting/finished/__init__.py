"""Finished runs and ensembles as they are read from their folders."""
