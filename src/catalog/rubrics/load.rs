//! Reading rubrics: the embedded ones, or a folder in their place.

use std::io::Read as _;
use std::path::Path;

use include_dir::{Dir, include_dir};

use crate::catalog::stages::fault::CatalogError;
use crate::catalog::stages::template::Template;
use crate::domain::stage::Stage;
use crate::domain::text_place::line_of;

use super::definition::{Rubric, RubricFile, VARIABLES};

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../rubrics");

/// The stages that are judged.
const STAGES: [Stage; 4] = [Stage::EXTRACT, Stage::DESIGN, Stage::EXECUTE, Stage::INTERPRET];
/// The files that the stages share.
const SYSTEM: &str = "system.md";
const PROTOCOL: &str = "protocol.md";

/// The most bytes of one file.
const LARGEST: u64 = 1 << 20;

/// The rubrics of the four stages that are judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rubrics {
    all: Vec<Rubric>,
}

impl Rubrics {
    /// The rubrics that are part of the program, or those of a folder in their place.
    ///
    /// # Errors
    /// A folder that lacks a file: one rubric of the program's among others
    /// would pass for one of the folder's.
    pub fn load(instead: Option<&Path>) -> Result<Self, CatalogError> {
        if let Some(folder) = instead {
            is_whole(folder)?;
        }
        let all = STAGES.into_iter().map(|stage| load(stage, instead));
        Ok(Self {
            all: all.collect::<Result<_, _>>()?,
        })
    }

    /// A stage's rubric; `None` of the search, which needs no judge.
    pub fn get(&self, stage: Stage) -> Option<&Rubric> {
        self.all.iter().find(|rubric| rubric.stage == stage)
    }
}

/// Checks that a folder holds every file of a set of rubrics.
fn is_whole(folder: &Path) -> Result<(), CatalogError> {
    if !folder.is_dir() {
        return Err(CatalogError::NotAFolder {
            folder: folder.to_owned(),
            option: "--rubrics-dir",
            such_as: "rubrics/",
        });
    }
    let of_stages = STAGES.map(|stage| [rubric_of(stage), prompt_of(stage)]);
    let names = [SYSTEM.to_owned(), PROTOCOL.to_owned()].into_iter();
    let missing: Vec<String> = names
        .chain(of_stages.into_iter().flatten())
        .filter(|name| !folder.join(name).is_file())
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(CatalogError::Incomplete {
        folder: folder.to_owned(),
        missing: missing.join(", "),
    })
}

fn rubric_of(stage: Stage) -> String {
    format!("{stage}/rubric.toml")
}

fn prompt_of(stage: Stage) -> String {
    format!("{stage}/prompt.md")
}

/// A file of the rubrics, out of a folder or out of the program.
///
/// # Errors
/// A file that is not there or cannot be read.
pub(super) fn find(instead: Option<&Path>, name: &str) -> Result<Template, CatalogError> {
    if let Some(path) = instead.map(|folder| folder.join(name)) {
        let file = path.display().to_string();
        let mut source = String::new();
        std::fs::File::open(&path)
            .and_then(|opened| opened.take(LARGEST).read_to_string(&mut source))
            .map_err(|source| CatalogError::Read {
                file: file.clone(),
                source,
            })?;
        return Ok(Template { file, source });
    }
    EMBEDDED
        .get_file(name)
        .and_then(include_dir::File::contents_utf8)
        .map(|source| Template {
            file: format!("rubrics/{name}"),
            source: source.to_owned(),
        })
        .ok_or_else(|| CatalogError::Missing {
            file: name.to_owned(),
        })
}

fn load(stage: Stage, instead: Option<&Path>) -> Result<Rubric, CatalogError> {
    let toml = find(instead, &rubric_of(stage))?;
    let wrong = |line: usize, problem: String| CatalogError::Toml {
        file: toml.file.clone(),
        line,
        problem,
    };
    let file: RubricFile = toml::from_str(&toml.source).map_err(|error| {
        let line = line_of(&toml.source, error.span().map_or(0, |span| span.start));
        wrong(line, error.message().to_owned())
    })?;
    if file.stage != stage {
        return Err(wrong(
            1,
            format!("the rubric of `{}` stands in the folder of `{stage}`", file.stage),
        ));
    }
    let all_scores = file.scores.iter().chain(file.graded_scores.iter().flatten());
    if file.scores.len() < 2 || all_scores.clone().any(|score| *score > 3) {
        return Err(wrong(
            1,
            "the scale needs at least two marks, from 0 to 3".to_owned(),
        ));
    }
    if let Some(score) = all_scores
        .clone()
        .find(|score| file.levels.iter().all(|level| level.score != **score))
    {
        return Err(wrong(1, format!("no level says what the mark {score} means")));
    }
    let rubric = Rubric {
        stage,
        version: file.version,
        scores: file.scores.clone(),
        not_applicable: file.not_applicable.clone(),
        system: find(instead, SYSTEM)?,
        prompt: find(instead, &prompt_of(stage))?,
        protocol: find(instead, PROTOCOL)?,
        file,
    };
    for template in [&rubric.system, &rubric.prompt, &rubric.protocol] {
        template.check_for(&VARIABLES)?;
    }
    Ok(rubric)
}

