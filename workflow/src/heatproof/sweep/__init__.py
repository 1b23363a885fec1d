"""What a sweep holds and lacks."""
