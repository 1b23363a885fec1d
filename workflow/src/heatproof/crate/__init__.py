"""The run as an RO-Crate."""
