"""What the paper compares with that isn't Algorithm 1 with other settings: ADDA."""
