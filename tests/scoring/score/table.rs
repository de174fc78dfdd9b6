//! Tables of the agreement of two ways of deciding.

use crate::score::claims::Claim;

/// Decisions of the project and ours on the same claims.
#[derive(Default)]
pub struct Agreement {
    /// That the project decides.
    pub theirs: usize,
    /// That we decide.
    pub ours: usize,
    /// That both decide, the same way.
    pub equal: usize,
    /// Where the project decides and we differ or leave it open.
    pub differing: Vec<String>,
}

impl Agreement {
    pub fn count<'a>(
        claims: impl IntoIterator<Item = &'a Claim>,
        theirs: impl Fn(&Claim) -> Option<bool>,
        ours: impl Fn(&Claim) -> Option<bool>,
    ) -> Self {
        let mut found = Self::default();
        for claim in claims {
            let (expected, decided) = (theirs(claim), ours(claim));
            found.theirs += usize::from(expected.is_some());
            found.ours += usize::from(decided.is_some());
            if expected.is_some() && expected == decided {
                found.equal += 1;
            } else if expected.is_some() {
                found.differing.push(claim.id().to_owned());
            }
        }
        found
    }

    pub fn counts(&self) -> [usize; 3] {
        [self.theirs, self.ours, self.equal]
    }

    pub fn print(&self, name: &str) {
        println!(
            "{name:<44} {:>5} {:>5} {:>5}  {}",
            self.theirs,
            self.ours,
            self.equal,
            self.differing.join(" ")
        );
    }
}
