//! The variables of the environment that go along with jobs.

use crate::settings::Settings;

/// Variables that go along with a job besides those of [`PREFIXES`].
const VARIABLES: [&str; 20] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "TZ",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "DOCKER_HOST",
    "SSL_CERT_FILE",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "SLURM_CONF",
    "R_LIBS_USER",
];
const PREFIXES: [&str; 3] = ["REPRISE_", "PIP_", "UV_"];
/// Parts of names of variables that hold secrets.
const SECRET: [&str; 4] = ["KEY", "TOKEN", "SECRET", "PASSWORD"];

/// The names of variables that go along: those that say where things are, and those that were named.
pub fn exported(settings: &Settings, named: &[String]) -> Vec<String> {
    let is_plain = |name: &str| {
        let is_known = VARIABLES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix));
        is_known && !is_secret(name) && variable(name).is_ok()
    };
    let names = settings.operator.keys();
    let exported = names.filter(|name| is_plain(name) || named.contains(name));
    exported.cloned().collect()
}

/// Whether the name of a variable speaks of a secret.
fn is_secret(name: &str) -> bool {
    SECRET.iter().any(|part| name.contains(part))
}

/// A text that is no name of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("give the name of a variable alone; its value is taken from the environment")]
pub struct NoVariable;

/// The name of a variable, as it was typed.
///
/// # Errors
/// A text that is no name.
pub fn variable(text: &str) -> Result<String, NoVariable> {
    let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
    match !text.is_empty() && text.chars().all(is_name) {
        true => Ok(text.to_owned()),
        false => Err(NoVariable),
    }
}
