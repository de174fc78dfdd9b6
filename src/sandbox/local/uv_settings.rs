//! The operator's settings of pip in the words of uv, which reads none of pip's.

use std::collections::BTreeMap;
use std::path::Path;

use super::build_network::BuildSettings;
use crate::domain::excerpt;

/// Variables that are handed on as they are.
const SAME: [&str; 10] = [
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "https_proxy",
    "http_proxy",
    "all_proxy",
    "no_proxy",
];
/// Keys of pip's files that change nothing about what is installed.
const WITHOUT_EFFECT: [&str; 13] = [
    "disable-pip-version-check",
    "no-input",
    "no-cache-dir",
    "cache-dir",
    "progress-bar",
    "quiet",
    "verbose",
    "no-color",
    "root-user-action",
    "break-system-packages",
    "require-virtualenv",
    "no-warn-script-location",
    "no-compile",
];
/// Sections of pip's files that an installation reads, the stronger one last.
const SECTIONS: [&str; 2] = ["global", "install"];

/// A setting of pip's that uv has no words for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("pip's setting `{0}` has no translation")]
pub struct Untranslated(pub String);

/// The variables that tell uv the same.
///
/// # Errors
/// A key of a file of settings that could change the result and is not known here.
pub fn translate(settings: &BuildSettings) -> Result<BTreeMap<String, String>, Untranslated> {
    let mut pip = BTreeMap::new();
    for text in [&settings.machine_file, &settings.own_file].into_iter().flatten() {
        pip.extend(read(text)?);
    }
    let own = settings.variables.iter().filter_map(|(name, value)| {
        let key = name.strip_prefix("PIP_")?.to_lowercase().replace('_', "-");
        Some((key, value.clone()))
    });
    pip.extend(own.filter(|(_, value)| !value.trim().is_empty()));
    let mut uv: BTreeMap<String, String> = SAME
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), settings.variables.get(*name)?.clone())))
        .collect();
    // The certificates of the system, as for pip; by the name that it had before as well.
    for name in ["UV_SYSTEM_CERTS", "UV_NATIVE_TLS"] {
        uv.insert(name.to_owned(), "true".to_owned());
    }
    let bundle = pip
        .get("cert")
        .or_else(|| settings.variables.get("REQUESTS_CA_BUNDLE"));
    if let Some(bundle) = bundle.filter(|bundle| Path::new(bundle.as_str()).is_file()) {
        uv.insert("SSL_CERT_FILE".to_owned(), bundle.clone());
    }
    if let Some(proxy) = pip.get("proxy") {
        for name in ["HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"] {
            uv.insert(name.to_owned(), proxy.clone());
        }
    }
    let plain = [
        ("index-url", "UV_DEFAULT_INDEX"),
        ("default-timeout", "UV_HTTP_TIMEOUT"),
        ("timeout", "UV_HTTP_TIMEOUT"),
        ("retries", "UV_HTTP_RETRIES"),
    ];
    for (key, name) in plain {
        if let Some(value) = pip.get(key) {
            uv.insert(name.to_owned(), value.trim().to_owned());
        }
    }
    let words = |key: &str| {
        pip.get(key)
            .map(|value| value.split_whitespace().collect::<Vec<_>>())
    };
    if let Some(indexes) = words("extra-index-url") {
        uv.insert("UV_INDEX".to_owned(), indexes.join(" "));
    }
    if let Some(hosts) = words("trusted-host") {
        uv.insert("UV_INSECURE_HOST".to_owned(), hosts.join(" "));
    }
    if let Some(links) = words("find-links") {
        // A folder that is not there is passed over by pip and an error for uv.
        let links: Vec<&str> = links
            .into_iter()
            .filter(|link| link.contains("://") || Path::new(link).exists())
            .collect();
        if !links.is_empty() {
            uv.insert("UV_FIND_LINKS".to_owned(), links.join(","));
        }
    }
    if pip.get("no-index").is_some_and(|value| is_on(value)) {
        uv.insert("UV_NO_INDEX".to_owned(), "true".to_owned());
    }
    Ok(uv)
}

fn is_on(value: &str) -> bool {
    matches!(
        value.trim().to_ascii_lowercase().as_str(),
        "1" | "true" | "yes" | "on" | "t" | "y"
    )
}

