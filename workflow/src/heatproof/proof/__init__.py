"""Proof: what was made of what, whether it still stands, and the way back to the log lines."""
