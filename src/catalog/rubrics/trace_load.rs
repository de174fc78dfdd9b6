//! Reading the rubric of reviews: the embedded one, or a folder in its place.

use std::collections::BTreeSet;
use std::path::Path;

use crate::catalog::stages::fault::CatalogError;
use crate::domain::text_place::line_of;

use super::load::find;
use super::trace_rubric::{ClosedField, FieldInvariant, TRACE_VARIABLES, TraceRubric, TraceRubricFile};

/// Its files, in the folder `trace` of the embedded rubrics.
const RUBRIC: &str = "rubric.toml";
const PROMPT: &str = "prompt.md";
const SYSTEM: &str = "system.md";
/// Most fields, and most values of one.
const MOST_FIELDS: usize = 24;
const MOST_VALUES: usize = 40;
/// The name that the answer's prose has.
pub const EXPLANATION: &str = "explanation";

impl TraceRubric {
    /// The rubric that is part of the program, or that of a folder in its place.
    ///
    /// # Errors
    /// A folder that lacks one of the three files, or a rubric that names no fields, a value twice, or
    /// a field or a value that there is not.
    pub fn load(instead: Option<&Path>) -> Result<Self, CatalogError> {
        if let Some(folder) = instead {
            is_whole(folder)?;
        }
        let open = |name: &str| match instead {
            Some(folder) => find(Some(folder), name),
            None => find(None, &format!("trace/{name}")),
        };
        let toml = open(RUBRIC)?;
        let wrong = |line: usize, problem: String| CatalogError::Toml {
            file: toml.file.clone(),
            line,
            problem,
        };
        let file: TraceRubricFile = toml::from_str(&toml.source).map_err(|error| {
            let line = line_of(&toml.source, error.span().map_or(0, |span| span.start));
            wrong(line, error.message().to_owned())
        })?;
        if let Some(problem) = fault(&file) {
            return Err(wrong(1, problem));
        }
        let rubric = Self {
            version: file.version,
            explanation: file.explanation,
            fields: file.fields,
            invariants: file.invariants,
            system: open(SYSTEM)?,
            prompt: open(PROMPT)?,
        };
        for template in [&rubric.system, &rubric.prompt] {
            template.check_for(&TRACE_VARIABLES)?;
        }
        Ok(rubric)
    }
}

fn is_whole(folder: &Path) -> Result<(), CatalogError> {
    if !folder.is_dir() {
        return Err(CatalogError::NotAFolder {
            folder: folder.to_owned(),
            option: "--rubric",
            such_as: "rubrics/trace",
        });
    }
    let files = [RUBRIC, PROMPT, SYSTEM];
    let missing: Vec<&str> = files
        .into_iter()
        .filter(|name| !folder.join(name).is_file())
        .collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(CatalogError::IncompleteTrace {
            folder: folder.to_owned(),
            missing: missing.join(", "),
        }),
    }
}

/// The first thing for which a rubric cannot be used.
fn fault(file: &TraceRubricFile) -> Option<String> {
    if file.fields.is_empty() || file.fields.len() > MOST_FIELDS {
        return Some(format!(
            "it has {} fields: give 1 to {MOST_FIELDS}",
            file.fields.len()
        ));
    }
    let mut names = BTreeSet::from([EXPLANATION]);
    for field in &file.fields {
        if !is_name(&field.name) {
            return Some(format!("`{}` cannot name a field: use a to z and _", field.name));
        }
        if !names.insert(&field.name) {
            return Some(format!(
                "the field `{}` stands twice, or is the prose's own",
                field.name
            ));
        }
        if let Some(problem) = values_fault(field) {
            return Some(problem);
        }
    }
    file.invariants.iter().find_map(|one| invariant_fault(file, one))
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_' || byte.is_ascii_digit())
}

fn values_fault(field: &ClosedField) -> Option<String> {
    let count = field.values.len();
    if !(2..=MOST_VALUES).contains(&count) {
        return Some(format!(
            "the field `{}` has {count} values: give 2 to {MOST_VALUES}",
            field.name
        ));
    }
    let mut seen = BTreeSet::new();
    let mut names = field.names();
    names
        .find(|name| !is_name(name) || !seen.insert(*name))
        .map(|name| {
            format!(
                "the value `{name}` of `{}` stands twice or is no name",
                field.name
            )
        })
}

