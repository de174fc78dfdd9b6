//! The dispatcher: decide, perform, append, fold.
