//! Archives among the files of a study, looked into for references without being unpacked.
//!
//! Names are read from wherever a reader of such archives could take them, and content is
//! decoded as far as it has to be to tell archives inside: to memory, within bounds, and never
//! to a disk.

mod budget;
mod entries;
mod format;
pub mod look;
mod seven_zip;
mod tar;
#[cfg(test)]
mod tests;
mod window;
mod zip;