fn invariant_fault(file: &TraceRubricFile, one: &FieldInvariant) -> Option<String> {
    if one.when.is_empty() || (one.then.is_empty() && one.never.is_empty()) {
        return Some("an invariant needs `when`, and `then` or `never`".to_owned());
    }
    let pairs = one.when.iter().chain(&one.then).chain(&one.never);
    let unknown = |name: &str, value: &str| {
        let field = file.fields.iter().find(|field| field.name == name);
        !field.is_some_and(|field| field.names().any(|known| known == value))
    };
    let mut pairs = pairs.filter(|(name, value)| unknown(name, value));
    pairs
        .next()
        .map(|(name, value)| format!("an invariant names `{name} = {value}`, which no field has"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::catalog::rubrics::trace_rubric::{AskedField, TraceMaterial};

    #[test]
    fn the_built_in_rubric_has_the_published_fields_and_values() {
        let rubric = TraceRubric::load(None).unwrap();
        let fields: Vec<(&str, usize)> = (rubric.fields.iter())
            .map(|field| (field.name.as_str(), field.values.len()))
            .collect();
        assert_eq!(
            fields,
            [
                ("label", 2),
                ("answer_source", 8),
                ("primary_obstacle", 10),
                ("obstacle_resolution", 7),
                ("answer_verification", 4),
                ("strategy_pattern", 6)
            ]
        );
        let guesses: Vec<_> = rubric.fields.iter().filter(|field| field.guess).collect();
        assert_eq!((guesses.len(), guesses[0].name.as_str()), (1, "label"));
        assert_eq!(rubric.invariants.len(), 4);
    }

    #[test]
    fn material_stands_in_fences_alone() {
        let rubric = TraceRubric::load(None).unwrap();
        let asked: Vec<AskedField<'_>> = (rubric.fields.iter())
            .map(|field| AskedField {
                field,
                values: field.values.iter().collect(),
            })
            .collect();
        let material = TraceMaterial {
            task: "TASK",
            trace: "TRACE",
            settled: "SETTLED",
        };
        let rendered = rubric.render(&asked, &material).unwrap();
        for word in ["TASK", "TRACE"] {
            let at = rendered.user.find(word).unwrap();
            let before = &rendered.user[..at];
            let opened = before.matches("<<<DATA ").count();
            assert_eq!(opened, before.matches("<<<END ").count() + 1, "{word}");
            assert!(!rendered.system.contains(word), "{word}");
        }
        assert!(
            rendered.user.contains("SETTLED")
                && rendered.user.contains("\"label\": \"<one of success, failure>\"")
        );
    }

    #[test]
    fn a_rubric_of_ones_own_is_whole_and_checked() {
        let folder = tempfile::tempdir().unwrap();
        let error = |folder: &Path| TraceRubric::load(Some(folder)).unwrap_err().to_string();
        let lacking = error(folder.path());
        assert!(
            lacking.contains("it lacks rubric.toml, prompt.md, system.md") && lacking.contains("--rubric"),
            "{lacking}"
        );
        fs::write(folder.path().join(SYSTEM), "s").unwrap();
        fs::write(folder.path().join(PROMPT), "{{ trace }}").unwrap();
        let field = "[[fields]]\nname = 'a'\nabout = 'x'\nvalues = [{ name = 'y', means = 'y' }, { name = 'n', means = 'n' }]\n";
        let head = "version = 1\nexplanation = 'e'\n";
        for (text, named) in [
            (
                "version = 1\nexplanation = 'e'\nfields = []".to_owned(),
                "it has 0 fields",
            ),
            (format!("{head}{field}{field}"), "`a` stands twice"),
            (
                format!("{head}{}", field.replace("'a'", "'explanation'")),
                "the prose's own",
            ),
            (
                format!("{head}{}", field.replace("'n', means", "'y', means")),
                "value `y` of `a`",
            ),
            (
                format!("{head}{field}[[invariants]]\nwhen = {{ a = 'y' }}\nthen = {{ b = 'y' }}\n"),
                "`b = y`",
            ),
            (
                format!("{head}{field}[[invariants]]\nwhen = {{ a = 'y' }}\n"),
                "an invariant needs",
            ),
            (format!("{head}surprise = 1\n{field}"), "unknown field `surprise`"),
        ] {
            fs::write(folder.path().join(RUBRIC), text).unwrap();
            let told = error(folder.path());
            assert!(told.contains(named), "{named}: {told}");
        }
        fs::write(folder.path().join(RUBRIC), format!("{head}{field}")).unwrap();
        assert_eq!(TraceRubric::load(Some(folder.path())).unwrap().fields.len(), 1);
        fs::write(folder.path().join(PROMPT), "{{ gold }}").unwrap();
        assert!(error(folder.path()).contains("gold"));
    }
}
