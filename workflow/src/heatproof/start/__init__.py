"""A first config.yaml for a folder of logs: what is there, what it may mean, which figures fit."""
