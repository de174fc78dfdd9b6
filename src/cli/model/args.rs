//! The arguments of `reprise doctor model`.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub struct ModelArgs {
    #[command(subcommand)]
    pub verb: ModelVerb,
}

/// The verbs of `reprise doctor model`.
#[derive(Debug, Subcommand)]
pub enum ModelVerb {
    /// List providers with their keys, and the models that the table knows with their prices.
    List(ModelListArgs),
    /// Try out what a model can do, with one small paid call for each thing.
    Test(ModelTestArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  reprise doctor model list --json")]
pub struct ModelListArgs {
    /// Print the lists as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Asks for text, a tool, two tools at once, an answer that fits a JSON Schema, and what a picture shows, and looks \
whether tokens are counted. The most that it may cost is said before.

Keys come from the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY ...) or from ~/.config/reprise/keys.toml, which \
nobody else may read; ~/.config/reprise/models.toml extends the table of models.

Exit codes: 0 what the table of models promises works; 1 something that it promises does not; 2 no such model, or the \
key or account is turned down; 7 the provider cannot be reached.

Examples:
  reprise doctor model test openai/gpt-5
  reprise doctor model test anthropic/claude-sonnet-4-5 --json
  reprise doctor model test openai-api/127.0.0.1:8080/v1/my-model")]
pub struct ModelTestArgs {
    /// `PROVIDER/NAME`.
    pub model: String,
    /// Have the answers streamed, as a run does.
    #[arg(long)]
    pub stream: bool,
    /// Print what was found as JSON.
    #[arg(long)]
    pub json: bool,
}
