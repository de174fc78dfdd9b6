//! Content-addressed values, on disk and in memory.
