//! Redaction of the operator's secrets in lines of a build's log.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::operator_settings::{AddressParts, CARRIED, PROXIES, arguments, set};

/// The shortest part of a path that may be a token rather than a folder's name.
const TOKEN: usize = 16;

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
    let Some(AddressParts {
        credentials, rest, ..
    }) = AddressParts::of(address)
    else {
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

    #[test]
    fn a_line_keeps_no_secret_in_any_spelling() {
        let operator = BTreeMap::from([(
            "PIP_INDEX_URL".to_owned(),
            "https://user:s3cr%2Ft@index.example/0123456789abcdefTOKEN/simple?key=querykey".to_owned(),
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
}
