"""What only runs on clusters need: what jobs ask for, and what becomes of them in a queue."""
