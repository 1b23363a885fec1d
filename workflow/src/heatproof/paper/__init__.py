"""The numbers of a build in a paper: by name, checked, rebuilt from the paper, and archived."""
