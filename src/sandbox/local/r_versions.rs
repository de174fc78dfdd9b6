//! R of this machine, asked confined for the versions that packages had at an instant.

use std::collections::BTreeMap;

use tokio_util::sync::CancellationToken;

use super::build_network::{BuildNetwork, BuildSettings};
use super::policy::{Bind, PolicyNetwork, Report};
use super::shared::{Reach, Shared};
use crate::domain::execution::BuildFailure;
use crate::environment::r_archive::resolution::{ADDRESS, SCRIPT};
use crate::sandbox::egress::index_client;
use crate::sandbox::egress::upstream::UPSTREAM_SETTINGS;
use crate::sandbox::failure::infrastructure;

/// Bytes of what R fetches.
const DISK: u64 = 1 << 30;
/// The variable with the script, so that no file has to be shown to R.
const TEXT: &str = "REPRISE_SCRIPT";
const ABSENT: &str = "R reads its archive by date, and R is not installed on this machine: install `r-base-core`, or hand \
    over a lock that was made on a machine with R (`--lock FILE`).";

/// What the script prints for some arguments. Its network leads to the archive alone.
///
/// # Errors
/// A machine without R, or a way to the archive that cannot be opened.
pub fn ask(
    shared: &Shared,
    address: &str,
    arguments: &[String],
    cancel: CancellationToken,
) -> Result<String, BuildFailure> {
    let failed = |why: String| infrastructure(format!("R could not be asked: {why}."), String::new());
    let operator = &shared.settings.operator;
    let mut settings = BuildSettings {
        variables: BTreeMap::from([(ADDRESS.to_owned(), address.to_owned())]),
        ..BuildSettings::default()
    };
    let way = match shared.namespaces() {
        true => Some(BuildNetwork::open(operator, &mut settings).map_err(|error| failed(error.to_string()))?),
        false => None,
    };
    let mut variables = settings.variables;
    if way.is_none() {
        let names = UPSTREAM_SETTINGS.iter().chain(&["NO_PROXY", "no_proxy"]);
        let set = names.filter_map(|name| Some(((*name).to_owned(), operator.get(*name)?.clone())));
        variables.extend(set);
    }
    let bundle = index_client::bundle(operator);
    variables.extend(bundle.map(|file| ("CURL_CA_BUNDLE".to_owned(), file.to_owned())));
    variables.insert(TEXT.to_owned(), SCRIPT.to_owned());
    let run = format!("eval(parse(text = Sys.getenv('{TEXT}')))");
    let mut command: Vec<String> = ["Rscript", "--vanilla", "-e", &run].map(str::to_owned).into();
    command.extend_from_slice(arguments);
    let reach = Reach {
        network: match &way {
            Some(way) => PolicyNetwork::Proxy(way.socket()),
            None => PolicyNetwork::Host,
        },
        variables,
        total: shared.settings.build,
        disk: DISK,
        cancel,
    };
    let binds = bundle.map(Bind::same).into_iter().collect();
    let answer = shared.ask_with(&command, binds, None, reach);
    let answer = answer.map_err(|error| failed(error.to_string()))?;
    match answer.report {
        Report::Exited(0) => Ok(answer.text),
        Report::NoProgram(_) => Err(infrastructure(ABSENT, String::new())),
        other => Err(infrastructure(
            "R does not run in the sandbox of this machine.",
            format!("{other:?}\n{}", answer.text),
        )),
    }
}
