"""The replication as a package."""
