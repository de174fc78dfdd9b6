//! `reprise score`, by what is scored.

mod bad_input;
mod comparisons;
mod given;
mod judges;
mod killed;
mod marks;
mod refused;
mod released;
mod runs;
