"""The page that shows what runs did."""