/// The keys of one of pip's files.
fn read(text: &str) -> Result<BTreeMap<String, String>, Untranslated> {
    let mut sections: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let (mut section, mut last) = (String::new(), None::<String>);
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            (section, last) = (name.trim().to_owned(), None);
            continue;
        }
        let keys = sections.entry(section.clone()).or_default();
        if line.starts_with(char::is_whitespace)
            && let Some(value) = last.as_ref().and_then(|key| keys.get_mut(key))
        {
            value.push('\n');
            value.push_str(trimmed);
            continue;
        }
        let Some((key, value)) = trimmed.split_once(['=', ':']) else {
            return Err(Untranslated(excerpt::shortened(trimmed, 40)));
        };
        let key = key.trim().to_lowercase().replace('_', "-");
        keys.insert(key.clone(), value.trim().to_owned());
        last = Some(key);
    }
    let mut found = BTreeMap::new();
    for name in SECTIONS {
        for (key, value) in sections.remove(name).unwrap_or_default() {
            if known(&key) {
                found.insert(key, value);
            } else if !WITHOUT_EFFECT.contains(&key.as_str()) {
                return Err(Untranslated(key));
            }
        }
    }
    Ok(found)
}

fn known(key: &str) -> bool {
    [
        "index-url",
        "extra-index-url",
        "find-links",
        "no-index",
        "trusted-host",
        "cert",
        "proxy",
        "timeout",
        "default-timeout",
        "retries",
    ]
    .contains(&key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(variables: &[(&str, &str)], own: Option<&str>, machine: Option<&str>) -> BuildSettings {
        BuildSettings {
            variables: variables
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            own_file: own.map(str::to_owned),
            machine_file: machine.map(str::to_owned),
        }
    }

    #[test]
    fn a_variable_is_stronger_than_the_own_file_and_that_than_the_machines() {
        let machine =
            "[global]\nindex-url = https://machine/simple\ntimeout = 7\nfind_links =\n  /\n  https://x/y\n";
        let own =
            "[install]\nextra-index-url = https://a/s https://b/s\n[global]\nindex-url: https://own/simple\n";
        let all = translate(&settings(
            &[
                ("PIP_INDEX_URL", "https://variable/simple"),
                ("PIP_NO_INDEX", "0"),
            ],
            Some(own),
            Some(machine),
        ))
        .unwrap();
        assert_eq!(all["UV_DEFAULT_INDEX"], "https://variable/simple");
        assert_eq!(all["UV_INDEX"], "https://a/s https://b/s");
        assert_eq!(all["UV_HTTP_TIMEOUT"], "7");
        assert_eq!(all["UV_FIND_LINKS"], "/,https://x/y");
        assert!(!all.contains_key("UV_NO_INDEX") && all.keys().all(|name| !name.starts_with("PIP_")));
        let files = translate(&settings(&[("PIP_NO_INDEX", "true")], Some(own), Some(machine))).unwrap();
        assert_eq!(files["UV_DEFAULT_INDEX"], "https://own/simple");
        assert_eq!(files["UV_NO_INDEX"], "true");
    }

    #[test]
    fn the_section_of_installations_is_stronger_and_others_are_not_read() {
        let text = "[install]\nretries = 3\n[global]\nretries = 9\nquiet = 1\n[freeze]\nrequirement = x\n";
        let all = translate(&settings(&[], Some(text), None)).unwrap();
        assert_eq!(all["UV_HTTP_RETRIES"], "3");
    }

    #[test]
    fn certificates_and_proxies_go_by_the_names_that_uv_knows() {
        let bundle = std::env::current_exe().unwrap().display().to_string();
        let all = translate(&settings(
            &[
                ("PIP_CERT", &bundle),
                ("SSL_CERT_FILE", "/other.pem"),
                ("PIP_PROXY", "http://127.0.0.1:9"),
                ("HTTPS_PROXY", "http://other:1"),
                ("PIP_TRUSTED_HOST", "a b:8443"),
            ],
            None,
            None,
        ))
        .unwrap();
        assert_eq!(all["SSL_CERT_FILE"], bundle);
        assert_eq!(all["HTTPS_PROXY"], "http://127.0.0.1:9");
        assert_eq!(all["UV_INSECURE_HOST"], "a b:8443");
        assert_eq!(all["UV_SYSTEM_CERTS"], "true");
    }

    #[test]
    fn what_could_change_the_result_and_is_not_known_is_named() {
        for (text, key) in [
            ("[global]\nconstraint = /c.txt\n", "constraint"),
            ("[install]\npre = true\n", "pre"),
            ("[global]\nnonsense\n", "nonsense"),
        ] {
            let found = translate(&settings(&[], None, Some(text)));
            assert_eq!(found, Err(Untranslated(key.to_owned())));
        }
    }
}
