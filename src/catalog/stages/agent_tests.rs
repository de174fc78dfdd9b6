//! Published agents, as they are loaded and refused.

use super::dialogue::DialogueForm;
use super::load::{Catalog, CatalogSource};
use super::part_names::{EnvironmentName, PartNames};
use crate::domain::stage::Stage;

fn parts() -> PartNames {
    let tools = [
        "execute",
        "edit",
        "file_command",
        "continue_wait",
        "interrupt",
        "submit",
    ];
    PartNames {
        environments: vec![EnvironmentName {
            name: "kernel".to_owned(),
            tools: tools.map(str::to_owned).to_vec(),
        }],
        graders: vec!["notebook-answers".to_owned()],
    }
}

#[test]
fn a_published_agent_goes_through_its_stage() {
    let parts = parts();
    let source = |published| CatalogSource {
        track: Some("notebook"),
        parts: Some(&parts),
        published,
        ..CatalogSource::default()
    };
    let solve = Stage::named("solve").unwrap();
    let own = Catalog::load(source(None)).unwrap();
    assert_eq!(own.stage(solve).unwrap().dialogue, None);
    let agents = Catalog::agents(source(None)).unwrap();
    let names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
    assert_eq!(names, ["react", "react-super", "reflexion", "swe-agent"]);
    for name in names {
        let catalog = Catalog::load(source(Some(name))).unwrap();
        assert_ne!(catalog.digest(), own.digest(), "{name}");
        let stage = catalog.stage(solve).unwrap();
        let dialogue = stage.dialogue.as_ref().unwrap();
        assert_eq!(dialogue.agent, name);
        assert_eq!(dialogue.form == DialogueForm::Commands, name == "swe-agent");
        assert_eq!(dialogue.reflection.is_some(), name == "reflexion");
        assert_eq!(dialogue.attempts > 1, name == "reflexion");
        assert_eq!(
            stage.tools.iter().any(|tool| tool == "edit"),
            ["react-super", "reflexion"].contains(&name)
        );
        assert_eq!((stage.output_tokens, stage.repairs), (1_500, 3), "as published");
    }
    let unknown = Catalog::load(source(Some("nobody"))).unwrap_err().to_string();
    assert!(
        unknown.contains("no agent `nobody`") && unknown.contains("react, react-super"),
        "{unknown}"
    );
    assert!(Catalog::load(source(Some("../solve"))).is_err());
    let elsewhere = CatalogSource {
        published: Some("react"),
        ..CatalogSource::default()
    };
    assert!(
        Catalog::load(elsewhere)
            .unwrap_err()
            .to_string()
            .contains("it has none")
    );
}

#[test]
fn a_faulty_agent_is_refused_with_its_line() {
    let parts = parts();
    let good = "agent = \"mine\"\nabout = \"mine\"\nform = \"react\"\ntools = [\"execute\", \"submit\"]\noutput_tokens = 500\n\
                repairs = 1\nprompts_of = \"react-super\"\n";
    let loaded = |text: &str| {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("solve/agents/mine");
        std::fs::create_dir_all(&own).unwrap();
        std::fs::write(own.join("agent.toml"), text).unwrap();
        Catalog::load(CatalogSource {
            track: Some("notebook"),
            parts: Some(&parts),
            published: Some("mine"),
            overrides: Some(folder.path()),
            agent: None,
        })
        .map(|_| ())
        .map_err(|error| error.to_string())
    };
    assert_eq!(loaded(good), Ok(()));
    for (from, to, said) in [
        ("\"execute\"", "\"bash\"", "line 4: the tool `bash` is not known"),
        (
            "agent = \"mine\"",
            "agent = \"yours\"",
            "stands in the folder of `mine`",
        ),
        ("form = \"react\"", "form = \"prose\"", "line 3"),
        (
            "repairs = 1",
            "repairs = 1\nattempts = 99",
            "99 attempts are not between 1 and 10",
        ),
        (
            "repairs = 1",
            "repairs = 1\nattempts = 2",
            "mine/reflection.md` is missing",
        ),
        ("react-super", "nobody", "mine/system.md` is missing"),
        (
            "output_tokens = 500",
            "output_tokens = 5",
            "at least 256 output tokens",
        ),
    ] {
        let refused = loaded(&good.replace(from, to)).unwrap_err();
        assert!(refused.contains(said), "{said}: {refused}");
    }
}
