"""Digits as domains: those that installed packages carry, those made from them, and the paper's real sets."""
