"""File formats: each gives arrays, checked, or one message."""
