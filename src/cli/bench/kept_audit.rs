//! An earlier audit of a bench, of which parts stay.

use super::cell_spec::CellSpec;
use crate::analysis::bench::audit::AuditedTask;
use crate::analysis::bench::judge_audit::AuditedJudge;
use crate::cli::bench_folder::BenchFolder;
use crate::cli::exit::Failure;

/// What an earlier audit found of tasks that are left out of this one.
pub struct KeptAudit {
    earlier: Vec<AuditedTask>,
    judges: Vec<AuditedJudge>,
    kept: Vec<AuditedTask>,
}

impl KeptAudit {
    /// Of a bench's folder.
    ///
    /// # Errors
    /// A file that is none of an audit.
    pub fn new(folder: &BenchFolder<'_>) -> Result<Self, Failure> {
        Ok(Self {
            earlier: folder.audit()?,
            judges: folder.audited_judges()?,
            kept: Vec::new(),
        })
    }

    /// Keeps what was found of a task under its arm.
    pub fn keep(&mut self, spec: &CellSpec) {
        let is_of =
            |task: &&AuditedTask| (task.kind, &task.task, &task.arm) == (spec.kind, &spec.task, &spec.arm);
        self.kept.extend(self.earlier.iter().filter(is_of).cloned());
    }

    /// What was kept with what was found now; of judges where only a part of the tasks was tried.
    pub fn with(
        self,
        audited: &[AuditedTask],
        judges: &[AuditedJudge],
        is_partial: bool,
    ) -> (Vec<AuditedTask>, Vec<AuditedJudge>) {
        let tasks = self.kept.into_iter().chain(audited.iter().cloned());
        let is_tried = |one: &AuditedJudge| {
            let key = |judge: &AuditedJudge| (judge.judge.clone(), judge.task.clone());
            judges.iter().any(|judge| key(judge) == key(one))
        };
        let earlier = self
            .judges
            .into_iter()
            .filter(|judge| is_partial && !is_tried(judge));
        (tasks.collect(), earlier.chain(judges.iter().cloned()).collect())
    }
}
