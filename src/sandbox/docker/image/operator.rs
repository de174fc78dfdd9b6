//! The operator's settings for builds, of indexes, mirrors, certificates and proxies, and how it is
//! kept out of images and logs.
//!
//! Proxies travel as the predefined build arguments that they are. Everything
//! else travels inside two more of those, `ftp_proxy` and `FTP_PROXY`, which
//! nothing uses: the builder keeps predefined arguments out of the image's
//! history, its configuration and its cache key (Docker, Dockerfile reference,
//! "Predefined ARGs").

use std::collections::{BTreeMap, HashMap};
use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::domain::digest::Digest;
use crate::domain::execution::BuildFailure;
use crate::sandbox::failure::infrastructure;

/// Settings that are unpacked inside a build.
const CARRIED: &[&str] = &[
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_TRUSTED_HOST",
    "REPRISE_CRAN",
    "REPRISE_CRAN_SNAPSHOT",
    "REPRISE_DEBIAN_MIRROR",
];
/// Settings that are passed as they are.
const PROXIES: &[&str] = &[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];
/// The file of a private certificate authority.
const AUTHORITIES: &str = "REPRISE_CA_BUNDLE";
/// Characters of all that is carried: arguments are part of the request's address,
/// of which the client takes 64 KiB.
const LONGEST: usize = 48 * 1024;
/// The shortest part of a path that may be a token rather than a folder's name.
const TOKEN: usize = 16;

/// A layer whose packages come from somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fetching {
    Debian,
    R,
    Python,
}

impl Fetching {
    fn settings(self) -> &'static [&'static str] {
        match self {
            Self::Debian => &["REPRISE_DEBIAN_MIRROR"],
            Self::R => &["REPRISE_DEBIAN_MIRROR", "REPRISE_CRAN", "REPRISE_CRAN_SNAPSHOT"],
            Self::Python => &["PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"],
        }
    }
}

fn set<'a>(operator: &'a BTreeMap<String, String>, name: &str) -> Option<&'a str> {
    operator
        .get(name)
        .map(|value| value.trim())
        .filter(|value| !value.is_empty())
}

/// The build arguments of every build.
///
/// # Errors
/// A setting that cannot be carried, with what to do about it.
pub fn arguments(operator: &BTreeMap<String, String>) -> Result<HashMap<String, String>, BuildFailure> {
    let refuse = |summary: String| infrastructure(summary, String::new());
    let mut arguments = HashMap::new();
    for name in PROXIES {
        if let Some(value) = set(operator, name) {
            arguments.insert((*name).to_owned(), value.to_owned());
        }
    }
    let mut carried = String::new();
    for name in CARRIED {
        let Some(value) = set(operator, name) else {
            continue;
        };
        if value.contains(char::is_control) {
            return Err(refuse(format!(
                "The setting {name} has a line break in it: write one line."
            )));
        }
        carried.push_str(&format!("{name}={value}\n"));
    }
    let carried = STANDARD.encode(carried);
    let mut authorities = String::new();
    if let Some(file) = set(operator, AUTHORITIES) {
        let unreadable = |error: std::io::Error| {
            refuse(format!(
                "The certificates in {AUTHORITIES}={file} cannot be read: {error}."
            ))
        };
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed
            .write_all(&std::fs::read(file).map_err(unreadable)?)
            .map_err(unreadable)?;
        authorities = STANDARD.encode(packed.finish().map_err(unreadable)?);
    }
    if authorities.len() + carried.len() > LONGEST {
        return Err(refuse(format!(
            "The certificates in {AUTHORITIES} are too many to be handed to a build: name a file that holds only \
             your own authorities, since those of the base image are used besides."
        )));
    }
    // Set in any case, so that a proxy of the daemon's own settings is not read as these.
    arguments.insert("ftp_proxy".to_owned(), carried);
    arguments.insert("FTP_PROXY".to_owned(), authorities);
    Ok(arguments)
}

/// A digest of where a layer's packages come from, without credentials: another
/// source is another result.
pub fn sources(operator: &BTreeMap<String, String>, fetching: Fetching) -> Digest {
    let places: Vec<(&str, String)> = fetching
        .settings()
        .iter()
        .filter_map(|name| Some((*name, public(set(operator, name)?))))
        .collect();
    Digest::compute_json(&places)
}

/// Addresses without user, password and query.
fn public(value: &str) -> String {
    let addresses: Vec<String> = value
        .split_whitespace()
        .map(|address| {
            let address = address.split(['?', '#']).next().unwrap_or_default();
            match parts(address) {
                Some((scheme, _, rest)) => format!("{scheme}://{rest}"),
                None => address.to_owned(),
            }
        })
        .collect();
    addresses.join(" ")
}

/// Scheme, credentials, and what follows them.
fn parts(address: &str) -> Option<(&str, Option<&str>, &str)> {
    let (scheme, rest) = address.split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(at) => Some((scheme, Some(&rest[..at]), &rest[at + 1..])),
        None => Some((scheme, None, rest)),
    }
}

/// Takes secrets out of lines.
#[derive(Debug, Clone)]
pub struct Redactor {
    /// The longest first, so that no part of one is left.
    secrets: Vec<String>,
}

