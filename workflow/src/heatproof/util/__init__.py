"""What everything stands on: errors, files changed in one step, digests, texts, numbers."""
