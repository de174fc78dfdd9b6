//! Reading stage definitions: the embedded ones, and a folder that overrides them.

use std::io::Read as _;
use std::path::Path;

use include_dir::{Dir, include_dir};
use serde::Deserialize;

use crate::catalog::schemas;
use crate::catalog::stages::definition::StageDefinition;
use crate::catalog::stages::fault::CatalogError;
use crate::catalog::stages::template::Template;
use crate::domain::digest::Digest;
use crate::domain::stage::Stage;

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../stages");

/// The tools that a stage may offer.
pub const TOOLS: [&str; 10] = [
    "list_files",
    "read_file",
    "search_files",
    "inspect_data",
    "write_file",
    "edit_file",
    "run_analysis",
    "ask_person",
    "web_search",
    "fetch_page",
];

/// The most bytes of one definition file.
const LARGEST: u64 = 1 << 20;

/// The definitions of all five stages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalog {
    stages: [StageDefinition; 5],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StageFile {
    stage: Stage,
    schema: String,
    tools: Vec<String>,
    turns: u32,
    output_tokens: u32,
    repairs: u32,
}

impl Catalog {
    /// The definitions that are part of the program.
    pub fn embedded() -> Result<Self, CatalogError> {
        Self::load(None)
    }

    /// The embedded definitions, with every file that `folder` holds in its place.
    pub fn with_overrides(folder: &Path) -> Result<Self, CatalogError> {
        if !folder.is_dir() {
            return Err(CatalogError::NotAFolder {
                folder: folder.to_owned(),
                option: "--stages-dir",
                such_as: "stages/",
            });
        }
        Self::load(Some(folder))
    }

    /// The digest of all definitions, by which a run knows whether it goes on with
    /// those that it was begun with.
    pub fn digest(&self) -> Digest {
        Digest::of_json(&self.stages)
    }

    /// A stage's definition.
    pub fn stage(&self, stage: Stage) -> &StageDefinition {
        let [extract, search, design, execute, interpret] = &self.stages;
        match stage {
            Stage::Extract => extract,
            Stage::Search => search,
            Stage::Design => design,
            Stage::Execute => execute,
            Stage::Interpret => interpret,
        }
    }

    fn load(overrides: Option<&Path>) -> Result<Self, CatalogError> {
        let one = |stage| load_stage(stage, overrides);
        Ok(Self {
            stages: [
                one(Stage::Extract)?,
                one(Stage::Search)?,
                one(Stage::Design)?,
                one(Stage::Execute)?,
                one(Stage::Interpret)?,
            ],
        })
    }
}

/// A file's name for messages, and its text; `None` where neither place has it.
fn find(overrides: Option<&Path>, name: &str) -> Result<Option<Template>, CatalogError> {
    if let Some(path) = overrides
        .map(|folder| folder.join(name))
        .filter(|path| path.exists())
    {
        let file = path.display().to_string();
        let failed = |source| CatalogError::Read {
            file: file.clone(),
            source,
        };
        let mut source = String::new();
        std::fs::File::open(&path)
            .and_then(|opened| opened.take(LARGEST).read_to_string(&mut source))
            .map_err(failed)?;
        return Ok(Some(Template { file, source }));
    }
    Ok(EMBEDDED
        .get_file(name)
        .and_then(include_dir::File::contents_utf8)
        .map(|source| Template {
            file: format!("stages/{name}"),
            source: source.to_owned(),
        }))
}

fn must_find(overrides: Option<&Path>, name: &str) -> Result<Template, CatalogError> {
    find(overrides, name)?.ok_or_else(|| CatalogError::Missing {
        file: name.to_owned(),
    })
}

fn load_stage(stage: Stage, overrides: Option<&Path>) -> Result<StageDefinition, CatalogError> {
    let toml = must_find(overrides, &format!("{stage}/stage.toml"))?;
    let read = read_toml(stage, &toml)?;
    let own_system = find(overrides, &format!("{stage}/system.md"))?;
    let system = match own_system {
        Some(own) => own,
        None => must_find(overrides, "system.md")?,
    };
    let definition = StageDefinition {
        stage,
        system,
        prompt: must_find(overrides, &format!("{stage}/prompt.md"))?,
        protocol: must_find(overrides, "protocol.md")?,
        tools: read.tools,
        turns: read.turns,
        output_tokens: read.output_tokens,
        repairs: read.repairs,
        schema: read.schema,
    };
    for template in [&definition.system, &definition.prompt, &definition.protocol] {
        template.check()?;
    }
    Ok(definition)
}

fn read_toml(stage: Stage, toml: &Template) -> Result<StageFile, CatalogError> {
    let file = toml.file.clone();
    let line_of = |word: &str| {
        toml.source
            .lines()
            .position(|line| line.contains(word))
            .map_or(1, |index| index + 1)
    };
    let read: StageFile = toml::from_str(&toml.source).map_err(|error| CatalogError::Toml {
        file: file.clone(),
        line: error
            .span()
            .and_then(|span| toml.source.get(..span.start))
            .map_or(1, |before| before.matches('\n').count() + 1),
        problem: error.message().to_owned(),
    })?;
    if let Some(name) = read.tools.iter().find(|name| !TOOLS.contains(&name.as_str())) {
        return Err(CatalogError::UnknownTool {
            file,
            line: line_of(&format!("\"{name}\"")),
            name: name.clone(),
            known: TOOLS.join(", "),
        });
    }
    let wrong = |key: &str, problem: String| CatalogError::Toml {
        file: file.clone(),
        line: line_of(key),
        problem,
    };
    if read.stage != stage {
        return Err(wrong(
            "stage",
            format!("the stage `{}` stands in the folder of `{stage}`", read.stage),
        ));
    }
    if read.schema != schemas::name(stage) {
        return Err(wrong(
            "schema",
            format!(
                "the schema `{}` is not `{}`, the one of {stage}",
                read.schema,
                schemas::name(stage)
            ),
        ));
    }
    if !(1..=1000).contains(&read.turns) {
        return Err(wrong(
            "turns",
            format!("{} turns are not between 1 and 1000", read.turns),
        ));
    }
    if read.output_tokens < 256 || read.repairs > 20 {
        return Err(wrong(
            "output_tokens",
            "at least 256 output tokens and at most 20 repairs are allowed".to_owned(),
        ));
    }
    Ok(read)
}
