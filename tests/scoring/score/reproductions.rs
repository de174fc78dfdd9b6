//! SCORE's reproductions: 399 published results computed again from the same data,
//! with the project's outcome for each quantity, decided here by the same rule.

use std::collections::HashMap;

use reprise::domain::bare_number::NumberForm;
use reprise::domain::finding::{PValue, Relation};
use reprise::verdict::numerical_agreement::{Agreement, of_count, of_number, of_p, overall};
use reprise::verdict::trace::WrittenNumber;

use crate::need;

/// One reproduction: its cells by column.
struct Reproduction(HashMap<String, String>);

impl Reproduction {
    fn text(&self, column: &str) -> &str {
        &self.0[column]
    }

    fn written(&self, column: &str) -> Option<WrittenNumber> {
        // As a table gives it: a whole number without a decimal point.
        let plain = self.number(column)?.to_string();
        WrittenNumber::parse(&plain, NumberForm::Plain)
    }

    fn number(&self, column: &str) -> Option<f64> {
        let cell = self.text(column);
        (!cell.is_empty()).then(|| cell.parse().unwrap())
    }

    fn outcome(&self, quantity: &str) -> Option<Agreement> {
        match self.text(&format!("repro_outcome_{quantity}")) {
            "precise" => Some(Agreement::Precise),
            "approximate" => Some(Agreement::Approximate),
            "not" => Some(Agreement::Not),
            "non-outcome" => None,
            other => panic!("{other}"),
        }
    }

    fn of(&self, printed: &str, found: &str) -> Option<Agreement> {
        of_number(&self.written(printed)?, self.number(found)?)
    }

    fn sample(&self) -> Option<Agreement> {
        of_count(
            self.number("orig_sample_criterion")?,
            self.number("repro_sample_size_value")?,
        )
    }

    fn coefficient(&self) -> Option<Agreement> {
        self.of("orig_coef_value", "repro_coef_value")
    }

    fn statistic(&self) -> Option<Agreement> {
        self.of("orig_stat_value", "repro_stat_value")
    }

    fn p(&self) -> Option<Agreement> {
        let relation = match self.text("orig_p_value_type") {
            "exact" => Relation::Equal,
            "less-than" => Relation::Less,
            "greater-than" => Relation::Greater,
            _ => return None,
        };
        let found = PValue {
            relation: Relation::Equal,
            value: self.number("repro_p_value")?,
        };
        of_p(relation, &self.written("orig_p_value")?, found)
    }

    /// An effect size that is the coefficient is not counted twice.
    fn effect(&self) -> Option<Agreement> {
        if self.text("orig_effect_size_type_repro") == "regression_coefficient" {
            return None;
        }
        self.of("orig_effect_size_value_repro", "repro_effect_size_value")
    }
}

fn read() -> Option<Vec<Reproduction>> {
    let path = need::shared("data/score/reproductions.csv")?;
    let mut reader = csv::Reader::from_path(&path).unwrap();
    let names = reader.headers().unwrap().clone();
    let rows = reader.records().map(|record| {
        let record = record.unwrap();
        let cells = names.iter().zip(&record);
        Reproduction(
            cells
                .map(|(name, cell)| (name.to_owned(), cell.to_owned()))
                .collect(),
        )
    });
    Some(rows.collect())
}

/// A quantity, how it is decided here, and the reports on which the project differs.
type Column = (
    &'static str,
    fn(&Reproduction) -> Option<Agreement>,
    &'static [&'static str],
);

/// The project replaced the printed value of these later in its tables: a p-value that was
/// printed as a bound has been computed, statistics have been taken out, effect sizes
/// converted. Its outcomes and limits (`repro_lb_*`) are of the value before.
const COLUMNS: [Column; 5] = [
    ("sample", Reproduction::sample, &[]),
    ("coef", Reproduction::coefficient, &["6m17_566_1", "7mgg_586_1"]),
    ("stat", Reproduction::statistic, STATISTICS),
    ("p", Reproduction::p, P_VALUES),
    ("effect", Reproduction::effect, EFFECTS),
];
const STATISTICS: &[&str] = &[
    "312k_491_1",
    "38y3_556_1",
    "4980_500_1",
    "615k_584_1",
    "65wm6_438_1",
    "65wm6_439_1",
    "65wm6_440_1",
    "65wm6_441_1",
    "65wm6_442_1",
    "93k7_558_1",
    "95y_559_1",
    "9k2y_524_1",
    "kzyz_563_1",
    "mzk9_544_1",
    "y436_547_1",
];
const P_VALUES: &[&str] = &[
    "05g8_562_1",
    "1012_483_1",
    "174z_485_1",
    "21352_36_1",
    "21952_376_1",
    "24783_276_1",
    "2kgyw_180_1",
    "2y4km_19_1",
    "2y4km_20_1",
    "2y4km_21_1",
    "2y4km_22_1",
    "2zg7_489_1",
    "3g03_495_1",
    "3z3k_498_1",
    "6m516_13_1",
    "6m516_14_1",
    "6m516_16_1",
    "6zz1k_317_1",
    "8297_516_1",
    "927_683_1",
    "k8z7_537_1",
    "k97z_538_1",
    "mzk9_544_1",
    "zmg9_551_1",
];
const EFFECTS: &[&str] = &[
    "1012_483_1",
    "21352_36_1",
    "245w6_377_1",
    "2zg7_489_1",
    "316k_492_1",
    "3z3k_498_1",
    "5698_554_1",
    "80yg_515_1",
    "93k7_558_1",
    "k637_536_1",
    "mzk9_544_1",
];

#[test]
fn every_outcome_of_the_project_is_recomputed() {
    let Some(rows) = read() else { return };
    assert_eq!(rows.len(), 399);
    println!("\nquantity  equal of 399  differing");
    for (name, decide, differing) in COLUMNS {
        let found: Vec<&str> = rows
            .iter()
            .filter(|row| decide(row) != row.outcome(name))
            .map(|row| row.text("report_id"))
            .collect();
        println!("{name:<9} {:>12}  {}", rows.len() - found.len(), found.join(" "));
        assert_eq!(found, differing, "{name}");
    }
}

#[test]
fn the_worst_quantity_is_the_result() {
    let Some(rows) = read() else { return };
    for row in &rows {
        let parts = COLUMNS.iter().filter_map(|(name, ..)| row.outcome(name));
        let expected = match row.text("repro_outcome_overall") {
            "none" => None,
            "not" => Some(Agreement::Not),
            "approximate" => Some(Agreement::Approximate),
            // A later label of precise ones.
            "precise" | "push button" => Some(Agreement::Precise),
            other => panic!("{other}"),
        };
        assert_eq!(overall(parts), expected, "{}", row.text("report_id"));
    }
}

/// Cells of these rows without an outcome have no printed or no reproduced value.
#[test]
fn a_quantity_of_one_side_has_no_outcome() {
    let Some(rows) = read() else { return };
    let one_sided = |row: &&Reproduction| {
        row.number("orig_coef_value").is_some() != row.number("repro_coef_value").is_some()
    };
    let found: Vec<_> = rows
        .iter()
        .filter(one_sided)
        .map(|row| (row.coefficient(), row.outcome("coef")))
        .collect();
    assert!(!found.is_empty() && found.iter().all(|pair| *pair == (None, None)));
}
