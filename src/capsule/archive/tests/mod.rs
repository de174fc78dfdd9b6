//! Tests of unpacking.

mod hostile;
mod scene;
mod whole;
