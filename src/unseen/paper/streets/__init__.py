"""The paper's street-scene experiments: what differs from the digits."""
