"""The paper's digit experiments: what differs from the street scenes."""
