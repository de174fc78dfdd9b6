//! Requirements of Python, one a line, with their markers.

use super::super::evidence::{EvidenceKind, FoundEvidence, Pin, PinSource};
use super::super::language::Language;
use crate::domain::lazy_regex::LazyRegex;

static NAME: LazyRegex = LazyRegex::new(r"(?i)^(?:.*[-_.])?requirements?(?:[-_.].*)?\.(?:txt|in)$");
static REQUIREMENT: LazyRegex = LazyRegex::new(
    r"^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*\(?([^;)]*)\)?\s*(;.*)?$",
);
static HASH: LazyRegex = LazyRegex::new(r"\s--hash[= ]\s*sha256:(\S*)");
static EXACT: LazyRegex = LazyRegex::new(r"^={2,3}\s*([^,*\s]+)$");

/// Whether a file's name is that of a file of requirements.
pub fn is_name(name: &str) -> bool {
    NAME.is_match(name)
}

/// Reads a file of requirements; `-r`, `-c` and options of pip are named as not followed.
pub fn read(file: &str, text: &str, found: &mut FoundEvidence) {
    let mut whole = String::new();
    for (at, part) in text.lines().enumerate() {
        if let Some(goes_on) = part.strip_suffix('\\') {
            whole.push_str(goes_on);
            continue;
        }
        whole.push_str(part);
        let entry = std::mem::take(&mut whole);
        line(file, at + 1, &entry, found);
    }
}

/// Reads one line.
pub fn line(file: &str, number: usize, text: &str, found: &mut FoundEvidence) {
    let text = text.replace('\t', " ");
    let text = text.split(" #").next().unwrap_or_default().trim();
    let sha256 = HASH.captures_iter(text).map(|hash| hash[1].to_ascii_lowercase());
    let sha256 = sha256.collect();
    let text = text.split(" --hash").next().unwrap_or_default().trim();
    if text.is_empty() || text.starts_with('#') {
        return;
    }
    let mut pin = Pin::new(Language::Python, "", EvidenceKind::LockFile, file, number);
    let editable = ["-e ", "--editable "]
        .iter()
        .find_map(|flag| text.strip_prefix(flag));
    let address = editable.unwrap_or(text).trim();
    // The project itself, whose own files say what it needs.
    if matches!(address.split('[').next(), Some("." | "./")) {
        return;
    }
    let is_address =
        address.contains("://") || address.starts_with("git+") || address.starts_with(['.', '/']);
    if is_address && !address.starts_with('-') {
        let (address, marker) = address.split_once(" ;").unwrap_or((address, ""));
        pin.name = name_of_address(address.trim());
        pin.marker = Some(marker.trim().to_owned()).filter(|marker| !marker.is_empty());
        pin.source = PinSource::Elsewhere(address.trim().chars().take(200).collect());
        return found.pins.push(pin);
    }
    if text.starts_with('-') {
        return found.fault(file, format!("line {number}, `{}`, is not followed", shown(text)));
    }
    let Some(read) = REQUIREMENT.captures(text) else {
        return found.fault(
            file,
            format!("line {number}, `{}`, is no requirement", shown(text)),
        );
    };
    pin.name = read[1].to_owned();
    let marker = read
        .get(3)
        .map(|marker| marker.as_str().trim_start_matches(';').trim());
    pin.marker = marker.filter(|marker| !marker.is_empty()).map(str::to_owned);
    let bounds = read[2].trim();
    match EXACT.captures(bounds) {
        Some(exact) => {
            pin.version = Some(exact[1].to_owned());
            pin.sha256 = sha256;
        }
        None if bounds.is_empty() => {}
        None if bounds.starts_with(['<', '>', '=', '!', '~']) => pin.bounds = Some(bounds.replace(' ', "")),
        None => {
            return found.fault(
                file,
                format!("line {number}, `{}`, is no requirement", shown(text)),
            );
        }
    }
    found.pins.push(pin);
}

fn shown(text: &str) -> String {
    text.chars()
        .filter(|letter| !letter.is_control())
        .take(80)
        .collect()
}

/// `git+https://host/owner/name.git@ref#egg=name`, or `name @ address`.
fn name_of_address(address: &str) -> String {
    if let Some((_, egg)) = address.split_once("#egg=") {
        return egg.split('&').next().unwrap_or_default().to_owned();
    }
    if let Some((name, _)) = address.split_once(" @ ") {
        return name.trim().to_owned();
    }
    let bare = address.split(['#', '?']).next().unwrap_or_default();
    let last = bare.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let name = last.split('@').next().unwrap_or_default();
    name.trim_end_matches(".git").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::evidence_files::shown_pins;

    #[test]
    fn pins_bounds_and_addresses() {
        let text = "# comment\npandas==0.25.3\nnumpy>=1.16, <1.18 # why\nscipy\nscikit-learn[extra]==0.22.1; python_version < '3.9'\n\
                    git+https://example.org/o/own.git@v1#egg=own\nother @ https://example.org/x.whl\n-r more.txt\n--index-url http://other.example\nnot a requirement\n\
                    attrs==19.3.0 \\\n    --hash=sha256:aa\nmatplotlib==3.1.*\npytz (>=2011k)\n";
        let mut found = FoundEvidence::default();
        read("requirements.txt", text, &mut found);
        let shown = shown_pins(&found);
        assert_eq!(
            shown,
            [
                "pandas|0.25.3|",
                "numpy||>=1.16,<1.18",
                "scipy||",
                "scikit-learn|0.22.1|",
                "own||",
                "other||",
                "attrs|19.3.0|",
                "matplotlib||==3.1.*",
                "pytz||>=2011k"
            ]
        );
        assert_eq!(found.faults.len(), 3);
        assert!(
            found.faults[0].problem.contains("line 8, `-r more.txt`"),
            "{:?}",
            found.faults
        );
    }
}
