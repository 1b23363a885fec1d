"""The samples table: read, counted, chosen from."""
