"""Printed digits of a paper: logs that give them, and their comparison with our cells."""
