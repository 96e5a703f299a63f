"""What every room may use: checks of settings, files that are whole, extras, randomness. It knows no other room."""
