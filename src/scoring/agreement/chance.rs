//! Agreement beyond chance.

use super::table::{AgreementTable, OffScale};

/// Cohen's kappa with quadratic weights (Cohen 1968); `None` where either
/// rater's marks do not vary together with the other's.
pub fn quadratic_kappa(table: &AgreementTable) -> Option<f64> {
    let (judge, human) = table.margins();
    let n = table.n() as f64;
    let weight = |a: usize, b: usize| (a as f64 - b as f64).powi(2);
    let (mut observed, mut expected) = (0.0, 0.0);
    for cell in table.cells() {
        let weight = weight(cell.judge, cell.human);
        observed += weight * cell.count as f64;
        expected += weight * judge[cell.judge] as f64 * human[cell.human] as f64 / n;
    }
    (expected > 0.0).then(|| 1.0 - observed / expected)
}

/// Krippendorff's alpha with ordinal distances, of two raters.
pub fn alpha_of_table(table: &AgreementTable) -> Option<f64> {
    let (judge, human) = table.margins();
    let margin = |mark: usize| (judge[mark] + human[mark]) as f64;
    let k = table.categories();
    let cell = |counts: &[u64], a: usize, b: usize| counts[a * k + b] as f64;
    let counts = table.counts();
    let (mut observed, mut expected) = (0.0, 0.0);
    for a in 0..k {
        let mut between = margin(a);
        for b in a + 1..k {
            between += margin(b);
            let distance = (between - f64::midpoint(margin(a), margin(b))).powi(2);
            observed += 2.0 * distance * (cell(counts, a, b) + cell(counts, b, a));
            expected += 2.0 * distance * margin(a) * margin(b);
        }
    }
    let marks = 2.0 * table.n() as f64;
    (expected > 0.0).then(|| 1.0 - (marks - 1.0) * observed / expected)
}

/// Krippendorff's alpha with ordinal distances, of any number of raters.
///
/// Each unit lists the raters' marks, `None` where one is missing; units with
/// fewer than two marks say nothing. `None` where the marks do not vary.
/// Source: Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability".
///
/// # Errors
/// A scale that cannot be used, or a mark that it does not have.
pub fn ordinal_alpha(units: &[Vec<Option<u8>>], categories: usize) -> Result<Option<f64>, OffScale> {
    let k = AgreementTable::new(categories)?.categories();
    let mut coincidences = vec![vec![0.0; k]; k];
    for (position, unit) in units.iter().enumerate() {
        let mut counts = vec![0_u64; k];
        for mark in unit.iter().flatten() {
            match counts.get_mut(usize::from(*mark)) {
                Some(count) => *count += 1,
                None => {
                    return Err(OffScale::Mark {
                        paper: format!("unit {position}"),
                        mark: *mark,
                        highest: k - 1,
                    });
                }
            }
        }
        let marks: u64 = counts.iter().sum();
        if marks < 2 {
            continue;
        }
        for a in 0..k {
            for b in 0..k {
                let partners = counts[b] - u64::from(a == b && counts[b] > 0);
                coincidences[a][b] += (counts[a] * partners) as f64 / (marks - 1) as f64;
            }
        }
    }
    Ok(alpha(&coincidences))
}

fn alpha(coincidences: &[Vec<f64>]) -> Option<f64> {
    let margins: Vec<f64> = coincidences.iter().map(|row| row.iter().sum()).collect();
    let n: f64 = margins.iter().sum();
    let distance = |a: usize, b: usize| {
        let (low, high) = (a.min(b), a.max(b));
        let between: f64 = margins[low..=high].iter().sum();
        (between - f64::midpoint(margins[a], margins[b])).powi(2)
    };
    let (mut observed, mut expected) = (0.0, 0.0);
    for (a, row) in coincidences.iter().enumerate() {
        for (b, coincidence) in row.iter().enumerate() {
            observed += coincidence * distance(a, b);
            expected += margins[a] * margins[b] * distance(a, b);
        }
    }
    (expected > 0.0).then(|| 1.0 - (n - 1.0) * observed / expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn krippendorffs_own_example() {
        // Krippendorff (2011), section C: four observers, twelve units, ordinal alpha 0.815.
        let rows = [
            [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
            [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
            [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
            [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
        ];
        let units: Vec<Vec<Option<u8>>> = (0..12)
            .map(|unit| {
                rows.iter()
                    .map(|row| Some(row[unit]).filter(|mark| *mark > 0))
                    .collect()
            })
            .collect();
        let alpha = ordinal_alpha(&units, 6).unwrap().unwrap();
        assert_eq!((alpha * 1000.0).round(), 815.0, "{alpha}");
        assert!(ordinal_alpha(&units, 5).is_err());
        assert_eq!(ordinal_alpha(&[vec![Some(1), Some(1)]], 3), Ok(None));
    }
}
