"""What every page, table and figure is made of: statistics, wording, charts, tables, colours, pictures."""
