//! The verdict on numbers of every kind, and on numbers that do not fit.

mod earlier;
mod incoherent;
mod kinds;
mod planned;
mod plans;
mod support;
