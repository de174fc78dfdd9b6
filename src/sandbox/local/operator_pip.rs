//! The operator's settings of pip: indexes, certificates and proxies, and nothing else of theirs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::build_network::BuildSettings;
use super::policy::Bind;
use super::shared::Shared;

/// pip's settings for the whole machine.
const MACHINE: &str = "/etc/pip.conf";

/// Variables of the operator's that tell pip where and how to fetch.
const FETCHING: &[&str] = &[
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "PIP_NO_INDEX",
    "PIP_TRUSTED_HOST",
    "PIP_PROXY",
    "PIP_DEFAULT_TIMEOUT",
    "PIP_RETRIES",
    "PIP_CERT",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "https_proxy",
    "http_proxy",
    "all_proxy",
    "no_proxy",
];

/// The settings of a build, and what must be shown to it for them.
pub struct OperatorPip {
    pub settings: BuildSettings,
    pub binds: Vec<Bind>,
}

impl OperatorPip {
    /// Reads the variables and the files of settings.
    ///
    /// # Errors
    /// A file of settings that is there and cannot be read.
    pub fn read(shared: &Shared) -> io::Result<Self> {
        let operator = &shared.settings.operator;
        let mut settings = BuildSettings::default();
        let mut binds = Vec::new();
        for name in FETCHING {
            let Some(value) = operator.get(*name) else {
                continue;
            };
            settings.variables.insert((*name).to_owned(), value.clone());
            for part in value.split_whitespace() {
                let path = Path::new(part);
                if path.is_absolute() && path.exists() && path != Path::new("/") {
                    binds.push(Bind::same(path));
                }
            }
        }
        let home = operator.get("HOME").map(PathBuf::from);
        let configured = operator.get("PIP_CONFIG_FILE").map(PathBuf::from);
        let own = configured.into_iter().chain(
            home.iter()
                .flat_map(|home| [home.join(".config/pip/pip.conf"), home.join(".pip/pip.conf")]),
        );
        let read = |file: &Path| match fs::read_to_string(file) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        };
        settings.own_file = match own.into_iter().find(|file| file.is_file()) {
            Some(file) => read(&file)?,
            None => None,
        };
        settings.machine_file = read(Path::new(MACHINE))?;
        Ok(Self { settings, binds })
    }
}
