//! A capsule of ours: code, data and results as their authors left them, questions, and the acts
//! of a recorded agent.

use serde_json::{Map, Value, json};

/// A level, as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Easy,
    Medium,
    Hard,
}

impl Level {
    pub const ALL: [Self; 3] = [Self::Easy, Self::Medium, Self::Hard];

    pub fn name(self) -> &'static str {
        match self {
            Self::Easy => "easy",
            Self::Medium => "medium",
            Self::Hard => "hard",
        }
    }
}

/// A question with the answers of three gold runs and of the agent.
pub struct Question {
    pub text: &'static str,
    pub gold: [Value; 3],
    pub answer: Value,
}

impl Question {
    /// Whose answer is the same each time.
    pub fn same(text: &'static str, answer: Value) -> Self {
        Self {
            text,
            gold: [answer.clone(), answer.clone(), answer.clone()],
            answer,
        }
    }

    pub fn varies(&self) -> bool {
        self.gold[0] != self.gold[1] || self.gold[0] != self.gold[2]
    }
}

/// A text file of a capsule.
#[derive(Clone, Copy)]
pub struct Text {
    pub name: &'static str,
    pub text: &'static str,
}

pub struct Capsule {
    pub id: &'static str,
    pub language: &'static str,
    pub prompt: &'static str,
    /// Files below the capsule, `REPRODUCING.md` and those of `environment/` and `results/` among them.
    pub files: Vec<Text>,
    /// Names of the shared material that stand in `data/`.
    pub material: &'static [&'static str],
    pub questions: Vec<Question>,
    /// Commands of the agent at a level, from the capsule's folder.
    pub acts: fn(Level) -> &'static [&'static str],
}

/// The command that every agent begins with.
pub fn listing(id: &str) -> String {
    format!("cd environment/{id} && find . -mindepth 1 -not -type d | LC_ALL=C sort")
}

impl Capsule {
    /// The entry of the task file.
    pub fn task(&self) -> Value {
        let run = |at: usize| -> Map<String, Value> {
            let answers = self.questions.iter();
            answers
                .map(|one| (one.text.to_owned(), one.gold[at].clone()))
                .collect()
        };
        json!({
            "field": "Test", "language": self.language, "capsule_title": format!("Capsule {}", self.id),
            "capsule_id": self.id, "task_prompt": self.prompt, "results": [run(0), run(1), run(2)],
            "capsule_doi": "https://doi.org/10.1/x",
        })
    }

    /// The right answers, as the agent hands them in.
    pub fn answers(&self) -> Map<String, Value> {
        let answers = self.questions.iter();
        answers
            .map(|one| (one.text.to_owned(), one.answer.clone()))
            .collect()
    }

    /// A recording of commands and of the answers behind them.
    pub fn recording(&self, level: Level, answers: &Map<String, Value>) -> Value {
        let first = listing(self.id);
        let commands = std::iter::once(first.as_str()).chain((self.acts)(level).iter().copied());
        let turn = |name: &str, arguments: Value| json!({"answer": {"calls": [{"name": name, "arguments": arguments}]}});
        let mut turns: Vec<Value> = commands
            .map(|command| turn("bash", json!({"command": command})))
            .collect();
        turns.push(turn("submit", json!({"answers": answers})));
        json!({
            "format": "reprise-recording/1", "origin": "written by hand",
            "note": "Written by hand, no model's output. Every command is real and runs in this run.",
            "study": self.id, "setting": "capsule", "stages": {"reproduce": {"turns": turns}},
        })
    }

    /// The files that an agent finds at a level in the original layout, in the order of their bytes.
    pub fn expected(&self, level: Level) -> Vec<String> {
        let how =
            |name: &str| name == "REPRODUCING.md" || name == "code/run" || name.starts_with("environment/");
        let kept = |name: &str| match level {
            Level::Easy => !how(name),
            Level::Medium => !name.starts_with("results/"),
            Level::Hard => !how(name) && !name.starts_with("results/"),
        };
        let data = self.material.iter().map(|name| format!("data/{name}"));
        let files = self.files.iter().map(|file| file.name.to_owned());
        let mut names: Vec<String> = files.chain(data).filter(|name| kept(name)).collect();
        names.sort();
        names.into_iter().map(|name| format!("./{name}")).collect()
    }
}
