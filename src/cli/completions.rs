//! `reprise doctor completions`.

use clap::{Args, Command};
use clap_complete::Shell;

use super::exit::{Failure, Status};
use super::output::Printer;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise doctor completions bash > ~/.local/share/bash-completion/completions/reprise
  reprise doctor completions zsh > ~/.zfunc/_reprise
  reprise doctor completions fish > ~/.config/fish/completions/reprise.fish")]
pub struct CompletionsArgs {
    /// The shell that completes
    pub shell: Shell,
}

/// Prints the script by which a shell completes the verbs and options of `command`.
///
/// # Errors
/// A script that is no text.
pub fn completions(
    printer: Printer,
    args: &CompletionsArgs,
    mut command: Command,
) -> Result<Status, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "reprise", &mut script);
    let script = String::from_utf8(script).map_err(|error| Failure::usage(error.to_string()))?;
    printer.raw(&script);
    Ok(Status::Done)
}
