//! Prompts as they are rendered, and definitions that are refused.

use std::path::Path;

use super::context::{EarlierAnswer, PromptContext, RemainingLimits};
use super::fault::CatalogError;
use super::load::{Catalog, CatalogSource};
use super::template::fence;
use crate::domain::claim::Claim;
use crate::domain::mode::{CodeAccess, CodeMode};
use crate::domain::replication;
use crate::domain::stage::Stage;

fn context(stage: Stage) -> PromptContext {
    let earlier = replication::STAGES
        .into_iter()
        .take_while(|one| *one != stage)
        .map(|one| EarlierAnswer {
            name: replication::artifact(one).to_owned(),
            json: format!("{{\"invented\": \"{one}\"}}"),
        });
    PromptContext {
        claim: Claim {
            statement: "Taller lighthouses attract more gulls (b = 1.5, p = .02).".into(),
            hypotheses: "H1: height raises the number of gulls.".into(),
            criterion: None,
            variants: Vec::new(),
        },
        mode: CodeMode::Native,
        access: CodeAccess::Code,
        folder: "original_paper.pdf\nreplication_data/gulls.csv\nwork/gulls.R".into(),
        paper: (stage == Stage::EXTRACT).then(|| "[page 1]\nWe counted gulls.".into()),
        artifacts: earlier.collect(),
        tools: "read_file: one file as text".into(),
        text_protocol: false,
        limits: RemainingLimits {
            turns: 9,
            output_tokens: 4000,
            notes: String::new(),
        },
    }
}

fn shown(stage: Stage, context: &PromptContext) -> String {
    let catalog = Catalog::embedded().unwrap();
    let rendered = catalog.stage(stage).unwrap().render(context).unwrap();
    format!("{}\n\n======== user\n\n{}", rendered.system, rendered.user)
}

#[test]
fn prompts_as_rendered() {
    for stage in replication::STAGES {
        insta::assert_snapshot!(stage.name(), shown(stage, &context(stage)));
    }
}

#[test]
fn the_text_protocol_lists_the_tools() {
    let mut context = context(Stage::SEARCH);
    context.text_protocol = true;
    let catalog = Catalog::embedded().unwrap();
    let rendered = catalog.stage(Stage::SEARCH).unwrap().render(&context).unwrap();
    insta::assert_snapshot!("protocol", rendered.system);
}

#[test]
fn each_setting_has_its_own_rules() {
    let mut context = context(Stage::DESIGN);
    let native = shown(Stage::DESIGN, &context);
    context.mode = CodeMode::Python;
    let python = shown(Stage::DESIGN, &context);
    context.access = CodeAccess::DataOnly;
    let data_only = shown(Stage::DESIGN, &context);
    assert!(native.contains("do not translate them"));
    assert!(python.contains("Write a Python translation"));
    assert!(data_only.contains("No code of the study is available"));
    assert!(!data_only.contains("own scripts are copied here"));
}

#[test]
fn claim_and_hypotheses_reach_every_prompt() {
    for stage in replication::STAGES {
        let text = shown(stage, &context(stage));
        assert!(
            text.contains("Taller lighthouses") && text.contains("H1: height"),
            "{stage}"
        );
    }
}

#[test]
fn a_fenced_text_cannot_close_its_fence() {
    let inner = fence("a", "x");
    let outer = fence("b", &format!("{inner}\nobey"));
    let tag = outer.split_whitespace().nth(1).unwrap();
    assert_eq!(outer.matches(tag).count(), 2);
    assert!(outer.ends_with(&format!("<<<END {tag}")));
}

#[test]
fn templates_are_not_read_from_untrusted_text() {
    let mut context = context(Stage::EXTRACT);
    context.paper = Some("{{ tools }} {% raw %}".into());
    assert!(shown(Stage::EXTRACT, &context).contains("{{ tools }} {% raw %}"));
}

fn with_overrides(folder: &Path) -> Result<Catalog, CatalogError> {
    Catalog::load(CatalogSource {
        overrides: Some(folder),
        ..CatalogSource::default()
    })
}

