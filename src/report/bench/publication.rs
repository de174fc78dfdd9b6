//! The texts that go with the published results of a bench: README and citation file.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::json;

use crate::analysis::bench::audit::{AuditedTask, reference_lines};
use crate::analysis::bench::bench_figures::BenchFigures;
use crate::analysis::bench::cell::{BenchCell, TaskKind};
use crate::analysis::bench::figures::CellFigures;
use crate::report::sanitize;

/// An author of the results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Author {
    Person { family: String, given: String },
    Organisation(String),
}

impl Author {
    /// Reads `Family, Given`; a name without a comma is an organisation's. `None` where a part is empty.
    pub fn parse(text: &str) -> Option<Self> {
        let part = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        Some(match text.split_once(',') {
            Some((family, given)) => Self::Person {
                family: part(family)?,
                given: part(given)?,
            },
            None => Self::Organisation(part(text)?),
        })
    }
}

/// The results of a bench as they are published.
pub struct Publication<'a> {
    pub title: &'a str,
    pub authors: &'a [Author],
    /// An SPDX identifier; `None` where none is given.
    pub license: Option<&'a str>,
    /// The day of the last run, as `2026-11-26`; `None` where no run has a time.
    pub day: Option<&'a str>,
    /// The program's version.
    pub version: &'a str,
    pub planned: usize,
    pub cells: &'a [BenchCell],
    pub audit: &'a [AuditedTask],
    /// Why cells are of quarantined tasks, by their ids.
    pub quarantined: &'a BTreeMap<String, String>,
}

impl Publication<'_> {
    /// The citation file (CFF 1.2.0); JSON is YAML, and no text can leave its quotes.
    pub fn citation(&self) -> String {
        let authors: Vec<_> = self
            .authors
            .iter()
            .map(|author| match author {
                Author::Person { family, given } => json!({ "family-names": family, "given-names": given }),
                Author::Organisation(name) => json!({ "name": name }),
            })
            .collect();
        let mut lines = vec![
            ("cff-version", json!("1.2.0")),
            ("message", json!("Cite these results as below.")),
            ("type", json!("dataset")),
            ("title", json!(self.title)),
            ("authors", json!(authors)),
        ];
        lines.extend(self.license.map(|license| ("license", json!(license))));
        lines.extend(self.day.map(|day| ("date-released", json!(day))));
        lines.push((
            "keywords",
            json!(["replication", "evaluation of agents", "reprise"]),
        ));
        lines
            .iter()
            .map(|(key, value)| format!("{key}: {value}\n"))
            .collect()
    }

    /// The README.
    pub fn readme(&self) -> String {
        let mut text = format!("# {}\n\n", sanitize::markdown(self.title));
        let _ = writeln!(
            text,
            "Results of {} of {} planned cells, run by reprise {}. A cell is one attempt of one agent at one task under \
             one setting. What waits, was stopped or fell to the machine is unscored and in no share.\n",
            self.cells.len(),
            self.planned,
            self.version
        );
        let figures = BenchFigures::new(self.cells, self.quarantined);
        for kind in TaskKind::ALL {
            let goal = format!("{}: {}", kind.plural(), kind.goal());
            let rows: Vec<&CellFigures> = (figures.agents.iter()).filter(|one| one.kind == kind).collect();
            if rows.is_empty() {
                continue;
            }
            let _ = writeln!(
                text,
                "## {goal}\n\n| agent | share | 95 % interval | n | tasks | clusters | unscored |\n|---|---|---|---|---|---|---|"
            );
            for one in rows {
                let _ = writeln!(text, "{}", row(one, ""));
                if let Some(other) = one.of_fewer(&figures.agents_without) {
                    let _ = writeln!(text, "{}", row(other, WITHOUT));
                }
            }
            for line in reference_lines(self.audit)
                .iter()
                .filter(|line| line.kind == kind)
            {
                let _ = writeln!(
                    text,
                    "| {} (audit){} | {} | | {} of {} | {} | | {} |",
                    line.name,
                    if line.is_without_quarantined { WITHOUT } else { "" },
                    share(line.success.share()),
                    line.success.count.hits,
                    line.success.count.of,
                    line.tasks,
                    match line.untried {
                        0 => String::new(),
                        count => format!("{count} not tried"),
                    }
                );
            }
            text.push('\n');
            if let Some(found) = figures.commonest.filter(|_| kind == TaskKind::Study) {
                let _ = writeln!(
                    text,
                    "An agent that always said the commonest verdict would agree with {} of {} verdicts.\n",
                    found.share.count.hits, found.share.count.of
                );
            }
        }
        text.push_str(
            "Intervals are Wilson's, over clusters: the tasks of one study (claims of one paper, a capsule at all its levels, \
             notebook tasks of one repository) are one, with all their repeats, as if they came out alike.\n\n",
        );
        if self.audit.is_empty() {
            text.push_str("The tasks were not audited with agents that earn nothing.\n\n");
        }
        text.push_str(
            "## Files\n\n\
             - `index.html`: the figures as a page\n\
             - `cells.jsonl`, `bench.json`: every cell, and what was planned\n\
             - `data/`: runs, stages and decisions as CSV and JSON lines; `data/datapackage.json` says what each column \
             holds\n\
             - `CITATION.cff`: how to cite this\n\n\
             Not here: the runs themselves (papers, data, conversations), the answers that attempts were graded by, \
             and keys.\n",
        );
        if self.license.is_none() {
            text.push_str("\nNo licence is given.\n");
        }
        text
    }
}

/// Added to the name of a line.
const WITHOUT: &str = ", without quarantined tasks";

fn row(one: &CellFigures, added: &str) -> String {
    let interval = one.success.interval.map_or_else(String::new, |interval| {
        format!("{:.3} to {:.3}", interval.lower, interval.upper)
    });
    format!(
        "| {}{added} | {} | {interval} | {} of {} | {} | {} | {} |",
        sanitize::markdown(&one.name),
        share(one.success.share()),
        one.success.count.hits,
        one.success.count.of,
        one.tasks,
        one.clusters,
        one.unscored
    )
}

fn share(share: Option<f64>) -> String {
    share.map_or_else(|| "none".to_owned(), |share| format!("{share:.3}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_quotes_and_cells() {
        for empty in ["", " ", ",", "Doe,", ", Jane", "\u{a0}"] {
            assert_eq!(Author::parse(empty), None, "{empty:?}");
        }
        let authors = [
            Author::parse("O\"Neil: x, A").unwrap(),
            Author::parse("A Lab").unwrap(),
        ];
        let publication = Publication {
            title: "native | python\n# not a heading",
            authors: &authors,
            license: None,
            day: Some("2026-11-26"),
            version: "0",
            planned: 3,
            cells: &[],
            audit: &[],
            quarantined: &BTreeMap::new(),
        };
        let citation = publication.citation();
        assert!(
            citation
                .contains(r#"authors: [{"family-names":"O\"Neil: x","given-names":"A"},{"name":"A Lab"}]"#),
            "{citation}"
        );
        assert!(
            citation.contains(r##"title: "native | python\n# not a heading""##),
            "{citation}"
        );
        let readme = publication.readme();
        assert!(readme.starts_with("# native \\| python "), "{readme}");
        assert!(!readme.contains("\n# not"), "{readme}");
        assert!(readme.contains("0 of 3 planned cells") && readme.contains("were not audited"));
    }
}
