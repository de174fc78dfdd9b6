//! Everything that keeps a bench file from naming cells, beside keys that there are not.

use std::collections::BTreeSet;

use super::file::{BenchFile, CellOrder, MOST_REPEATS, SEED, SettingValues, Settings};
use super::slurm::shape::SlurmShape;

impl BenchFile {
    /// Seeds that are there twice, too many, beside as many repeats or beside a setting.
    fn seed_faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let seeds = self.seeds.len();
        let mut known = BTreeSet::new();
        if let Some(twice) = self.seeds.iter().find(|seed| !known.insert(**seed)) {
            faults.push(format!(
                "`seeds` has {twice} twice: its repeats would be asked alike, so give each once"
            ));
        }
        if seeds > MOST_REPEATS as usize {
            faults.push(format!(
                "`seeds` has {seeds} of them, and a bench takes {MOST_REPEATS} repeats at most"
            ));
        }
        if seeds > 0 && self.repeats != 1 && self.repeats as usize != seeds {
            faults.push(format!(
                "`repeats = {}` beside {seeds} `seeds`: each seed is one repeat, so leave `repeats` out",
                self.repeats
            ));
        }
        let of_agents = self.agents.iter().any(|agent| agent.settings.contains_key(SEED));
        if seeds > 0 && (of_agents || self.all_settings().any(|settings| settings.contains_key(SEED))) {
            faults.push(
                "both `seeds` and the setting `seed` say what the model draws by: give one of them (each value of a list of \
                 the setting is an arm, and each of `seeds` a repeat)"
                    .to_owned(),
            );
        }
        faults
    }

    /// The settings of all cells and of every entry.
    fn all_settings(&self) -> impl Iterator<Item = &Settings> {
        let studies = self.studies.iter().map(|one| &one.settings);
        let capsules = self.capsules.iter().map(|one| &one.settings);
        let notebooks = self.notebooks.iter().map(|one| &one.settings);
        std::iter::once(&self.settings)
            .chain(studies)
            .chain(capsules)
            .chain(notebooks)
    }

    /// Everything that keeps the file from naming cells.
    pub(super) fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        if self.name.trim().is_empty() {
            faults.push("`name` is empty: say what the bench is of".to_owned());
        }
        if self.repeats == 0 {
            faults.push("`repeats = 0` runs nothing: give 1 or more".to_owned());
        }
        if self.repeats > MOST_REPEATS {
            faults.push(format!(
                "`repeats = {}` is more than a bench takes: give {MOST_REPEATS} at most",
                self.repeats
            ));
        }
        faults.extend(self.order_fault());
        let is_empty = self.studies.iter().all(|one| one.paths.is_empty())
            && self.capsules.iter().all(|one| one.files.is_empty())
            && self.notebooks.iter().all(|one| one.files.is_empty());
        if is_empty {
            faults.push(
                "it names no task: add [[studies]] with `paths`, or [[capsules]] or [[notebooks]] with `files`"
                    .to_owned(),
            );
        }
        let (mut names, mut twice) = (BTreeSet::new(), BTreeSet::new());
        for agent in &self.agents {
            if !names.insert(&agent.name) && twice.insert(&agent.name) {
                faults.push(format!("two agents are called `{}`: name each once", agent.name));
            }
        }
        let shapes = std::iter::once(&self.slurm)
            .chain(self.studies.iter().map(|one| &one.slurm))
            .chain(self.capsules.iter().map(|one| &one.slurm))
            .chain(self.notebooks.iter().map(|one| &one.slurm))
            .chain(self.agents.iter().map(|one| &one.slurm));
        let wrong = shapes.map(SlurmShape::check).filter_map(Result::err);
        faults.extend(wrong.map(|why| format!("in a table `slurm`, {why}")));
        faults.extend(self.seed_faults());
        let without = self.all_settings().flatten().filter(|(_, values)| match values {
            SettingValues::One(_) => false,
            SettingValues::Arms(arms) => arms.is_empty(),
        });
        faults
            .extend(without.map(|(name, _)| format!("the setting `{name}` has no value: its list is empty")));
        faults
    }

    /// A seed is given where cells are shuffled, and nowhere else.
    fn order_fault(&self) -> Option<String> {
        match (self.order, self.order_seed) {
            (CellOrder::Shuffled, None) => Some(
                "`order = \"shuffled\"` lacks its seed: add `order-seed` with a number, so that the order is the same each time"
                    .to_owned(),
            ),
            (CellOrder::Given | CellOrder::ByTask, Some(seed)) => Some(format!(
                "`order-seed = {seed}` shuffles nothing: give `order = \"shuffled\"` with it, or leave it out"
            )),
            _ => None,
        }
    }
}
