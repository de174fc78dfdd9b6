//! An earlier audit of a bench, of which parts stay.

use std::collections::BTreeSet;

use super::cell_spec::{CellSpec, EntryTask};
use crate::analysis::bench::audit::AuditedTask;
use crate::analysis::bench::judge_audit::AuditedJudge;
use crate::cli::bench_folder::BenchFolder;
use crate::cli::exit::Failure;

/// The part of an earlier audit that is of tasks which are left out of this one.
#[derive(Default)]
pub struct KeptAudit {
    earlier: Vec<AuditedTask>,
    judges: Vec<AuditedJudge>,
    kept: Vec<AuditedTask>,
}

impl KeptAudit {
    /// Of a bench's folder, where a part of the tasks is left out. A whole audit takes the place of what was there of
    /// tasks, damaged files too, and leaves what was found of judges at studies that are what they were.
    ///
    /// # Errors
    /// A file that is none of an audit.
    pub fn new(folder: &BenchFolder<'_>, tasks: &[EntryTask], is_partial: bool) -> Result<Self, Failure> {
        if is_partial {
            return Ok(Self {
                earlier: folder.audit()?,
                judges: folder.audited_judges()?,
                kept: Vec::new(),
            });
        }
        let contents: BTreeSet<String> = tasks.iter().map(|task| task.content.to_string()).collect();
        let is_current = |judge: &AuditedJudge| match &judge.content {
            Some(content) => contents.contains(content),
            // The review of a conversation is of no study.
            None => judge.task.is_empty(),
        };
        let judges = folder.audited_judges().unwrap_or_default();
        Ok(Self {
            judges: judges.into_iter().filter(is_current).collect(),
            ..Self::default()
        })
    }

    /// Keeps what was found of a task under its arm.
    pub fn keep(&mut self, spec: &CellSpec) {
        let is_of = |task: &AuditedTask| task.is_of(spec.kind, &spec.task, &spec.arm);
        let (kept, earlier): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.earlier).into_iter().partition(is_of);
        self.earlier = earlier;
        self.kept.extend(kept);
    }

    /// What was kept with what was found now.
    pub fn with(
        self,
        audited: &[AuditedTask],
        judges: &[AuditedJudge],
    ) -> (Vec<AuditedTask>, Vec<AuditedJudge>) {
        let tasks = self.kept.into_iter().chain(audited.iter().cloned());
        let is_tried = |one: &AuditedJudge| {
            let key = |judge: &AuditedJudge| (judge.judge.clone(), judge.task.clone());
            judges.iter().any(|judge| key(judge) == key(one))
        };
        let earlier = self.judges.into_iter().filter(|judge| !is_tried(judge));
        (tasks.collect(), earlier.chain(judges.iter().cloned()).collect())
    }
}
