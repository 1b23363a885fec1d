"""Raw logs read: found, decoded by the stream, gathered to sorted tables, counted."""
