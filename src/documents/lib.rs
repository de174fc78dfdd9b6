//! Readers of papers and data: a crate of its own, so that an edit above does not build it again.

#[path = "mod.rs"]
pub mod documents;

// By its path, so that this crate depends on none of the others.
#[path = "../domain"]
mod domain {
    #[allow(dead_code, reason = "a few of them are used here")]
    pub mod excerpt;
    pub mod lazy_regex;
}
