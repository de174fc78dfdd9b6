//! Prompts as they are rendered, and definitions that are refused.

use std::path::Path;

use super::context::{EarlierAnswer, PromptContext, RemainingLimits};
use super::fault::CatalogError;
use super::inputs::{AnswerReview, StageInputs};
use super::load::{Catalog, CatalogSource};
use super::part_names::{EnvironmentName, PartNames};
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
        level: "",
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
    assert!(native.contains("Do not translate them"));
    assert!(python.contains("Write a Python translation"));
    assert!(data_only.contains("There are no scripts of the study"));
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
    assert!(key.contains("line 10") && key.contains("colour"), "{key}");
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
        let parts = PartNames {
            environments: vec![EnvironmentName {
                name: "abacus".to_owned(),
                tools: vec!["add".to_owned()],
            }],
            graders: vec!["exact".to_owned(), "lenient".to_owned()],
        };
        Catalog::load(CatalogSource {
            track: Some("sums"),
            overrides: Some(folder.path()),
            parts: Some(&parts),
            agent: None,
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
    write("tracks/sums.toml", &track.replace("abacus", "slide-rule"));
    let refused = load().unwrap_err();
    assert!(
        refused.contains("sums.toml` line 2: there is no environment `slide-rule`; this program has abacus."),
        "{refused}"
    );
    write("tracks/sums.toml", &track.replace("exact", "strict"));
    let refused = load().unwrap_err();
    assert!(
        refused.contains("sums.toml` line 3: there is no grader `strict`; this program has exact, lenient."),
        "{refused}"
    );
    write("tracks/sums.toml", &track.replace("\"count\"", "\"search\""));
    assert!(load().unwrap_err().contains("belongs to another track"));
    write("tracks/sums.toml", &track.replace("\"sums\"", "\"other\""));
    assert!(load().unwrap_err().contains("stands in the file of `sums`"));
}

#[test]
fn what_a_stage_works_from_is_data_of_it() {
    let catalog = Catalog::embedded().unwrap();
    let review = |stage| catalog.review_of(stage);
    assert_eq!(review(Stage::EXTRACT), Some(AnswerReview::Claim));
    assert_eq!(review(Stage::SEARCH), Some(AnswerReview::Addresses));
    assert_eq!(review(Stage::DESIGN), Some(AnswerReview::Plan));
    assert_eq!((review(Stage::EXECUTE), review(Stage::INTERPRET)), (None, None));
    let of = |wanted: &dyn Fn(Stage) -> bool| -> Vec<Stage> {
        replication::STAGES
            .into_iter()
            .filter(|stage| wanted(*stage))
            .collect()
    };
    let inputs = |stage: Stage| &catalog.stage(stage).unwrap().inputs;
    assert_eq!(of(&|stage| inputs(stage).paper), [Stage::EXTRACT]);
    assert_eq!(of(&|stage| inputs(stage).execution_result), [Stage::INTERPRET]);
    assert_eq!(
        of(&|stage| catalog.has_helpers(stage)),
        [Stage::DESIGN, Stage::EXECUTE, Stage::INTERPRET]
    );
    assert_eq!(
        of(&|stage| catalog.quotes(Stage::EXECUTE, stage)),
        [Stage::DESIGN]
    );
    assert_eq!(
        of(&|stage| catalog.quotes(Stage::DESIGN, stage)),
        [Stage::EXTRACT, Stage::SEARCH]
    );
    assert_eq!(catalog.plan_of(Stage::EXECUTE), Some("replication_info.json"));
    assert_eq!(catalog.plans().collect::<Vec<_>>(), ["replication_info.json"]);
    let range = |from, to| crate::domain::track::StageRange { from, to };
    assert!(catalog.executes(range(Stage::DESIGN, Stage::EXECUTE)));
    assert!(!catalog.executes(range(Stage::EXTRACT, Stage::DESIGN)));
}

#[test]
fn a_copy_without_the_optional_keys_has_those_that_are_built_in() {
    let keys = ["paper", "review", "quotes", "plan", "helpers", "execution_result"];
    let folder = tempfile::tempdir().unwrap();
    for stage in replication::STAGES {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../stages/{stage}/stage.toml"));
        let text = std::fs::read_to_string(own).unwrap();
        let is_optional = |line: &&str| keys.iter().any(|key| line.starts_with(&format!("{key} =")));
        let older: Vec<&str> = text.lines().filter(|line| !is_optional(line)).collect();
        std::fs::create_dir(folder.path().join(stage.name())).unwrap();
        std::fs::write(
            folder.path().join(format!("{stage}/stage.toml")),
            older.join("\n"),
        )
        .unwrap();
    }
    assert_eq!(
        with_overrides(folder.path()).unwrap().digest(),
        Catalog::embedded().unwrap().digest()
    );
    let none = "stage = \"design\"\nschema = \"replication_info\"\ntools = []\nturns = 3\n\
                output_tokens = 300\nrepairs = 1\nreview = \"none\"\nhelpers = false\n";
    std::fs::write(folder.path().join("design/stage.toml"), none).unwrap();
    let catalog = with_overrides(folder.path()).unwrap();
    assert_eq!(catalog.review_of(Stage::DESIGN), None);
    assert_eq!(
        catalog.stage(Stage::DESIGN).unwrap().inputs,
        StageInputs::default()
    );
}

#[test]
fn what_a_stage_cannot_be_given_is_refused() {
    let toml = include_str!("../../../stages/execute/stage.toml");
    let changed = |from: &str, to: &str| {
        assert!(toml.contains(from), "{from}");
        refusal(&[("execute/stage.toml", &toml.replace(from, to))])
    };
    let late = changed("quotes = [\"design\"]", "quotes = [\"interpret\"]");
    assert!(
        late.contains("`interpret` is no stage of the track `replication` before execute: expected one of extract, search, design"),
        "{late}"
    );
    let itself = changed("plan = \"design\"", "plan = \"execute\"");
    assert!(itself.contains("`execute` is no stage"), "{itself}");
    let review = changed("plan = \"design\"", "plan = \"design\"\nreview = \"claim\"");
    assert!(review.contains("holds a `post_registration`"), "{review}");
    let urls = changed("plan = \"design\"", "plan = \"design\"\nreview = \"addresses\"");
    assert!(urls.contains("reads `urls`"), "{urls}");
    let word = changed("plan = \"design\"", "plan = \"design\"\nreview = \"vibes\"");
    assert!(word.contains("vibes") && word.contains("addresses"), "{word}");
}

#[test]
fn a_stage_that_executes_names_its_plan() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write(
        "tracks/runs.toml",
        "track = \"runs\"\nenvironment = \"executions\"\ngrader = \"preregistered-rule\"\n\
         [[stages]]\nstage = \"go\"\ngroup = \"work\"\nartifact = \"go.json\"\n",
    );
    write("go/prompt.md", "Go.");
    write("go/schema.json", "{\"type\": \"object\"}");
    write(
        "go/stage.toml",
        "stage = \"go\"\nschema = \"go\"\ntools = [\"run_analysis\"]\nturns = 3\noutput_tokens = 300\nrepairs = 1\n",
    );
    let refused = Catalog::load(CatalogSource {
        track: Some("runs"),
        overrides: Some(folder.path()),
        ..CatalogSource::default()
    })
    .map(|_| ())
    .unwrap_err()
    .to_string();
    assert!(
        refused.contains("go/stage.toml` line 3: go offers `run_analysis` and names no `plan`"),
        "{refused}"
    );
}
