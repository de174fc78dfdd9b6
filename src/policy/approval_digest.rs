//! The digest of an approval: it covers everything that the approved command can reach.

use crate::domain::digest::Digest;

use super::subject::{Execute, Subject};

/// The form of digests that covers modes and empty folders.
pub const FORM: u32 = 1;

impl Execute {
    /// The same execution in the form that earlier builds asked about.
    pub fn in_first_form(mut self) -> Self {
        self.form = 0;
        self.empty_folders.clear();
        for file in self.files.iter_mut().chain(self.plan.as_deref_mut()) {
            file.executable = false;
        }
        self
    }

    /// The same execution with its sets in order, so that equal executions have equal digests.
    pub fn canonical(mut self) -> Self {
        self.files.sort();
        self.files.dedup();
        self.empty_folders.sort();
        self.empty_folders.dedup();
        self.mounts.writable.sort();
        self.mounts.writable.dedup();
        self
    }
}

impl Subject {
    /// The digest that a decision is good for: change one byte and it is another one.
    pub fn digest(&self) -> Digest {
        match self {
            Self::Execute(execute) => {
                Digest::compute_json(&Self::Execute(Box::new(execute.as_ref().clone().canonical())))
            }
            other => Digest::compute_json(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::subject::{Command, tests::execute};

    #[test]
    fn an_execution_without_probes_and_variants_has_the_digest_that_it_always_had() {
        let mut without = execute();
        without.probes = None;
        without.variants.clear();
        without.files[0].executable = true;
        let text = serde_json::to_string(&without.in_first_form()).unwrap();
        for part in ["probes", "variants", "form", "empty_folders", "executable", "ado"] {
            assert!(!text.contains(part), "{text}");
        }
    }

    #[test]
    fn every_part_of_an_execution_is_in_its_digest() {
        let base = Subject::Execute(Box::new(execute())).digest();
        let changes: [fn(&mut Execute); 25] = [
            |it| it.form += 1,
            |it| it.files[0].executable = true,
            |it| it.empty_folders.clear(),
            |it| it.environment = Digest::compute("python 3.13"),
            |it| it.commands[0].words.push("--fast".into()),
            |it| it.commands[0].directory = "work/sub".parse().unwrap(),
            |it| it.commands.push(it.commands[0].clone()),
            |it| it.files[1].digest = Digest::compute("one byte more"),
            |it| it.files[1].path = "work/other.py".parse().unwrap(),
            |it| drop(it.files.pop()),
            |it| it.mounts.data = Digest::compute("other data"),
            |it| it.mounts.ado = Some(Digest::compute("reghdfe 5.7.3")),
            |it| it.mounts.writable.push("work/out".parse().unwrap()),
            |it| drop(it.variables.insert("PYTHONPATH".into(), "/x".into())),
            |it| it.limits.seconds += 1,
            |it| it.plan = None,
            |it| it.network = true,
            |it| it.probes = None,
            |it| it.variants.clear(),
            |it| it.variants[0].name.push('x'),
            |it| it.variants[0].commands[0].words.push("--fast".into()),
            |it| {
                drop(
                    it.variants[0]
                        .variables
                        .insert("REPRISE_VARIANT".into(), "other".into()),
                )
            },
            |it| it.probes.as_mut().unwrap().seed += 1,
            |it| it.probes.as_mut().unwrap().column.push('x'),
            |it| {
                let programs = &mut it.probes.as_mut().unwrap().programs;
                programs.insert("probe_data.py".into(), Digest::compute("one byte more"));
            },
        ];
        for (number, change) in changes.iter().enumerate() {
            let mut changed = execute();
            change(&mut changed);
            assert_ne!(
                Subject::Execute(Box::new(changed)).digest(),
                base,
                "change {number}"
            );
        }
    }

    #[test]
    fn words_do_not_run_together() {
        let with = |words: &[&str]| {
            let mut it = execute();
            it.commands[0].words = words.iter().map(|&word| word.to_owned()).collect();
            Subject::Execute(Box::new(it)).digest()
        };
        assert_ne!(with(&["sh", "a b"]), with(&["sh", "a", "b"]));
    }

    #[test]
    fn the_order_of_files_does_not_matter_and_that_of_commands_does() {
        let mut swapped = execute();
        swapped.files.reverse();
        assert_eq!(
            Subject::Execute(Box::new(swapped)).digest(),
            Subject::Execute(Box::new(execute())).digest()
        );
        let mut two = execute();
        two.commands.push(Command {
            words: vec!["Rscript".into()],
            directory: "work".parse().unwrap(),
        });
        let mut turned = two.clone();
        turned.commands.reverse();
        assert_ne!(
            Subject::Execute(Box::new(two)).digest(),
            Subject::Execute(Box::new(turned)).digest()
        );
    }
}
