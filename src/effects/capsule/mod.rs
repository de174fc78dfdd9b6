//! The track `capsule`: its tasks in a workspace, the shell that its agents act in, and the
//! form of their answers.

pub mod answers_review;
pub mod capsule_files;
pub mod checked_answers;
pub mod environment;
mod introduction;
pub mod laid_beneath;
pub mod lay_beneath;
pub mod prepare;
pub mod shell;
pub mod staging;
pub mod task_text;
