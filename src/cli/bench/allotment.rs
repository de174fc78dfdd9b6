//! The division of the caps on all cells among those that work apart from one another.
//!
//! What a cell is allotted is a cap on everything that it ever comes to. While it is at work, all of it
//! is taken; afterwards only what it spent. So the sum never passes the cap, whoever works where.

use super::cell_plan::PlannedCell;
use crate::domain::usage::MicroDollars;
use crate::policy::limits::{Caps, Used};
use crate::policy::scope::Scope;

/// A cell as it counts in the division.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AllottedCell {
    /// What all its attempts have come to.
    pub spent: Used,
    /// What it was allotted, where it is or may be at work.
    pub at_work: Option<Caps>,
    /// Whether it is to be given something.
    pub wants: bool,
    /// The caps on its run alone.
    pub of_run: Caps,
}

impl AllottedCell {
    /// A cell on which nobody works, and that is given nothing yet.
    pub fn of_cell(cell: &PlannedCell) -> Self {
        Self {
            spent: cell.spent,
            at_work: None,
            wants: false,
            of_run: cell.run.request.budget.caps(Scope::Run),
        }
    }
}

/// A quantity of those that can be capped for all.
#[derive(Clone, Copy)]
struct Capped {
    cap: fn(&Caps) -> Option<u64>,
    used: fn(&Used) -> u64,
}

const TURNS: Capped = Capped {
    cap: |caps| caps.turns,
    used: |used| used.turns,
};
const TOKENS: Capped = Capped {
    cap: |caps| caps.tokens,
    used: |used| used.tokens,
};
const MONEY: Capped = Capped {
    cap: |caps| caps.money.map(|money| money.0),
    used: |used| used.money.0,
};

/// What a cell at work may still come to, beyond what it spent.
pub fn outstanding(spent: Used, allotted: Option<Caps>) -> Used {
    let left = left_of(&allotted.unwrap_or_default(), &spent);
    Used {
        turns: left.turns.unwrap_or_default(),
        tokens: left.tokens.unwrap_or_default(),
        money: left.money.unwrap_or_default(),
        seconds: 0,
    }
}

/// Whether some cell is at work without a cap on what is capped for all, or for its group.
pub fn is_unlimited(all: &Caps, groups: &[CappedGroup], cells: &[AllottedCell]) -> bool {
    let lacks_one = |group: &CappedGroup| lacks_a_cap(&group.caps, group.members(cells));
    lacks_a_cap(all, cells.iter().copied()) || groups.iter().any(lacks_one)
}

fn lacks_a_cap(all: &Caps, cells: impl IntoIterator<Item = AllottedCell>) -> bool {
    let lacks = |allotted: &Caps| {
        let lacks = |quantity: Capped| (quantity.cap)(all).is_some() && (quantity.cap)(allotted).is_none();
        lacks(TURNS) || lacks(TOKENS) || lacks(MONEY)
    };
    (cells.into_iter()).any(|cell| cell.at_work.as_ref().is_some_and(lacks))
}

/// Caps that allow a cell nothing beyond what it spent, where all are capped.
pub fn nothing_more(all: &Caps, spent: Used) -> Caps {
    let of = |quantity: Capped| (quantity.cap)(all).map(|_| (quantity.used)(&spent));
    caps(of(TURNS), of(TOKENS), of(MONEY))
}

/// The caps of each cell that wants some, in equal parts of what is left, and no more than the cap on
/// its run; `None` of a cell that wants nothing, or for which nothing is left.
fn allot(all: &Caps, cells: &[AllottedCell]) -> Vec<Option<Caps>> {
    let part = |quantity: Capped| {
        let cap = (quantity.cap)(all);
        cap.map(|cap| quantity.parts(quantity.left(cap, cells), cells))
    };
    let (turns, tokens, money) = (part(TURNS), part(TOKENS), part(MONEY));
    let given = |parts: &Option<Vec<u64>>, quantity: Capped, number: usize| match parts {
        None => Some(None),
        Some(parts) => {
            let part = *parts.get(number)?;
            let spent = (quantity.used)(&cells.get(number)?.spent);
            (part > 0).then(|| Some(spent.saturating_add(part)))
        }
    };
    let all = cells.iter().enumerate().map(|(number, cell)| {
        let turns = given(&turns, TURNS, number)?;
        let tokens = given(&tokens, TOKENS, number)?;
        let money = given(&money, MONEY, number)?;
        cell.wants.then(|| caps(turns, tokens, money))
    });
    all.collect()
}

