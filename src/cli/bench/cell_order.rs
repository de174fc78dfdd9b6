//! The order in which the cells of a bench are begun.

use std::collections::BTreeMap;

use super::cell_plan::PlannedCell;
use super::file::{BenchFile, CellOrder};
use crate::domain::digest::Digest;

/// The key that a cell is put into order by.
struct OrderedCell {
    task: String,
    id: String,
}

/// Puts cells into the order that the file says.
pub fn arrange(file: &BenchFile, cells: &mut [PlannedCell]) {
    arrange_by(file.order, file.order_seed, cells, |cell| OrderedCell {
        task: format!("{:?} {}", cell.spec.kind, cell.spec.task),
        id: cell.id.clone(),
    });
}

fn arrange_by<T>(order: CellOrder, seed: Option<u64>, cells: &mut [T], by: impl Fn(&T) -> OrderedCell) {
    match order {
        CellOrder::Given => {}
        CellOrder::ByTask => {
            let mut first = BTreeMap::new();
            for (position, cell) in cells.iter().enumerate() {
                first.entry(by(cell).task).or_insert(position);
            }
            cells.sort_by_cached_key(|cell| first.get(&by(cell).task).copied());
        }
        // A cell's place goes by its own id, so that a further cell leaves the others in their order.
        CellOrder::Shuffled => cells.sort_by_cached_key(|cell| {
            Digest::compute(format!("{} {}", seed.unwrap_or_default(), by(cell).id)).to_string()
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arranged(order: CellOrder, seed: u64, cells: &str) -> String {
        let mut cells: Vec<char> = cells.chars().collect();
        arrange_by(order, Some(seed), &mut cells, |cell| OrderedCell {
            task: cell.to_ascii_lowercase().to_string(),
            id: cell.to_string(),
        });
        cells.into_iter().collect()
    }

    #[test]
    fn cells_are_begun_as_given_by_task_or_by_a_seed() {
        let given = "bacBAdefghij";
        assert_eq!(arranged(CellOrder::Given, 1, given), given);
        assert_eq!(arranged(CellOrder::ByTask, 1, given), "bBaAcdefghij");
        let shuffled = arranged(CellOrder::Shuffled, 1, given);
        assert_ne!(shuffled, given);
        assert_ne!(shuffled, arranged(CellOrder::Shuffled, 2, given));
        // However they are given; and one more changes nothing about the others.
        assert_eq!(shuffled, arranged(CellOrder::Shuffled, 1, "jihgfedABcab"));
        let more = arranged(CellOrder::Shuffled, 1, "bacBAdefghijX").replace('X', "");
        assert_eq!(shuffled, more);
    }
}
