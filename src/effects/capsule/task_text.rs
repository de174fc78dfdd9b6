//! The text of a task, as its agent is given it.

use crate::capsule::layout::level::{Layout, Level};

/// The text: what is to be reproduced, what of the capsule is there, and the questions.
pub struct TaskText<'a> {
    pub prompt: &'a str,
    pub questions: &'a [String],
    pub level: Level,
    pub layout: Layout,
    /// The folder that the capsule stands in, from the one that the shell starts in.
    pub folder: &'a str,
}

impl TaskText<'_> {
    /// The task in words.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let asked = self.prompt.trim();
        // The easy level of the original asks for what the results hold, and for no reproduction.
        let asks_for_results = self.level == Level::Easy && self.layout == Layout::Original;
        if !asks_for_results && !asked.is_empty() {
            text.push_str(asked);
            text.push_str("\n\n");
        }
        text.push_str(&self.there());
        text.push_str("\n\nThe questions, as a list of JSON texts:\n");
        text.push_str(&serde_json::to_string_pretty(self.questions).unwrap_or_default());
        text
    }

    fn there(&self) -> String {
        let folder = self.folder;
        match (self.level, self.layout) {
            (Level::Easy, Layout::Original) => format!(
                "The code of the paper was run already: the answers are to be found in what it left in \
                 `{folder}/results`. How it was run is not part of what you are given."
            ),
            (Level::Easy, _) => format!(
                "The code of the paper was run already: the answers are to be found in what it left in \
                 `{folder}/results`."
            ),
            (Level::Medium, _) => format!(
                "The code and data of the paper stand in `{folder}`, without its results. \
                 `{folder}/REPRODUCING.md` says how they were run in the published environment, which the \
                 session stands in as far as that can be made here: carry out its steps yourself, without \
                 Docker, and read the answers from what comes of them."
            ),
            (Level::Hard, _) => format!(
                "The code and data of the paper stand in `{folder}`, without its results, its environment and \
                 the script that ran it: find out how it is run, install what it needs, run it, and read the \
                 answers from what comes of it. Results that the code would write to `/results` or read from \
                 `/data` belong into `{folder}/results` and `{folder}/data`."
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_says_what_is_there() {
        let questions = [
            "Report the mean.".to_owned(),
            "fig Report the \"bar\".".to_owned(),
        ];
        let text = |level, layout| {
            TaskText {
                prompt: " Run run.sh. ",
                questions: &questions,
                level,
                layout,
                folder: "environment",
            }
            .text()
        };
        let easy = text(Level::Easy, Layout::Original);
        assert!(!easy.contains("Run run.sh") && easy.contains("environment/results"));
        assert!(text(Level::Easy, Layout::Hal).starts_with("Run run.sh.\n\n"));
        assert!(text(Level::Medium, Layout::V1_1).contains("REPRODUCING.md"));
        let hard = text(Level::Hard, Layout::Hal);
        assert!(hard.contains("find out how it is run") && !hard.contains("REPRODUCING"));
        assert!(hard.ends_with("[\n  \"Report the mean.\",\n  \"fig Report the \\\"bar\\\".\"\n]"));
    }
}
