"""The paper's experiments: what it published, and recipes that make each figure and table again."""
