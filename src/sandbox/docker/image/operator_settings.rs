//! The operator's settings for builds: indexes, mirrors, certificates and proxies, handed over as
//! build arguments that stay out of images.
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
pub(super) const CARRIED: &[&str] = &[
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_TRUSTED_HOST",
    "REPRISE_CRAN",
    "REPRISE_CRAN_SNAPSHOT",
    "REPRISE_DEBIAN_MIRROR",
];
/// Settings that are passed as they are.
pub(super) const PROXIES: &[&str] = &[
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

/// The value of a setting that is not blank.
pub(super) fn set<'a>(operator: &'a BTreeMap<String, String>, name: &str) -> Option<&'a str> {
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
            match AddressParts::of(address) {
                Some(AddressParts { scheme, rest, .. }) => format!("{scheme}://{rest}"),
                None => address.to_owned(),
            }
        })
        .collect();
    addresses.join(" ")
}

/// An address taken apart around its credentials.
pub(super) struct AddressParts<'a> {
    pub scheme: &'a str,
    /// User and password, as they are spelled in it.
    pub credentials: Option<&'a str>,
    /// The host and all that follows it.
    pub rest: &'a str,
}

impl<'a> AddressParts<'a> {
    /// The parts; `None` of a text without a scheme.
    pub fn of(address: &'a str) -> Option<Self> {
        let (scheme, rest) = address.split_once("://")?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (credentials, rest) = match rest[..end].rfind('@') {
            Some(at) => (Some(&rest[..at]), &rest[at + 1..]),
            None => (None, rest),
        };
        Some(Self {
            scheme,
            credentials,
            rest,
        })
    }
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
