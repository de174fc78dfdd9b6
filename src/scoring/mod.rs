//! Comparisons with references: pure, and each honest about its coverage.
