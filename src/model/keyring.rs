//! Keys in a file that nobody else may read.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use nix::unistd::geteuid;
use secrecy::zeroize::Zeroizing;
use serde::Deserialize;

use crate::domain::text_place::line_of;
use crate::model::chat::ModelError;
use crate::model::key::Key;
use crate::model::name::ModelName;
use crate::model::providers;
use crate::model::text_file;

/// Most bytes of a keyring.
const LARGEST: u64 = 64 << 10;
/// The permissions of anybody but the owner.
const OTHERS: u32 = 0o077;

/// Keys by provider, and by host for `openai-api`:
///
/// ```toml
/// openai = "sk-..."
/// "openai-api/llm.example.org" = "..."
/// ```
pub struct Keyring {
    path: PathBuf,
    keys: BTreeMap<String, Key>,
}

#[derive(Deserialize)]
#[serde(transparent)]
struct Written(BTreeMap<String, toml::Value>);

impl Keyring {
    /// Opens the file; `None` where there is none.
    ///
    /// # Errors
    /// A file that is another user's, that others may read or change, or that
    /// cannot be read. No error holds a part of the file.
    pub fn open(path: &Path) -> Result<Option<Self>, ModelError> {
        let unusable = |why: String| {
            ModelError::Misconfigured(format!("The keyring `{}` is not used: {why}.", path.display()))
        };
        match std::fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unusable(error.to_string())),
            Ok(metadata) if !metadata.is_file() => return Err(unusable("it is no file".to_owned())),
            Ok(_) => {}
        }
        let mut file = File::open(path).map_err(|error| unusable(error.to_string()))?;
        // Of the file that was opened, whatever stands at the path by now.
        let metadata = file.metadata().map_err(|error| unusable(error.to_string()))?;
        let (owner, user) = (metadata.uid(), geteuid().as_raw());
        if owner != user {
            return Err(unusable(format!(
                "it belongs to user {owner}, and this program runs as user {user}. Make a copy of your own: install -m 600 {0} {0}.mine",
                path.display()
            )));
        }
        let mode = metadata.mode() & 0o777;
        if mode & OTHERS != 0 {
            return Err(unusable(format!(
                "its permissions are {mode:03o}, so that others can reach the keys in it. Run `chmod 600 {}`, and replace the keys if others use this machine",
                path.display()
            )));
        }
        let text = text_file::read_rest(&mut file, LARGEST).map_err(|error| unusable(error.to_string()))?;
        let keys = parse(&Zeroizing::new(text)).map_err(|fault| unusable(fault.to_string()))?;
        Ok(Some(Self {
            path: path.to_owned(),
            keys,
        }))
    }

    /// Whether an entry is for a provider, or for a host that is asked in its way.
    pub fn holds(&self, prefix: &str) -> bool {
        self.keys
            .keys()
            .any(|entry| entry.split('/').next() == Some(prefix))
    }

    /// The key for a model: that of its provider, or of the host in its name.
    pub fn key_for(&self, name: &ModelName) -> Option<&Key> {
        let ModelName::Served { provider, base, .. } = name else {
            return None;
        };
        let entry = match (provider, base) {
            (provider, Some(base)) => {
                let host = base.host_str().unwrap_or_default();
                match base.port() {
                    Some(port) => format!("{}/{host}:{port}", provider.prefix),
                    None => format!("{}/{host}", provider.prefix),
                }
            }
            (provider, None) => provider.prefix.to_owned(),
        };
        self.keys.get(&entry)
    }
}

/// A fault in a keyring, told by line and name, never by content.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum KeyringFault {
    #[error("line {0} is not of the form PROVIDER = \"KEY\"")]
    Line(usize),
    #[error(
        "an entry is for nobody that is known here: entries are named `openai`, `anthropic`, ... or \"openai-api/HOST[:PORT]\""
    )]
    Unknown,
    #[error("the entry `{0}` holds no key in quotes, or one that no header can carry")]
    NoKey(String),
}

fn parse(text: &str) -> Result<BTreeMap<String, Key>, KeyringFault> {
    let Written(entries) = toml::from_str(text)
        .map_err(|error| KeyringFault::Line(line_of(text, error.span().map_or(0, |span| span.start))))?;
    let known = |name: &str| {
        providers::all().any(|provider| match provider.address_in_name() {
            true => name
                .strip_prefix(provider.prefix)
                .is_some_and(|host| host.len() > 1 && host.starts_with('/')),
            false => provider.prefix == name,
        })
    };
    let mut keys = BTreeMap::new();
    for (name, value) in entries {
        if !known(&name) {
            return Err(KeyringFault::Unknown);
        }
        let key = value
            .as_str()
            .and_then(|key| Key::new(key).ok())
            .ok_or_else(|| KeyringFault::NoKey(name.clone()))?;
        keys.insert(name, key);
    }
    Ok(keys)
}

impl fmt::Debug for Keyring {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Keyring")
            .field("path", &self.path)
            .field("for", &self.keys.keys().collect::<Vec<_>>())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{Permissions, set_permissions, write};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const CANARY: &str = "sk-canary-0123456789";

    fn opened(text: &str, mode: u32) -> Result<Option<Keyring>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.toml");
        write(&path, text).unwrap();
        set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        Keyring::open(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn a_key_is_found_by_provider_or_by_host() {
        let text = format!(
            "openai = \"{CANARY}\"\n\"openai-api/llm.example.org\" = \"{CANARY}\"\n\"openai-api/127.0.0.1:9\" = \"{CANARY}\"\n"
        );
        let ring = opened(&text, 0o600).unwrap().unwrap();
        let has = |name: &str| ring.key_for(&name.parse().unwrap()).is_some();
        assert!(
            has("openai/gpt-5") && has("openai-api/llm.example.org/m") && has("openai-api/127.0.0.1:9/m")
        );
        assert!(!has("anthropic/m") && !has("openai-api/127.0.0.1:8/m") && !has("openai-api/other.org/m"));
        assert!(!has("recorded:x"));
        let shown = format!("{ring:?}");
        assert!(
            !shown.contains(CANARY) && shown.contains("llm.example.org"),
            "{shown}"
        );
    }

    #[test]
    fn a_file_that_others_can_reach_is_refused_with_the_way_out() {
        let text = format!("openai = \"{CANARY}\"");
        for mode in [0o640, 0o604, 0o620, 0o602, 0o666] {
            let error = opened(&text, mode).unwrap_err();
            assert!(
                error.contains("chmod 600") && error.contains(&format!("{mode:03o}")),
                "{error}"
            );
        }
        for mode in [0o600, 0o400, 0o700] {
            assert!(opened(&text, mode).is_ok(), "{mode:o}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_without_a_word_of_the_file() {
        for (text, part) in [
            (format!("openai = \"{CANARY}\"\nopenai = {CANARY}"), "line 2"),
            (format!("{CANARY} = \"x\""), "nobody that is known"),
            (format!("openai = [\"{CANARY}\"]"), "`openai`"),
            (format!("openai = \"{CANARY} {CANARY}\""), "`openai`"),
            (format!("openai-api = \"{CANARY}\""), "nobody that is known"),
        ] {
            let error = opened(&text, 0o600).unwrap_err();
            assert!(error.contains(part) && !error.contains(CANARY), "{error}");
        }
        let folder = tempfile::tempdir().unwrap();
        assert!(Keyring::open(&folder.path().join("none")).unwrap().is_none());
        assert!(Keyring::open(folder.path()).is_err());
    }
}
