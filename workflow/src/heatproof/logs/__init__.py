"""Logs as they lie on disk: found, opened, unpacked, hashed, cut into lines and records."""
