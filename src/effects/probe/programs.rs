//! The programs that change the data, as an approval shows and digests them.

use std::collections::BTreeMap;

use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::domain::digest::Digest;
use crate::domain::probe::ProbeKind;
use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::engine::run_reader;
use crate::engine::session::Session;
use crate::policy::subject::Probes;
use crate::run::state::State;
use crate::verdict::probe::{joint_moves, permuted, unchanged};

/// The share of the rows that is dropped.
pub const SHARE: f64 = 0.1;

/// A program that changes data in the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Program {
    pub name: &'static str,
    pub text: &'static str,
}

/// Through pandas, pyreadstat, pyreadr and openpyxl.
pub const PYTHON: Program = Program {
    name: "probe_data.py",
    text: include_str!("../../../helpers/probe_data.py"),
};
/// Through base R and haven.
pub const R: Program = Program {
    name: "probe_data.R",
    text: include_str!("../../../helpers/probe_data.R"),
};
/// The engine's own, for delimited text.
const DELIMITED: Program = Program {
    name: "delimited.rs",
    text: concat!(
        include_str!("delimited.rs"),
        include_str!("../../statistics/generator.rs")
    ),
};

/// The probes of an execution under this version's rules; `None` where the run has none.
///
/// # Errors
/// A plan that the store lacks or that no longer fits its type.
pub fn approved(session: &Session) -> Result<Option<Probes>, EngineError> {
    if !session.state.is_probed() {
        return Ok(None);
    }
    let plan = run_reader::answer::<ReplicationInfo>(&session.state, session.store.as_ref(), Stage::DESIGN)?;
    let term = plan
        .and_then(|info| info.criterion())
        .map(|criterion| criterion.focal_term);
    Ok(Some(probes(&session.state, term.as_deref())))
}

fn probes(state: &State, term: Option<&str>) -> Probes {
    let column = match term {
        Some(term) => format!(
            "the column of the focal term `{term}`, else of the plan's first predictor, in every data file that was opened; of an interaction \
             each column by turns; outcome: the column that the plan names as its outcome; aligned: the values of that \
             column in the order of the focal one"
        ),
        None => "none: the plan names no focal term".to_owned(),
    };
    let changes = [
        (ProbeKind::Without, 1),
        (ProbeKind::Permuted, permuted::MOST),
        (ProbeKind::Dropped, joint_moves::MOST),
        (ProbeKind::Unchanged, unchanged::MOST),
        (ProbeKind::Outcome, permuted::MOST),
        (ProbeKind::Aligned, 2),
    ];
    Probes {
        seed: seed(state),
        column,
        changes: changes
            .into_iter()
            .map(|(kind, most)| (kind.word().to_owned(), most))
            .collect(),
        programs: [PYTHON, R, DELIMITED]
            .into_iter()
            .map(|program| (program.name.to_owned(), Digest::compute(program.text)))
            .collect::<BTreeMap<_, _>>(),
    }
}

/// The seed of a run's probes, which follows from its data.
pub fn seed(state: &State) -> u64 {
    let data = state.started.as_ref().map(|started| started.data_digest.hex());
    data.as_deref()
        .and_then(|hex| hex.get(..12))
        .and_then(|digits| u64::from_str_radix(digits, 16).ok())
        .unwrap_or(0)
}

/// The lines of a question to the approver.
pub fn details(probes: &Probes) -> String {
    let changes: Vec<String> = probes
        .changes
        .iter()
        .map(|(kind, most)| format!("{kind} (at most {most})"))
        .collect();
    let mut text = format!(
        "probes    the same commands again, each in a copy of the workspace: {}; seed {}\n          permuted: {}\n",
        changes.join(", "),
        probes.seed,
        probes.column
    );
    for (name, digest) in &probes.programs {
        text.push_str(&format!("program   {}  {name}\n", digest.short()));
    }
    text
}
