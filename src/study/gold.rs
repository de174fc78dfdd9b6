//! The references of a study, which no agent ever sees.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::error::StudyError;
use super::layout::Layout;
use super::manifest::{Label, Original, Resource};
use super::open::{Study, read_capped};

/// Bytes of a reference that are read.
const CAP: u64 = 16 << 20;

/// References: for scoring and reports alone.
#[derive(Debug)]
pub struct Gold {
    /// In the order of their numbers.
    pub post_registrations: Vec<PostRegistration>,
    /// Reference files that could not be read, each with a sentence.
    pub unreadable: Vec<(String, String)>,
    pub preregistration: Option<PathBuf>,
    pub report: Option<PathBuf>,
    pub outcome: Option<Label>,
    pub original: Option<Original>,
    pub resources: Vec<Resource>,
}

/// One annotator's version of `expected_post_registration`.
#[derive(Debug, Clone, PartialEq)]
pub struct PostRegistration {
    pub file: String,
    /// 1 for the file without a number.
    pub variant: u32,
    pub value: Value,
    /// What had to be mended to read it, in words.
    pub repairs: Vec<String>,
}

impl Gold {
    /// Opens the references of a study; missing ones are absent, not errors.
    pub fn open(study: &Study) -> Result<Self, StudyError> {
        let folder = study.layout.references(&study.root);
        let mut gold = Self {
            post_registrations: Vec::new(),
            unreadable: Vec::new(),
            preregistration: None,
            report: None,
            outcome: study.reference.outcome.clone(),
            original: study.reference.original.clone(),
            resources: study.reference.resources.clone(),
        };
        if !folder.is_dir() {
            return Ok(gold);
        }
        let failed = || StudyError::io("read the folder", &folder);
        let mut names: Vec<String> = fs::read_dir(&folder)
            .map_err(failed())?
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        names.sort();
        for name in names {
            let path = folder.join(&name);
            if name.starts_with("human_preregistration.") {
                gold.preregistration.get_or_insert(path);
            } else if name.starts_with("human_report.") {
                gold.report.get_or_insert(path);
            } else if let Some(variant) = variant_of(&name) {
                let bytes = read_capped(&path, CAP)?;
                match parse(&String::from_utf8_lossy(&bytes)) {
                    Ok((value, repairs)) => gold.post_registrations.push(PostRegistration {
                        file: name,
                        variant,
                        value,
                        repairs,
                    }),
                    Err(problem) => gold.unreadable.push((name, problem)),
                }
            }
        }
        gold.post_registrations.sort_by_key(|one| one.variant);
        Ok(gold)
    }
}

impl Study {
    /// Every reference file, to tell copies of them among the data.
    pub(super) fn reference_files(&self) -> Result<Vec<PathBuf>, StudyError> {
        let folder = self.layout.references(&self.root);
        if !folder.is_dir() {
            return Ok(Vec::new());
        }
        let entries = fs::read_dir(&folder).map_err(StudyError::io("read the folder", &folder))?;
        Ok(entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                path.is_file() && (self.layout == Layout::Split || super::layout::is_reference_name(&name))
            })
            .collect())
    }
}

/// The number of `expected_post_registration(_N).json`.
fn variant_of(name: &str) -> Option<u32> {
    let rest = name
        .strip_prefix("expected_post_registration")?
        .strip_suffix(".json")?;
    if rest.is_empty() {
        return Some(1);
    }
    rest.strip_prefix('_')?.parse().ok()
}

/// Strict JSON, else JSON with commas mended; the error is a sentence.
fn parse(text: &str) -> Result<(Value, Vec<String>), String> {
    let text = text.trim_start_matches('\u{feff}');
    let error = match serde_json::from_str(text) {
        Ok(value) => return Ok((value, Vec::new())),
        Err(error) => error,
    };
    let (mended, repairs) = mend_commas(text);
    serde_json::from_str(&mended)
        .map(|value| (value, repairs))
        .map_err(|_| format!("It is not JSON, even with its commas mended: {error}."))
}

/// Drops commas before a closing bracket and adds those between two values.
fn mend_commas(text: &str) -> (String, Vec<String>) {
    let mut mended = String::with_capacity(text.len());
    let mut repairs = Vec::new();
    let (mut line, mut in_string, mut escaped) = (1, false, false);
    // The position of a comma after which nothing but space has come, and whether a value has just ended.
    let (mut comma, mut ended): (Option<usize>, bool) = (None, false);
    for character in text.chars() {
        if character == '\n' {
            line += 1;
        }
        if in_string {
            mended.push(character);
            (in_string, escaped) = match character {
                _ if escaped => (true, false),
                '\\' => (true, true),
                '"' => (false, false),
                _ => (true, false),
            };
            ended = !in_string;
            continue;
        }
        if character.is_whitespace() {
            mended.push(character);
            continue;
        }
        match character {
            '}' | ']' => {
                if let Some(position) = comma.take() {
                    mended.remove(position);
                    repairs.push(format!("dropped a comma before `{character}` on line {line}"));
                }
                ended = true;
            }
            '{' | '[' | '"' => {
                if ended {
                    mended.push(',');
                    repairs.push(format!("added a comma before `{character}` on line {line}"));
                }
                (in_string, ended) = (character == '"', false);
            }
            _ => ended = false,
        }
        comma = (character == ',').then_some(mended.len());
        mended.push(character);
    }
    (mended, repairs)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn commas_are_mended_and_strings_left_alone() {
        let (value, repairs) = parse("{\"a\": [1, 2,\n], \"b\": \",]\" \"c\": {}, }").unwrap();
        assert_eq!(value, json!({"a": [1, 2], "b": ",]", "c": {}}));
        assert_eq!(repairs.len(), 3);
        assert!(repairs[0].contains("line 2"), "{repairs:?}");
        assert_eq!(parse("[{} {}]").unwrap().0, json!([{}, {}]));
        assert_eq!(parse("\u{feff}{}").unwrap(), (json!({}), vec![]));
        assert!(parse("{\"a\": ").unwrap_err().contains("not JSON"));
        assert_eq!(variant_of("expected_post_registration.json"), Some(1));
        assert_eq!(variant_of("expected_post_registration_3.json"), Some(3));
        assert_eq!(variant_of("expected_post_registration_x.json"), None);
    }

    proptest! {
        #[test]
        fn good_json_needs_no_mending(words in proptest::collection::vec("[ -~]{0,9}", 0..6)) {
            let text = json!({"words": words, "n": [1, {"x": null}]}).to_string();
            prop_assert_eq!(mend_commas(&text), (text.clone(), vec![]));
        }
    }
}
