//! Reading stage definitions: the embedded ones, and a folder that overrides them.

use std::io::Read as _;
use std::path::Path;

use include_dir::{Dir, include_dir};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::catalog::stages::definition::StageDefinition;
use crate::catalog::stages::fault::CatalogError;
use crate::catalog::stages::template::Template;
use crate::domain::digest::Digest;
use crate::domain::replication;
use crate::domain::stage::Stage;
use crate::domain::track::{Track, TrackStage};

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

/// A track and the definitions of its stages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Catalog {
    track: Track,
    /// In the order of the track.
    stages: Vec<StageDefinition>,
}

/// Where a catalog is read from.
#[derive(Debug, Clone, Copy, Default)]
pub struct CatalogSource<'a> {
    /// The track's name; replication where none is given.
    pub track: Option<&'a str>,
    /// A folder whose files take the place of the embedded ones.
    pub overrides: Option<&'a Path>,
    /// Tools that the track's environment offers beside [`TOOLS`].
    pub tools: &'a [String],
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
    ///
    /// # Errors
    /// A definition that cannot be used: a mistake in this program's own files.
    pub fn embedded() -> Result<Self, CatalogError> {
        Self::load(CatalogSource::default())
    }

    /// The definitions of a track, with every file that the folder of overrides holds
    /// in the place of the embedded one.
    ///
    /// # Errors
    /// Where a file is missing, cannot be read, or says what cannot be.
    pub fn load(source: CatalogSource<'_>) -> Result<Self, CatalogError> {
        if let Some(folder) = source.overrides.filter(|folder| !folder.is_dir()) {
            return Err(CatalogError::NotAFolder {
                folder: folder.to_owned(),
                option: "--stages-dir",
                such_as: "stages/",
            });
        }
        let track = load_track(source.track.unwrap_or(replication::TRACK), source.overrides)?;
        let stages = track.stages.iter().map(|place| load_stage(place, &source));
        let stages = stages.collect::<Result<_, _>>()?;
        Ok(Self { track, stages })
    }

    /// The track that the stages belong to.
    pub fn track(&self) -> &Track {
        &self.track
    }

    /// The digest of all definitions, by which a run knows whether it goes on with
    /// those that it was begun with.
    pub fn digest(&self) -> Digest {
        Digest::compute_json(self)
    }

    /// A stage's definition, where the track has it.
    pub fn stage(&self, stage: Stage) -> Option<&StageDefinition> {
        self.stages.iter().find(|one| one.stage == stage)
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

/// Reads a track, held to what the engine relies on.
fn load_track(name: &str, overrides: Option<&Path>) -> Result<Track, CatalogError> {
    let toml = match Stage::named(name) {
        // Names of tracks are as narrow as those of stages, and lead out of no folder.
        Some(_) => find(overrides, &format!("tracks/{name}.toml"))?,
        None => None,
    };
    let toml = toml.ok_or_else(|| CatalogError::UnknownTrack {
        name: name.to_owned(),
    })?;
    let track: Track = toml::from_str(&toml.source).map_err(|error| in_toml(&toml, &error))?;
    let wrong = |key: &str, problem: String| CatalogError::Toml {
        file: toml.file.clone(),
        line: line_of(&toml, key),
        problem,
    };
    if track.track != name {
        let problem = format!("the track `{}` stands in the file of `{name}`", track.track);
        return Err(wrong("track", problem));
    }
    let taken: &[Stage] = if name == replication::TRACK {
        &[]
    } else {
        &replication::STAGES
    };
    track
        .check(taken)
        .map_err(|error| wrong("stages", error.to_string()))?;
    Ok(track)
}

fn load_stage(place: &TrackStage, source: &CatalogSource<'_>) -> Result<StageDefinition, CatalogError> {
    let (stage, overrides) = (place.stage, source.overrides);
    let toml = must_find(overrides, &format!("{stage}/stage.toml"))?;
    let read = read_toml(place, &toml, source.tools)?;
    let own_schema = own_schema(place, overrides)?;
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
        own_schema,
    };
    for template in [&definition.system, &definition.prompt, &definition.protocol] {
        template.check()?;
    }
    Ok(definition)
}

/// The schema of a stage's answer, which every stage but replication's has in its folder.
fn own_schema(place: &TrackStage, overrides: Option<&Path>) -> Result<Option<Value>, CatalogError> {
    if replication::STAGES.contains(&place.stage) {
        return Ok(None);
    }
    let text = must_find(overrides, &format!("{}/schema.json", place.stage))?;
    let wrong = |problem: String| CatalogError::Toml {
        file: text.file.clone(),
        line: 1,
        problem,
    };
    let schema: Value = serde_json::from_str(&text.source).map_err(|error| wrong(error.to_string()))?;
    jsonschema::draft202012::new(&schema).map_err(|error| wrong(error.to_string()))?;
    Ok(Some(schema))
}

fn line_of(file: &Template, word: &str) -> usize {
    let mut lines = file.source.lines();
    lines
        .position(|line| line.contains(word))
        .map_or(1, |index| index + 1)
}

fn in_toml(file: &Template, error: &toml::de::Error) -> CatalogError {
    let before = error.span().and_then(|span| file.source.get(..span.start));
    CatalogError::Toml {
        file: file.file.clone(),
        line: before.map_or(1, |before| before.matches('\n').count() + 1),
        problem: error.message().to_owned(),
    }
}

fn read_toml(place: &TrackStage, toml: &Template, offered: &[String]) -> Result<StageFile, CatalogError> {
    let stage = place.stage;
    let file = toml.file.clone();
    let line_of = |word: &str| line_of(toml, word);
    let read: StageFile = toml::from_str(&toml.source).map_err(|error| in_toml(toml, &error))?;
    let known = |name: &str| TOOLS.contains(&name) || offered.iter().any(|tool| tool == name);
    if let Some(name) = read.tools.iter().find(|name| !known(name)) {
        return Err(CatalogError::UnknownTool {
            file,
            line: line_of(&format!("\"{name}\"")),
            name: name.clone(),
            known: TOOLS
                .into_iter()
                .chain(offered.iter().map(String::as_str))
                .collect::<Vec<_>>()
                .join(", "),
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
    let typed = replication::artifact(stage);
    if !typed.is_empty() && place.artifact != typed {
        let problem = format!(
            "{stage} answers with {typed}, and the track names {}",
            place.artifact
        );
        return Err(wrong("schema", problem));
    }
    let schema = place.artifact.trim_end_matches(".json");
    if read.schema != schema {
        return Err(wrong(
            "schema",
            format!(
                "the schema `{}` is not `{schema}`, the one of {stage}",
                read.schema
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
