//! Statistics over findings and runs.
