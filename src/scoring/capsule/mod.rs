//! Questions of capsules, and grading of what agents report.
//!
//! The published graders stand to the letter in [`released::capsule`](super::released::capsule);
//! [`strict`] is ours.

pub mod accepted;
pub mod baseline;
pub mod question;
pub mod report_file;
pub mod strict;
