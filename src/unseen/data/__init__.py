"""Domains: built-in digits, and a user's own folder."""
