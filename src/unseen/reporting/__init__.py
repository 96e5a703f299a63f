"""What is shown of finished runs: how they are measured, drawn, tabulated and described."""