/// Cells that have caps together, beside those on all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CappedGroup {
    pub caps: Caps,
    /// The places of its cells among all.
    pub cells: Vec<usize>,
}

/// The same division under the caps of groups as well: what a group has left is divided among its cells first, and a
/// cell gets no more of what is left for all than its part of that.
pub fn allot_within(all: &Caps, groups: &[CappedGroup], cells: &[AllottedCell]) -> Vec<Option<Caps>> {
    let mut bounded = cells.to_vec();
    let mut of_groups: Vec<Option<Caps>> = vec![None; cells.len()];
    for group in groups {
        let members: Vec<AllottedCell> = group.members(cells).collect();
        for (place, given) in group.cells.iter().zip(allot(&group.caps, &members)) {
            let (Some(cell), Some(of_group)) = (bounded.get_mut(*place), of_groups.get_mut(*place)) else {
                continue;
            };
            cell.wants &= given.is_some();
            if let Some(given) = given {
                cell.of_run = least(&cell.of_run, &left_of(&given, &cell.spent));
            }
            *of_group = given;
        }
    }
    let given = allot(all, &bounded).into_iter().zip(of_groups);
    let both = |(given, of_group): (Option<Caps>, Option<Caps>)| {
        let given = given?;
        Some(of_group.map_or(given, |of_group| least(&of_group, &given)))
    };
    given.map(both).collect()
}

/// What caps on all that a cell may come to allow beyond what it spent.
pub fn left_of(caps_on_all: &Caps, spent: &Used) -> Caps {
    let left = |quantity: Capped| {
        let cap = (quantity.cap)(caps_on_all)?;
        Some(cap.saturating_sub((quantity.used)(spent)))
    };
    caps(left(TURNS), left(TOKENS), left(MONEY))
}

/// The lesser of two caps, quantity by quantity.
pub fn least(one: &Caps, other: &Caps) -> Caps {
    let of = |one: Option<u64>, other: Option<u64>| one.into_iter().chain(other).min();
    Caps {
        turns: of(one.turns, other.turns),
        tokens: of(one.tokens, other.tokens),
        money: of(one.money.map(|money| money.0), other.money.map(|money| money.0)).map(MicroDollars),
        seconds: of(one.seconds, other.seconds),
    }
}

impl CappedGroup {
    /// Its cells among all.
    fn members<'a>(&'a self, cells: &'a [AllottedCell]) -> impl Iterator<Item = AllottedCell> + 'a {
        self.cells.iter().filter_map(|place| cells.get(*place).copied())
    }
}

fn caps(turns: Option<u64>, tokens: Option<u64>, money: Option<u64>) -> Caps {
    Caps {
        turns,
        tokens,
        money: money.map(MicroDollars),
        seconds: None,
    }
}

impl Capped {
    fn left(self, cap: u64, cells: &[AllottedCell]) -> u64 {
        let taken = cells.iter().map(|cell| {
            let spent = (self.used)(&cell.spent);
            let allotted = cell.at_work.as_ref().and_then(self.cap);
            allotted.map_or(spent, |allotted| allotted.max(spent))
        });
        taken.fold(cap, u64::saturating_sub)
    }