fn refusal(files: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    match with_overrides(folder.path()) {
        Ok(_) => panic!("accepted"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_faulty_override_is_refused_with_its_line() {
    let toml = include_str!("../../../stages/extract/stage.toml");
    let tool = refusal(&[("extract/stage.toml", &toml.replace("read_file", "red_file"))]);
    assert!(tool.contains("stage.toml` line 3: the tool `red_file`"), "{tool}");
    let key = refusal(&[("extract/stage.toml", &format!("{toml}\ncolour = 1\n"))]);
    assert!(key.contains("line 8") && key.contains("colour"), "{key}");
    let variable = refusal(&[("design/prompt.md", "a\n{{ clam }}\n")]);
    assert!(
        variable.contains("prompt.md` line 2: the variable `clam`"),
        "{variable}"
    );
    let part = refusal(&[("design/prompt.md", "{{ claim.text }}")]);
    assert!(part.contains("the variable `claim.text`"), "{part}");
    let syntax = refusal(&[("design/prompt.md", "a\n\n{% if %}\n")]);
    assert!(syntax.contains("prompt.md` line 3"), "{syntax}");
    let wrong = refusal(&[("search/stage.toml", toml)]);
    assert!(
        wrong.contains("`extract` stands in the folder of `search`"),
        "{wrong}"
    );
}

#[test]
fn a_folder_overrides_whole_files_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("extract")).unwrap();
    std::fs::write(
        folder.path().join("extract/prompt.md"),
        "Only {{ claim.statement }}",
    )
    .unwrap();
    let catalog = with_overrides(folder.path()).unwrap();
    let context = context(Stage::EXTRACT);
    let rendered = catalog.stage(Stage::EXTRACT).unwrap().render(&context).unwrap();
    assert!(rendered.user.starts_with("Only Taller lighthouses"));
    assert_eq!(
        catalog.stage(Stage::SEARCH),
        Catalog::embedded().unwrap().stage(Stage::SEARCH)
    );
    assert_ne!(catalog.digest(), Catalog::embedded().unwrap().digest());
    assert!(with_overrides(Path::new("/nonexistent")).is_err());
}

#[test]
fn a_copy_of_the_definitions_has_their_digest() {
    let embedded = Catalog::embedded().unwrap();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../stages");
    assert_eq!(with_overrides(&own).unwrap().digest(), embedded.digest());
}

#[test]
fn the_first_track_is_the_one_of_runs_that_name_none() {
    assert_eq!(Catalog::embedded().unwrap().track(), replication::track());
}

#[test]
fn a_track_of_ones_own_is_read_and_held_to_its_rules() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let load = || {
        let tools = ["add".to_owned()];
        Catalog::load(CatalogSource {
            track: Some("sums"),
            overrides: Some(folder.path()),
            tools: &tools,
        })
        .map_err(|error| error.to_string())
    };
    assert!(load().unwrap_err().contains("there is no track `sums`"));
    let track = "track = \"sums\"\nenvironment = \"abacus\"\ngrader = \"exact\"\n\
                 [[stages]]\nstage = \"count\"\ngroup = \"work\"\nartifact = \"count.json\"\n";
    write("tracks/sums.toml", track);
    write(
        "count/stage.toml",
        "stage = \"count\"\nschema = \"count\"\ntools = [\"add\"]\nturns = 3\noutput_tokens = 300\nrepairs = 1\n",
    );
    write("count/prompt.md", "{{ claim.statement }}");
    assert!(load().unwrap_err().contains("count/schema.json` is missing"));
    write("count/schema.json", "{\"type\": \"objec\"}");
    assert!(load().unwrap_err().contains("schema.json` line 1"));
    let schema = "{\"type\": \"object\", \"required\": [\"sum\"]}";
    write("count/schema.json", schema);
    let catalog = load().unwrap();
    assert_eq!(
        catalog
            .track()
            .stages()
            .map(|stage| stage.to_string())
            .collect::<Vec<_>>(),
        ["count"]
    );
    let count = catalog.stage("count".parse().unwrap()).unwrap();
    assert_eq!(count.answer_schema()["required"][0], "sum");
    write("tracks/sums.toml", &track.replace("\"count\"", "\"search\""));
    assert!(load().unwrap_err().contains("belongs to another track"));
    write("tracks/sums.toml", &track.replace("\"sums\"", "\"other\""));
    assert!(load().unwrap_err().contains("stands in the file of `sums`"));
}
