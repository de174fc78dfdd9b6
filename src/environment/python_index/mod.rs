//! Packages of Python by date: pages of an index, files that fit an interpreter, and the versions that go
//! together.
//!
//! A version is taken when a file of it was there at the instant, was not withdrawn, and fits the
//! interpreter. Nothing is asked here: [`resolution`] says which page or file it wants next.

pub mod bounded;
pub mod file_name;
pub mod first_day;
pub mod page;
pub mod pick;
pub mod platform;
pub mod release_choice;
pub mod repairs;
pub mod requirement;
pub mod resolution;
pub mod wheel_directory;
