//! The command line with its help: verbs in groups, and short lists of options.

use clap::{Arg, ArgAction, Command, CommandFactory as _};

use super::args::Cli;

/// The verbs by task, in the order of the help.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Start",
        &["new", "check", "run", "resume", "approve", "preregister"],
    ),
    (
        "Follow",
        &["list", "show", "report", "compare", "replay", "export"],
    ),
    ("Measure", &["score", "bench", "capsule", "notebook", "agents"]),
    ("Set up", &["env", "read", "doctor", "clean"]),
];

/// Verbs with so many options that `--help` shows those without a heading alone, and `--help-all` every one.
const LONG: [&[&str]; 4] = [&["run"], &["resume"], &["capsule", "run"], &["notebook", "run"]];

/// The width of the column of names.
const NAMES: usize = 13;

/// The command line, as it is parsed and shown.
pub fn command() -> Command {
    let command = Cli::command();
    let template = template(&command);
    LONG.into_iter().fold(command.help_template(template), shortened)
}

/// The command line with the help of one verb in two lengths.
fn shortened(command: Command, path: &[&'static str]) -> Command {
    if let [verb, rest @ ..] = path {
        return command.mut_subcommand(verb, |verb| shortened(verb, rest));
    }
    let help = |name: &'static str| Arg::new(name).long(name);
    command
        .disable_help_flag(true)
        .mut_args(|arg| {
            let is_apart = arg.get_help_heading().is_some();
            arg.hide_short_help(is_apart)
        })
        .arg(
            help("help")
                .short('h')
                .action(ArgAction::HelpShort)
                .help("Print the options that most runs need"),
        )
        .arg(
            help("help-all")
                .action(ArgAction::HelpLong)
                .help("Print every option"),
        )
}

/// The page of `reprise --help`.
fn template(command: &Command) -> String {
    let (header, literal) = (
        command.get_styles().get_header(),
        command.get_styles().get_literal(),
    );
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (heading, verbs) in GROUPS {
        text += &format!("\n{header}{heading}:{header:#}\n");
        for verb in verbs.iter().filter_map(|name| command.find_subcommand(name)) {
            let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
            text += &format!("  {literal}{:<NAMES$}{literal:#}{about}\n", verb.get_name());
        }
    }
    text + &format!("\n{header}Options:{header:#}\n{{options}}{{after-help}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_is_in_one_group_with_one_line() {
        let command = Cli::command();
        let shown = command.get_subcommands().filter(|verb| !verb.is_hide_set());
        let mut shown: Vec<&str> = shown.map(Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, verbs)| verbs.iter().copied())
            .collect();
        shown.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(shown, grouped);
        assert_eq!(grouped.len(), 21);
        for line in template(&command).lines().filter(|line| line.starts_with("  ")) {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }
}
