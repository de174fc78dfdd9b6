//! A verb that takes either its own arguments or one of its sub-verbs.

use clap::{ArgMatches, Args, Command, Error, FromArgMatches, Subcommand};

/// The arguments of a verb or of a sub-verb: `show RUN`, or `show cost RUN`. A folder that has the name of a sub-verb is
/// given as `./cost`.
#[derive(Debug)]
pub enum VerbOrSub<A, S> {
    Own(A),
    Sub(S),
}

impl<A: Args, S: Subcommand> FromArgMatches for VerbOrSub<A, S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        match matches.subcommand_name() {
            Some(_) => S::from_arg_matches(matches).map(Self::Sub),
            None => A::from_arg_matches(matches).map(Self::Own),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<A: Args, S: Subcommand> Args for VerbOrSub<A, S> {
    fn augment_args(command: Command) -> Command {
        S::augment_subcommands(A::augment_args(command))
            .args_conflicts_with_subcommands(true)
            .subcommand_negates_reqs(true)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
