//! Requirements of Python, as pip is given them on a command line or in a file.

use super::published::NotFollowedReason;
use super::reading::Reading;
use super::text::decoded;
use crate::domain::lazy_regex::LazyRegex;

static NAME: LazyRegex =
    LazyRegex::new(r"^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(\[[^\]]*\])?\s*(.*)$");

/// Requirements that are looked at.
const MOST: usize = 10_000;

/// Takes one requirement.
pub fn requirement(line: usize, text: &str, reading: &mut Reading) {
    let text = text.trim();
    reading.requirements += 1;
    if reading.requirements > MOST {
        return reading.refuse(line, text, NotFollowedReason::TooMuch);
    }
    let mut refuse = |why| reading.refuse(line, text, why);
    if text.contains("://") || text.starts_with("git+") || text.contains('@') {
        return refuse(NotFollowedReason::Address);
    }
    let is_archive = [".whl", ".tar.gz", ".zip"].iter().any(|end| text.ends_with(end));
    if text.starts_with(['.', '/', '~']) || is_archive {
        return refuse(NotFollowedReason::LocalPath);
    }
    if text.contains(';') {
        return refuse(NotFollowedReason::Marker);
    }
    let Some(found) = NAME.captures(text) else {
        return refuse(NotFollowedReason::NoPackage);
    };
    let (name, version) = (&found[1], found[3].trim());
    if !(version.is_empty() || version.starts_with(['=', '<', '>', '!', '~', '('])) {
        return refuse(NotFollowedReason::NoPackage);
    }
    // Installers of packages come with the environment.
    let is_installer = matches!(name.to_ascii_lowercase().as_str(), "setuptools" | "wheel");
    if name.eq_ignore_ascii_case("pip") || (is_installer && version.is_empty()) {
        return;
    }
    reading.python(line, name, text);
}

/// Takes the requirements of a file that is named on a line of the Dockerfile.
pub fn file(line: usize, content: &[u8], reading: &mut Reading) {
    let Some(text) = decoded(content) else {
        return reading.refuse(line, "the file of requirements", NotFollowedReason::NoFile);
    };
    let mut whole = String::new();
    for part in text.lines() {
        if reading.requirements > MOST {
            return;
        }
        if let Some(goes_on) = part.strip_suffix('\\') {
            whole.push_str(goes_on);
            continue;
        }
        whole.push_str(part);
        entry(line, &std::mem::take(&mut whole), reading);
    }
    entry(line, &whole, reading);
}

fn entry(line: usize, text: &str, reading: &mut Reading) {
    let text = text.split(" #").next().unwrap_or_default().trim();
    if text.is_empty() || text.starts_with('#') {
        return;
    }
    if text.starts_with('-') {
        let is_further = ["-r", "-c", "--requirement", "--constraint"]
            .iter()
            .any(|flag| text.starts_with(flag));
        let why = match text {
            _ if is_further => NotFollowedReason::FurtherFile,
            _ if text.starts_with("-e") || text.starts_with("--editable") => NotFollowedReason::Address,
            _ => NotFollowedReason::OtherIndex,
        };
        return reading.refuse(line, text, why);
    }
    // Digests of its files, and other options of one requirement.
    let text = text.split(" --").next().unwrap_or_default();
    requirement(line, text, reading);
}
