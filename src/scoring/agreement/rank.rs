//! Rank correlations of tied marks.

use super::table::AgreementTable;

/// Spearman's correlation: Pearson's of the mean ranks; `None` where either
/// rater gave one mark throughout.
pub fn spearman(table: &AgreementTable) -> Option<f64> {
    let (judge, human) = table.margins();
    let n = table.n() as f64;
    let ranks = |margin: &[u64]| -> Vec<f64> {
        let mut before = 0.0;
        let mut ranks = Vec::with_capacity(margin.len());
        for count in margin {
            let count = *count as f64;
            // Centred: the mean rank of all items is (n + 1) / 2.
            ranks.push(before + (count + 1.0) / 2.0 - (n + 1.0) / 2.0);
            before += count;
        }
        ranks
    };
    let (of_judge, of_human) = (ranks(judge), ranks(human));
    let square = |ranks: &[f64], margin: &[u64]| -> f64 {
        ranks
            .iter()
            .zip(margin)
            .map(|(rank, count)| rank * rank * *count as f64)
            .sum()
    };
    let covariance: f64 = (table.cells())
        .map(|cell| of_judge[cell.judge] * of_human[cell.human] * cell.count as f64)
        .sum();
    let scale = (square(&of_judge, judge) * square(&of_human, human)).sqrt();
    (scale > 0.0).then(|| covariance / scale)
}

/// Kendall's tau-b; `None` where either rater gave one mark throughout.
pub fn kendall(table: &AgreementTable) -> Option<f64> {
    // Items with a lower mark by the judge, by the human's mark.
    let mut before = vec![0.0; table.categories()];
    let (mut concordant, mut discordant) = (0.0, 0.0);
    for row in table.rows() {
        let (mut lower, mut higher) = (0.0, before.iter().sum::<f64>());
        for (count, of_before) in row.iter().zip(&before) {
            higher -= of_before;
            concordant += *count as f64 * lower;
            discordant += *count as f64 * higher;
            lower += of_before;
        }
        for (sum, count) in before.iter_mut().zip(row) {
            *sum += *count as f64;
        }
    }
    let pairs = |count: f64| count * (count - 1.0) / 2.0;
    let (judge, human) = table.margins();
    let tied = |margin: &[u64]| margin.iter().map(|count| pairs(*count as f64)).sum::<f64>();
    let all = pairs(table.n() as f64);
    let scale = ((all - tied(judge)) * (all - tied(human))).sqrt();
    (scale > 0.0).then(|| (concordant - discordant) / scale)
}
