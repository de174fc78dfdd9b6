//! Lookups in a paper of what an extraction says of it.
//!
//! Each quotation, location and number of a post-registration is looked up:
//! typography, line breaks and rounding may differ, digits and words may not.
//! A number that many papers' worth of digits would match by chance counts as
//! found only beside words or numbers that belong to it.

mod captions;
pub mod chance;
pub mod figures;
pub mod ground;
pub mod items;
pub mod line;
pub mod locations;
pub mod number;
pub mod paper;
mod paper_spans;
pub mod quotation;
pub mod span;
pub mod tolerances;
pub mod typography;
