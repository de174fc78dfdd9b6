//! Names of models and judges as a table can hold them.

use std::collections::BTreeMap;

use crate::grading::scorecard::card::Scorecard;

/// Short names that tell the names of one page apart.
#[derive(Debug, Clone, Default)]
pub struct Names(BTreeMap<String, String>);

impl Names {
    /// The short names of all that stand on one page.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut short: BTreeMap<String, String> = (names.into_iter())
            .map(|name| (name.to_owned(), short_name(name, 1).to_owned()))
            .collect();
        // Recordings of one file name in several folders: with as much of the path as differs.
        let mut kept = 1;
        loop {
            let taken: Vec<String> = short.values().cloned().collect();
            let mut changed = false;
            for (name, own) in &mut short {
                let longer = short_name(name, kept + 1);
                if taken.iter().filter(|other| *other == own).count() > 1 && longer != own {
                    longer.clone_into(own);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
            kept += 1;
        }
        // What no path tells apart, such as a recording that is replayed and one that is refreshed.
        let taken: Vec<String> = short.values().cloned().collect();
        for (name, own) in &mut short {
            if taken.iter().filter(|other| *other == own).count() > 1 {
                own.clone_from(name);
            }
        }
        Self(short)
    }

    /// The short names of the models and judges of runs.
    pub fn from_cards(cards: &[Scorecard]) -> Self {
        Self::new(cards.iter().flat_map(|card| {
            let judges = card.judges.iter().map(|judge| judge.judge.as_str());
            judges.chain([card.model.as_str()])
        }))
    }

    /// A name without the folders of a recording's path, as far as it is told
    /// apart from all others without them.
    pub fn short<'a>(&'a self, name: &'a str) -> &'a str {
        self.0
            .get(name)
            .map_or_else(|| short_name(name, 1), String::as_str)
    }
}

/// A recording's path from its last parts on, of which there are at least one;
/// another name as it is.
fn short_name(name: &str, parts: usize) -> &str {
    match name.split_once(':') {
        Some(("recorded" | "scripted", path)) => {
            let cut = path.rmatch_indices('/').nth(parts - 1);
            cut.map_or(path, |(at, _)| &path[at + 1..])
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_recordings_path_is_cut() {
        let names = Names::default();
        for (name, short) in [
            ("recorded:studies/x/by-hand.json", "by-hand.json"),
            ("recorded:python", "python"),
            ("openrouter/openai/gpt-5", "openrouter/openai/gpt-5"),
            ("ollama/llama3:8b/x", "ollama/llama3:8b/x"),
        ] {
            assert_eq!(names.short(name), short);
        }
    }

    #[test]
    fn names_of_one_page_are_told_apart() {
        let all = [
            "recorded:studies/duncan/judgings/by-hand.json",
            "recorded:studies/crime/judgings/by-hand.json",
            "recorded:c/other.json",
            "recorded:python",
            "scripted:python",
            "recorded:/by-hand.json",
        ];
        let names = Names::new(all);
        let short = all.map(|name| names.short(name));
        assert_eq!(
            short,
            [
                "duncan/judgings/by-hand.json",
                "crime/judgings/by-hand.json",
                "other.json",
                "recorded:python",
                "scripted:python",
                "/by-hand.json",
            ]
        );
    }
}