    /// The part of each cell: those with the least caps of their own first, so that what they cannot
    /// use goes to the others.
    fn parts(self, left: u64, cells: &[AllottedCell]) -> Vec<u64> {
        let own = |cell: &AllottedCell| (self.cap)(&cell.of_run).unwrap_or(u64::MAX);
        let mut order: Vec<usize> = (0..cells.len()).filter(|number| cells[*number].wants).collect();
        order.sort_by_key(|number| own(&cells[*number]));
        let mut parts = vec![0; cells.len()];
        let mut left = left;
        let mut waiting = order.len() as u64;
        for number in order {
            let part = (left / waiting).min(own(&cells[number]));
            parts[number] = part;
            left -= part;
            waiting -= 1;
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn money(cents: u64) -> Caps {
        caps(None, None, Some(cents))
    }

    fn cell(spent: u64, at_work: Option<u64>, wants: bool, of_run: Option<u64>) -> AllottedCell {
        AllottedCell {
            spent: Used {
                money: MicroDollars(spent),
                ..Used::default()
            },
            at_work: at_work.map(money),
            wants,
            of_run: of_run.map(money).unwrap_or_default(),
        }
    }

    #[test]
    fn what_is_left_is_divided_and_what_a_cell_cannot_use_goes_to_others() {
        let cells = [
            // Over: it counts with what it spent.
            cell(10, None, false, None),
            // At work: with what it was allotted.
            cell(5, Some(30), false, None),
            cell(0, None, true, Some(4)),
            cell(7, None, true, None),
            cell(0, None, true, None),
        ];
        let parts = allot(&money(100), &cells);
        let expected = [None, None, Some(money(4)), Some(money(7 + 24)), Some(money(25))];
        assert_eq!(parts, expected);
        // Nothing is capped, or nothing is left.
        assert_eq!(allot(&Caps::default(), &cells)[2], Some(Caps::default()));
        assert_eq!(allot(&money(47), &cells), [None; 5]);
    }

    #[test]
    fn a_group_divides_its_own_and_what_it_cannot_use_goes_to_the_others() {
        let cells = [
            cell(10, None, true, None),
            cell(0, None, true, None),
            cell(0, None, true, None),
            cell(6, Some(16), false, None),
        ];
        let groups = [CappedGroup {
            caps: money(40),
            cells: vec![0, 1, 3],
        }];
        // Of 40 the group has 14 left for two; of 126 what they cannot use goes to the third.
        let given = allot_within(&money(126), &groups, &cells);
        assert_eq!(given, [Some(money(17)), Some(money(7)), Some(money(86)), None]);
        // All have less left than the group.
        let given = allot_within(&money(32), &groups, &cells);
        assert_eq!(given, [Some(money(12)), Some(money(2)), Some(money(2)), None]);
        // A cap on the group alone, of which nothing is left.
        let groups = [CappedGroup {
            caps: money(26),
            cells: vec![0, 1, 3],
        }];
        let given = allot_within(&Caps::default(), &groups, &cells);
        assert_eq!(given, [None, None, Some(Caps::default()), None]);
        let unlimited = |cells: &[AllottedCell]| is_unlimited(&Caps::default(), &groups, cells);
        assert!(!unlimited(&cells));
        let mut without = cells;
        without[3].at_work = Some(Caps::default());
        assert!(unlimited(&without));
    }

    fn any_cell() -> impl Strategy<Value = AllottedCell> {
        let at_work = proptest::option::of(0_u64..2000);
        (
            0_u64..500,
            at_work,
            any::<bool>(),
            proptest::option::of(1_u64..300),
        )
            .prop_map(|(spent, at_work, wants, own)| {
                let at_work = at_work.map(|allotted| allotted.max(spent));
                cell(spent, at_work, wants && at_work.is_none(), own)
            })
    }

    proptest! {
        /// If everybody spends what it may, the cap still holds.
        #[test]
        fn no_cap_is_passed(cap in 0_u64..5000, cells in proptest::collection::vec(any_cell(), 0..40)) {
            let most = |cell: &AllottedCell, given: &Option<Caps>| {
                let allotted = given.or(cell.at_work).and_then(|caps| caps.money);
                allotted.map_or(cell.spent.money.0, |money| money.0)
            };
            let given = allot(&money(cap), &cells);
            let before: u64 = cells.iter().map(|cell| most(cell, &None)).sum();
            let after: u64 = cells.iter().zip(&given).map(|(cell, given)| most(cell, given)).sum();
            prop_assert!(after <= cap.max(before), "{after} of {cap}, {before} before");
            for (cell, given) in cells.iter().zip(&given) {
                prop_assert!(given.is_none() || cell.wants);
            }
        }

        /// Nor is one of a group, nor that on all beside it.
        #[test]
        fn no_cap_of_a_group_is_passed(
            cap in 0_u64..5000,
            of_group in 0_u64..3000,
            cells in proptest::collection::vec((any_cell(), any::<bool>()), 0..40),
        ) {
            let (cells, is_member): (Vec<AllottedCell>, Vec<bool>) = cells.into_iter().unzip();
            let members: Vec<usize> = (0..cells.len()).filter(|place| is_member[*place]).collect();
            let groups = [CappedGroup { caps: money(of_group), cells: members.clone() }];
            let given = allot_within(&money(cap), &groups, &cells);
            let most = |place: usize, given: &Option<Caps>| {
                let allotted = given.or(cells[place].at_work).and_then(|caps| caps.money);
                allotted.map_or(cells[place].spent.money.0, |money| money.0)
            };
            let sum = |places: &[usize], is_given: bool| -> u64 {
                places.iter().map(|place| most(*place, if is_given { &given[*place] } else { &None })).sum()
            };
            let all: Vec<usize> = (0..cells.len()).collect();
            prop_assert!(sum(&all, true) <= cap.max(sum(&all, false)));
            prop_assert!(sum(&members, true) <= of_group.max(sum(&members, false)));
        }
    }
}
