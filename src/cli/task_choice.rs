//! The choice of tasks of capsules by what their file says of them.

use clap::Args;

/// The choice of tasks out of a file.
#[derive(Debug, Args)]
pub struct TaskChoice {
    /// Tasks of this field alone, such as `Medicine`; may be given again
    #[arg(long)]
    pub field: Vec<String>,
    /// Tasks whose code is in this language alone
    #[arg(long)]
    pub language: Vec<String>,
    /// Tasks with a question about a figure (`vision`) or with another (`written`)
    #[arg(long, value_parser = ["vision", "written"])]
    pub modality: Option<String>,
    /// Tasks that need a GPU, or with `no` those that do not
    #[arg(long, num_args = 0..=1, default_missing_value = "yes", value_parser = ["yes", "no"])]
    pub gpu: Option<String>,
}
