//! `reprise score`, by what is scored.

mod bad_input;
mod comparisons;
pub mod given;
mod judges;
mod killed;
mod marks;
mod people;
mod refused;
mod released;
mod released_layouts;
mod repeats;
mod runs;
mod silent;
mod summaries;
mod unfinished;
