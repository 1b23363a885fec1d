"""What there is to build, before any job starts: logs, shards, code, and params of each rule."""