impl Redactor {
    /// A redactor of what the operator's settings hold.
    pub fn new(operator: &BTreeMap<String, String>) -> Self {
        let mut secrets = Vec::new();
        for name in CARRIED.iter().chain(PROXIES) {
            for address in set(operator, name).into_iter().flat_map(str::split_whitespace) {
                secrets.extend(hidden(address));
            }
        }
        for secret in secrets.clone() {
            secrets.push(STANDARD.encode(&secret));
        }
        if let Ok(arguments) = arguments(operator) {
            secrets.extend(
                ["ftp_proxy", "FTP_PROXY"]
                    .iter()
                    .filter_map(|name| arguments.get(*name).cloned()),
            );
        }
        secrets.retain(|secret| secret.len() >= 3);
        secrets.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        secrets.dedup();
        Self { secrets }
    }

    /// The line without secrets, and without the credentials of any address.
    pub fn line(&self, line: &str) -> String {
        let mut line = line.to_owned();
        for secret in &self.secrets {
            if line.contains(secret.as_str()) {
                line = line.replace(secret.as_str(), "***");
            }
        }
        without_credentials(&line)
    }
}

/// The parts of an address that may be secret, as written and decoded.
fn hidden(address: &str) -> Vec<String> {
    let mut found = Vec::new();
    let Some((_, credentials, rest)) = parts(address) else {
        return found;
    };
    if let Some(credentials) = credentials {
        found.push(credentials.to_owned());
        found.extend(credentials.splitn(2, ':').map(str::to_owned));
    }
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    found.extend(
        query
            .split('&')
            .map(|pair| pair.split_once('=').map_or(pair, |(_, value)| value).to_owned()),
    );
    found.extend(
        path.split('/')
            .skip(1)
            .filter(|part| part.len() >= TOKEN)
            .map(str::to_owned),
    );
    let decoded: Vec<String> = found.iter().map(|text| decoded(text)).collect();
    found.extend(decoded);
    found
}

/// Text with its percent escapes resolved.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let mut byte = [0];
        match after.get(..2) {
            Some(digits) if *first == b'%' && hex::decode_to_slice(digits, &mut byte).is_ok() => {
                bytes.push(byte[0]);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn without_credentials(line: &str) -> String {
    let mut clean = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        clean.push_str(before);
        let end = after
            .find(|letter: char| letter.is_whitespace() || "/?#'\"<>,;()".contains(letter))
            .unwrap_or(after.len());
        match after[..end].rfind('@') {
            Some(host) => {
                clean.push_str("***");
                rest = &after[host..];
            }
            None => rest = after,
        }
    }
    clean.push_str(rest);
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operator(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn secrets_travel_encoded_and_nothing_else_is_passed() {
        let operator = operator(&[
            ("PIP_INDEX_URL", "https://token@index.example/simple"),
            ("http_proxy", "http://proxy.example:3128"),
            ("AWS_SECRET_ACCESS_KEY", "no business of a build"),
        ]);
        let arguments = arguments(&operator).unwrap();
        let mut names: Vec<&str> = arguments.keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["FTP_PROXY", "ftp_proxy", "http_proxy"]);
        let carried = String::from_utf8(STANDARD.decode(&arguments["ftp_proxy"]).unwrap()).unwrap();
        assert_eq!(carried, "PIP_INDEX_URL=https://token@index.example/simple\n");
    }

    #[test]
    fn another_source_is_another_result_and_another_password_is_not() {
        let of = |url: &str| sources(&operator(&[("PIP_INDEX_URL", url)]), Fetching::Python);
        assert_eq!(
            of("https://a:b@index.example/simple"),
            of("https://c@index.example/simple")
        );
        assert_ne!(
            of("https://index.example/simple"),
            of("https://other.example/simple")
        );
        let none = sources(&BTreeMap::new(), Fetching::R);
        assert_eq!(
            none,
            sources(&operator(&[("PIP_INDEX_URL", "https://x.example")]), Fetching::R)
        );
    }

    #[test]
    fn a_line_keeps_no_secret_in_any_spelling() {
        let operator = operator(&[(
            "PIP_INDEX_URL",
            "https://user:s3cr%2Ft@index.example/0123456789abcdefTOKEN/simple?key=querykey",
        )]);
        let redactor = Redactor::new(&operator);
        for said in [
            "Looking in indexes: https://user:s3cr%2Ft@index.example/0123456789abcdefTOKEN/simple",
            "password s3cr/t was refused",
            "GET /0123456789abcdefTOKEN/packages/x.whl",
            "key querykey",
            "elsewhere: http://somebody:else@host.example/x",
        ] {
            let line = redactor.line(said);
            for secret in ["s3cr", "TOKEN", "querykey", "somebody"] {
                assert!(!line.contains(secret), "{line}");
            }
        }
        assert_eq!(
            redactor.line("see https://index.example/a@b"),
            "see https://index.example/a@b"
        );
    }

    #[test]
    fn a_setting_that_cannot_be_carried_is_refused() {
        let failure = arguments(&operator(&[("REPRISE_CA_BUNDLE", "/no/such/file.pem")])).unwrap_err();
        assert!(failure.summary.contains("/no/such/file.pem"), "{failure}");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("many.pem");
        let noise: Vec<u8> = (0..4000_u32)
            .flat_map(|number| {
                *Digest::compute(number.to_le_bytes())
                    .hex()
                    .as_bytes()
                    .first_chunk::<32>()
                    .unwrap()
            })
            .collect();
        std::fs::write(&file, noise).unwrap();
        let failure =
            arguments(&operator(&[("REPRISE_CA_BUNDLE", &file.display().to_string())])).unwrap_err();
        assert!(failure.summary.contains("too many"), "{failure}");
        let failure = arguments(&operator(&[("REPRISE_CRAN", "https://x\nPIP_INDEX_URL=y")])).unwrap_err();
        assert!(failure.summary.contains("REPRISE_CRAN"), "{failure}");
    }
}
