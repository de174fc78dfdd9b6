//! `reprise doctor model`.

use crate::settings::Settings;

use super::super::exit::{Failure, Status};
use super::super::output::Printer;
use super::args::{ModelArgs, ModelVerb};
use super::{list, test};

/// Does what is asked of a model.
///
/// # Errors
/// Those of the verb that is asked for.
pub async fn model(settings: &Settings, printer: Printer, args: ModelArgs) -> Result<Status, Failure> {
    match args.verb {
        ModelVerb::List(args) => list::list(settings, printer, &args),
        ModelVerb::Test(args) => test::test(settings, printer, args).await,
    }
}
