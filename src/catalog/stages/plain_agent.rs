//! Our own loop, as agents are named.

/// The name of our own loop as every stage has it, which no folder of an agent can have.
pub const PLAIN: &str = "plain";

/// Our own loop in a few words.
pub const ABOUT_PLAIN: &str = "our own loop";
