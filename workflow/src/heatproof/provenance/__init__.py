"""What was made of what: records, receipts, manifest; what jobs do around their one call."""