#[cfg(test)]
mod tests {
    use super::super::definition::Material;
    use super::*;

    #[test]
    fn every_rubric_anchors_every_level() {
        let rubrics = Rubrics::load(None).unwrap();
        for stage in [Stage::EXTRACT, Stage::DESIGN, Stage::EXECUTE, Stage::INTERPRET] {
            let rubric = rubrics.get(stage).unwrap();
            for score in &rubric.clone().graded().scores {
                let anchored = rubric.file.examples.iter().any(|one| one.score == *score);
                assert!(anchored, "{stage}: no example of {score}");
            }
        }
        assert_eq!(rubrics.get(Stage::DESIGN).unwrap().scores, [0, 3]);
        assert_eq!(
            rubrics.get(Stage::DESIGN).unwrap().clone().graded().scores,
            [0, 1, 2, 3]
        );
        assert!(rubrics.get(Stage::SEARCH).is_none());
    }

    #[test]
    fn a_prompt_holds_its_material_in_fences_alone() {
        let rubrics = Rubrics::load(None).unwrap();
        let material = Material {
            claim: "CLAIM",
            reference: "REFERENCE",
            swapped: false,
            meanings: "MEANINGS",
            fields: "FIELDS",
            tools: None,
        };
        let swapped = Material {
            swapped: true,
            ..material
        };
        let stages = [Stage::EXTRACT, Stage::DESIGN, Stage::EXECUTE, Stage::INTERPRET];
        for (stage, material) in stages
            .into_iter()
            .flat_map(|stage| [(stage, material), (stage, swapped)])
        {
            let rendered = rubrics.get(stage).unwrap().render(&material).unwrap();
            let has = |word: &str| rendered.user.matches(word).count();
            assert_eq!(has("FIELDS"), 1, "{stage}");
            assert_eq!(has("MEANINGS"), usize::from(stage != Stage::EXECUTE), "{stage}");
            if let Some(reference) = rendered.user.find("REFERENCE")
                && stage != Stage::EXECUTE
            {
                let is_first = rendered
                    .user
                    .find("FIELDS")
                    .is_some_and(|fields| reference < fields);
                assert_eq!((has("REFERENCE"), is_first), (1, !material.swapped), "{stage}");
            }
            for word in ["CLAIM", "REFERENCE", "FIELDS"] {
                for (at, _) in rendered.user.match_indices(word) {
                    let before = &rendered.user[..at];
                    let opened = before.matches("<<<DATA ").count();
                    assert_eq!(opened, before.matches("<<<END ").count() + 1, "{stage} {word}");
                }
            }
            assert!(rendered.user.contains("FIELDS") && !rendered.system.contains("FIELDS"));
        }
    }

    #[test]
    fn a_folder_of_rubrics_is_whole_and_checked() {
        let folder = tempfile::tempdir().unwrap();
        let load = || Rubrics::load(Some(folder.path()));
        let error = || load().unwrap_err().to_string();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let empty = error();
        assert!(
            empty
                .contains("it lacks system.md, protocol.md, extract/rubric.toml, extract/prompt.md, design/"),
            "{empty}"
        );
        assert!(
            empty.contains("--rubrics-dir") && !empty.contains("--stages-dir"),
            "{empty}"
        );
        for stage in STAGES {
            for name in [
                rubric_of(stage),
                prompt_of(stage),
                SYSTEM.to_owned(),
                PROTOCOL.to_owned(),
            ] {
                write(&name, &find(None, &name).unwrap().source);
            }
        }
        assert_eq!(load().unwrap().get(Stage::DESIGN).unwrap().scores, [0, 3]);
        std::fs::remove_file(folder.path().join("interpret/prompt.md")).unwrap();
        assert!(
            error().contains("it lacks interpret/prompt.md. Give"),
            "{}",
            error()
        );
        write("interpret/prompt.md", "{{ fields }}");
        write("extract/prompt.md", "{{ secret }}");
        assert!(error().contains("secret"), "{}", error());
        write("extract/prompt.md", "{{ fields }}");
        write(
            "extract/rubric.toml",
            "stage = \"extract\"\nversion = 1\nscores = [0, 5]\nlevels = []",
        );
        assert!(error().contains("from 0 to 3"), "{}", error());
        let gone = Rubrics::load(Some(&folder.path().join("none")))
            .unwrap_err()
            .to_string();
        assert!(
            gone.contains("`--rubrics-dir` a folder such as `rubrics/`"),
            "{gone}"
        );
    }
}
