//! In which order a judge is shown what it marks.

use serde::{Deserialize, Serialize};

use crate::domain::digest::Digest;

use crate::grading::judge::sheet::Field;

/// The order of one grading.
///
/// A repeat of the same text would measure a provider's cache: each one after
/// the first has the fields in another order, and every second one document and
/// reference in each other's place, so that a mark that hangs on its place flips.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// `None`: the schema's own order.
    pub seed: Option<u32>,
    /// True if document and reference have changed places.
    pub swapped: bool,
}

impl Order {
    /// The order of a repeat, from 0, of what is marked, as its text. The same
    /// text has the same order in every run, so that a recording fits each.
    pub fn new(marked: &str, repeat: u32, seed: u64) -> Self {
        let digest = Digest::compute_json(&(marked, repeat, seed)).hex();
        let drawn = digest
            .get(..8)
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        Self {
            seed: drawn.filter(|_| repeat > 0),
            swapped: repeat % 2 == 1,
        }
    }

    /// The fields in this order: by digest, which no version of a generator
    /// changes, and never in the order that they had.
    pub fn arrange(self, fields: &mut [&Field]) {
        let Some(seed) = self.seed else { return };
        let own = fields.to_vec();
        fields.sort_by_cached_key(|field| Digest::compute_json(&(seed, &field.path)));
        if *fields == own && !fields.is_empty() {
            fields.rotate_left(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::grading::judge::order::*;

    #[test]
    fn the_first_grading_keeps_the_order_and_each_repeat_has_its_own() {
        let fields: Vec<Field> = (0..12)
            .map(|at| Field {
                path: format!("data.f{at}"),
                document: Value::Null,
                reference: None,
                stated: None,
                decided: None,
            })
            .collect();
        let shown = |repeat, seed| {
            let order = Order::new("text", repeat, seed);
            let mut all: Vec<&Field> = fields.iter().collect();
            order.arrange(&mut all);
            let paths: Vec<String> = all.iter().map(|field| field.path.clone()).collect();
            (paths, order.swapped)
        };
        let own: Vec<String> = fields.iter().map(|field| field.path.clone()).collect();
        assert_eq!(shown(0, 0), (own.clone(), false));
        assert_eq!(shown(0, 7), (own.clone(), false));
        let (first, second) = (shown(1, 0), shown(2, 0));
        assert!(first.1 && !second.1);
        assert!(first.0 != own && second.0 != own && first.0 != second.0);
        assert_eq!(first, shown(1, 0), "the same each time");
        assert_ne!(first.0, shown(1, 1).0, "another seed");
        let mut sorted = first.0;
        sorted.sort();
        let mut all = own;
        all.sort();
        assert_eq!(sorted, all, "each field once");
        for seed in 0..20 {
            let mut two: Vec<&Field> = fields.iter().take(2).collect();
            Order::new("text", 2, seed).arrange(&mut two);
            assert_eq!(two[0].path, "data.f1", "a repeat in the first order");
        }
        assert_ne!(Order::new("text", 1, 0).seed, Order::new("other", 1, 0).seed);
    }
}
