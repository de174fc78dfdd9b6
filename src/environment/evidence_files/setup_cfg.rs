//! `setup.cfg`: what a project of setuptools asks for.

use super::super::evidence::{Evidence, EvidenceKind, FoundEvidence, IncludedFile};
use super::project_groups::extra_words;
use super::{python_span, requirements};

struct ConfigEntry {
    section: String,
    key: String,
    /// Each with the number of its line.
    values: Vec<ConfigValue>,
}

struct ConfigValue {
    line: usize,
    text: String,
}

/// Reads a `setup.cfg`.
pub fn read(file: &str, text: &str, found: &mut FoundEvidence) {
    for entry in entries(text) {
        let group = match (entry.section.as_str(), entry.key.as_str()) {
            ("options", "install_requires") => None,
            ("options", "python_requires") => {
                if let Some(ConfigValue { line, text }) = entry.values.first() {
                    let says = format!("The project is for Python {text}.");
                    python_span::read(
                        Evidence::new(EvidenceKind::LockFile, file, says).at(*line),
                        text,
                        found,
                    );
                }
                continue;
            }
            ("options.extras_require", extra) => Some(extra_words(extra)),
            _ => continue,
        };
        let first = found.pins.len();
        for ConfigValue { line, text } in &entry.values {
            value(file, *line, text, found);
        }
        for pin in &mut found.pins[first..] {
            pin.group.clone_from(&group);
        }
    }
}

fn value(file: &str, line: usize, text: &str, found: &mut FoundEvidence) {
    if let Some(files) = text.strip_prefix("file:") {
        let files = files.split(',').map(str::trim).filter(|path| !path.is_empty());
        found.includes.extend(files.map(|path| IncludedFile {
            file: file.to_owned(),
            line,
            path: path.to_owned(),
            is_constraint: false,
        }));
        return;
    }
    // A marker holds quotes; without them, what stands behind the sign is another requirement.
    match text.contains(['"', '\'']) {
        true => requirements::line(file, line, text, found),
        false => {
            for part in text.split(';') {
                requirements::line(file, line, part, found);
            }
        }
    }
}

fn entries(text: &str) -> Vec<ConfigEntry> {
    let mut entries: Vec<ConfigEntry> = Vec::new();
    let mut section = String::new();
    for (at, raw) in text.lines().enumerate() {
        let trimmed = raw.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        let value = |text: &str, entry: Option<&mut ConfigEntry>| {
            let text = text.split(" #").next().unwrap_or_default().trim();
            if let Some(entry) = entry.filter(|_| !text.is_empty()) {
                entry.values.push(ConfigValue {
                    line: at + 1,
                    text: text.to_owned(),
                });
            }
        };
        if raw.starts_with([' ', '\t']) {
            value(trimmed, entries.last_mut());
        } else if let Some(name) = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name.trim().to_owned();
        } else if let Some(end) = trimmed.find(['=', ':']) {
            entries.push(ConfigEntry {
                section: section.clone(),
                key: trimmed[..end].trim().to_ascii_lowercase(),
                values: Vec::new(),
            });
            value(&trimmed[end + 1..], entries.last_mut());
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::evidence_files::shown_pins;

    #[test]
    fn requirements_extras_and_bounds() {
        let text = "[metadata]\nname = mystudy\ninstall_requires =\n    no\n[options]\npython_requires = >=3.6, <3.9\ninstall_requires =\n    pandas>=1.0  # why\n\n    # lxml\n    numpy==1.18.1; python_version>\"3\"\n\
                    tests_require =\n    pytest\n[options.extras_require]\nplots = seaborn; plotly>=4\nfiles = file: more.txt, other.txt\n[flake8]\nexclude = x\n";
        let mut found = FoundEvidence::default();
        read("setup.cfg", text, &mut found);
        assert_eq!(
            shown_pins(&found),
            ["pandas||>=1.0", "numpy|1.18.1|", "seaborn||", "plotly||>=4"]
        );
        assert_eq!(found.pins[1].marker.as_deref(), Some("python_version>\"3\""));
        assert_eq!(
            (
                found.pins[1].line,
                found.pins[1].group.is_some(),
                found.pins[2].group.is_some()
            ),
            (11, false, true)
        );
        assert_eq!(found.includes.len(), 2);
        assert_eq!(
            found.evidence[0].interpreter.as_ref().unwrap().version,
            ">=3.6,<3.9"
        );
        for odd in [
            "",
            "install_requires = x",
            "[options\ninstall_requires = x",
            "    indented first\n[options]\n",
        ] {
            let mut none = FoundEvidence::default();
            read("setup.cfg", odd, &mut none);
            assert!(none.pins.is_empty() && none.faults.is_empty(), "{odd}");
        }
    }
}
