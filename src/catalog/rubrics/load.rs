//! Reading rubrics: the embedded ones, and a folder that overrides them.

use std::io::Read as _;
use std::path::Path;

use include_dir::{Dir, include_dir};

use crate::catalog::stages::load::CatalogError;
use crate::catalog::stages::template::Template;
use crate::domain::stage::Stage;

use super::definition::{Rubric, RubricFile, VARIABLES};

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/rubrics");

/// The most bytes of one file.
const LARGEST: u64 = 1 << 20;

/// The rubrics of the four stages that are judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rubrics {
    all: Vec<Rubric>,
}

impl Rubrics {
    /// The rubrics that are part of the program, with every file that
    /// `overrides` holds in its place.
    pub fn load(overrides: Option<&Path>) -> Result<Self, CatalogError> {
        if let Some(folder) = overrides.filter(|folder| !folder.is_dir()) {
            return Err(CatalogError::NotAFolder(folder.to_owned()));
        }
        let stages = [Stage::Extract, Stage::Design, Stage::Execute, Stage::Interpret];
        let all = stages.into_iter().map(|stage| load(stage, overrides));
        Ok(Self {
            all: all.collect::<Result<_, _>>()?,
        })
    }

    /// A stage's rubric; `None` of the search, which needs no judge.
    pub fn of(&self, stage: Stage) -> Option<&Rubric> {
        self.all.iter().find(|rubric| rubric.stage == stage)
    }
}

fn find(overrides: Option<&Path>, name: &str) -> Result<Template, CatalogError> {
    if let Some(path) = overrides
        .map(|folder| folder.join(name))
        .filter(|path| path.exists())
    {
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

fn load(stage: Stage, overrides: Option<&Path>) -> Result<Rubric, CatalogError> {
    let toml = find(overrides, &format!("{stage}/rubric.toml"))?;
    let wrong = |line: usize, problem: String| CatalogError::Toml {
        file: toml.file.clone(),
        line,
        problem,
    };
    let file: RubricFile = toml::from_str(&toml.source).map_err(|error| {
        let before = error.span().and_then(|span| toml.source.get(..span.start));
        let line = before.map_or(1, |before| before.matches('\n').count() + 1);
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
        system: find(overrides, "system.md")?,
        prompt: find(overrides, &format!("{stage}/prompt.md"))?,
        protocol: find(overrides, "protocol.md")?,
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
        for stage in [Stage::Extract, Stage::Design, Stage::Execute, Stage::Interpret] {
            let rubric = rubrics.of(stage).unwrap();
            for score in &rubric.clone().graded().scores {
                let anchored = rubric.file.examples.iter().any(|one| one.score == *score);
                assert!(anchored, "{stage}: no example of {score}");
            }
        }
        assert_eq!(rubrics.of(Stage::Design).unwrap().scores, [0, 3]);
        assert_eq!(
            rubrics.of(Stage::Design).unwrap().clone().graded().scores,
            [0, 1, 2, 3]
        );
        assert!(rubrics.of(Stage::Search).is_none());
    }

    #[test]
    fn a_prompt_holds_its_material_in_fences_alone() {
        let rubrics = Rubrics::load(None).unwrap();
        let material = Material {
            claim: "CLAIM",
            reference: "REFERENCE",
            fields: "FIELDS",
            tools: None,
        };
        for stage in [Stage::Extract, Stage::Design, Stage::Execute, Stage::Interpret] {
            let rendered = rubrics.of(stage).unwrap().render(&material).unwrap();
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
    fn an_override_is_checked() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("extract")).unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("extract/prompt.md", "{{ secret }}");
        let error = Rubrics::load(Some(folder.path())).unwrap_err().to_string();
        assert!(error.contains("secret"), "{error}");
        write("extract/prompt.md", "{{ fields }}");
        write(
            "extract/rubric.toml",
            "stage = \"extract\"\nversion = 1\nscores = [0, 5]\nlevels = []",
        );
        let error = Rubrics::load(Some(folder.path())).unwrap_err().to_string();
        assert!(error.contains("from 0 to 3"), "{error}");
    }
}
