//! Values and workspaces that R saved, after "R Internals", section 1.8
//! (serialization formats), and `serialize.c` of R's sources for the codes.

mod array;
mod bytecode;
mod compact;
mod frame;
mod gather;
mod missing;
mod source;
mod unserialize;
mod value;

pub mod read;
