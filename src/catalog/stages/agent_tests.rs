//! Published agents, as they are loaded and refused.

use super::agent_file::StageAgent;
use super::definition::StageDefinition;
use super::dialogue::DialogueForm;
use super::inputs::AnswerReview;
use super::load::{Catalog, CatalogSource};
use super::part_names::{EnvironmentName, PartNames};
use crate::domain::stage::Stage;

fn parts() -> PartNames {
    let cells = [
        "execute",
        "edit",
        "file_command",
        "continue_wait",
        "interrupt",
        "submit",
    ];
    let environment = |name: &str, tools: &[&str]| EnvironmentName {
        name: name.to_owned(),
        tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
    };
    PartNames {
        environments: vec![
            environment("kernel", &cells),
            environment("shell", &["bash", "submit"]),
        ],
        graders: vec!["notebook-answers".to_owned(), "capsule-answers".to_owned()],
    }
}

#[test]
fn a_published_agent_goes_through_its_stage() {
    let parts = parts();
    let source = |agent| CatalogSource {
        track: Some("notebook"),
        parts: Some(&parts),
        agent,
        ..CatalogSource::default()
    };
    let solve = Stage::named("solve").unwrap();
    let own = Catalog::load(source(None)).unwrap();
    assert_eq!(own.stage(solve).unwrap().dialogue, None);
    let agents = Catalog::agents(source(None)).unwrap();
    let draws = |agent: &StageAgent| agent.sampling.to_string();
    assert_eq!(
        draws(&agents[0]),
        "temperature 0.2, top_p 0.5, stop `</content>` `Observation:`",
        "as published"
    );
    assert_eq!(draws(&agents[3]), "the provider's own settings");
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
        unknown.contains("no agent `nobody`") && unknown.contains("plain (our own loop), react, react-super"),
        "{unknown}"
    );
    assert!(
        unknown.contains("programs of others are codex, command"),
        "{unknown}"
    );
    assert!(Catalog::load(source(Some("../solve"))).is_err());
    let elsewhere = CatalogSource {
        agent: Some("react"),
        ..CatalogSource::default()
    };
    assert!(
        Catalog::load(elsewhere)
            .unwrap_err()
            .to_string()
            .contains("for the track `replication`: part of this program are plain (our own loop);")
    );
}

/// The definitions of capsules, as an agent goes by them.
fn of_capsules(agent: Option<&str>) -> Catalog {
    Catalog::load(CatalogSource {
        track: Some("capsule"),
        parts: Some(&parts()),
        agent,
        overrides: None,
    })
    .unwrap()
}

#[test]
fn an_agent_in_our_own_loop_changes_what_it_names_of_the_stage() {
    let reproduce = Stage::named("reproduce").unwrap();
    let (plain, core) = (of_capsules(None), of_capsules(Some("core-agent")));
    let (own, changed) = (plain.stage(reproduce).unwrap(), core.stage(reproduce).unwrap());
    assert_eq!(changed.review, Some(AnswerReview::CheckedAnswers));
    assert_ne!(own.system, changed.system);
    let as_own = StageDefinition {
        system: own.system.clone(),
        review: own.review,
        ..changed.clone()
    };
    assert_eq!(&as_own, own, "and nothing else");
}

#[test]
fn agents_say_what_they_need_and_are_held_to() {
    let parts = parts();
    let agents = Catalog::agents(CatalogSource {
        track: Some("capsule"),
        parts: Some(&parts),
        ..CatalogSource::default()
    });
    let [core]: [StageAgent; 1] = agents.unwrap().try_into().unwrap();
    assert_eq!((core.name.as_str(), core.attempts), ("core-agent", 1));
    assert!(core.looks_at_figures);
    assert_eq!(
        (core.limits.seconds, core.limits.dollars),
        (Some(7200), Some(4.0))
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
            agent: Some("mine"),
            overrides: Some(folder.path()),
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
        (
            "\"execute\", ",
            "",
            "line 3: conversations of this form act through `execute`",
        ),
        (
            "form = \"react\"\n",
            "attempts = 2\n",
            "line 3: our own loop makes one attempt",
        ),
        ("repairs = 1", "turns = 0", "between 1 and 1000 turns"),
        (
            "repairs = 1",
            "looks_at_figures = true",
            "solve answers no questions",
        ),
        ("repairs = 1", "review = \"plan\"", "holds a `replication_info`"),
        (
            "prompts_of = \"react-super\"\n",
            "[sampling]\ntop_p = 1.5\n",
            "line 8: `top_p` is a number above 0",
        ),
        (
            "prompts_of = \"react-super\"\n",
            "[sampling]\nstop = [\"\"]\n",
            "line 8",
        ),
        (
            "prompts_of = \"react-super\"\n",
            "[limits]\ndollars = 0.0\n",
            "line 7: 0 dollars are no sum",
        ),
    ] {
        let refused = loaded(&good.replace(from, to)).unwrap_err();
        assert!(refused.contains(said), "{said}: {refused}");
    }
}
