//! The models and the layers around them, seen from outside.

mod recorded;
mod support;
