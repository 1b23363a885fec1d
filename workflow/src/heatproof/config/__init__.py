"""What config.yaml may say, and where results lie."""
