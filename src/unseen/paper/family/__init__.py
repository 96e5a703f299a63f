"""Single-source generalization beyond the paper: its relatives under one protocol, as a leaderboard."""
