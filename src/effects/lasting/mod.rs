//! Sessions that outlive a killed engine, as shells and kernels share them: opened, taken up,
//! introduced, in a workspace that is laid out again.

pub mod open;
pub mod program_shell;
pub mod words;
pub mod workspace;
