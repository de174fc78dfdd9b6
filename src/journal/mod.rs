//! The append-only log of a run: format, writer, reader, lock.
