"""What was made of what: records inside files, what jobs do around their one call, the views."""
