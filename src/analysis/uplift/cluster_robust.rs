//! Regression coefficients with errors that allow for dependence within clusters: CR2, which is
//! unbiased where observations are independent (Bell and McCaffrey 2002, Survey Methodology
//! 28(2)), and Satterthwaite's degrees of freedom (Pustejovsky and Tipton 2018, Journal of
//! Business & Economic Statistics 36(4)).

use std::collections::BTreeMap;

use super::symmetric::Eigen;

/// The eigenvalue of a cluster's part of the residual maker below which it counts as 0: dummies of
/// the clusters themselves make each part singular. As clubSandwich has it.
const SINGULAR: f64 = 1e-12;
/// The part of a column that has to be left after those before it, of its length, as in R's `lm`.
const COLLINEAR: f64 = 1e-7;

/// One coefficient.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClusteredCoefficient {
    pub estimate: f64,
    /// CR2.
    pub standard_error: f64,
    /// Satterthwaite's.
    pub df: f64,
    /// Clusters.
    pub clusters: usize,
}

/// The reason for which there is no coefficient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoCoefficient {
    #[error("its column is a sum of others")]
    Collinear,
    #[error("there are not more rows than coefficients")]
    TooFewRows,
    #[error("the clusters leave no degree of freedom for it")]
    NoDegrees,
    #[error("a number is not finite")]
    NotFinite,
}

/// A design with an orthonormal basis of its columns.
#[derive(Debug, Clone)]
pub struct Design {
    /// Orthonormal, one a column that is no sum of those before it.
    basis: Vec<Vec<f64>>,
    /// The coefficient of the last column is this vector's product with the outcome.
    weights: Vec<f64>,
    rows: usize,
}

impl Design {
    /// The design of some columns, of which the focal one comes last: a column that is a sum of
    /// those before it is left out, as in R's `lm`.
    ///
    /// # Errors
    /// A focal column that is such a sum, too few rows, or a number that is not finite.
    pub fn new(others: &[Vec<f64>], focal: &[f64]) -> Result<Self, NoCoefficient> {
        let rows = focal.len();
        let mut basis: Vec<Vec<f64>> = Vec::new();
        let columns = others.iter().map(Vec::as_slice).chain(std::iter::once(focal));
        let last = others.len();
        let mut weights = Vec::new();
        for (at, column) in columns.enumerate() {
            if column.iter().any(|value| !value.is_finite()) {
                return Err(NoCoefficient::NotFinite);
            }
            let length = dot(column, column).sqrt();
            let mut rest = column.to_vec();
            // Twice is enough (Kahan; Parlett 1998, section 6.9).
            for _ in 0..2 {
                for own in &basis {
                    let along = dot(own, &rest);
                    rest.iter_mut()
                        .zip(own)
                        .for_each(|(value, part)| *value -= along * part);
                }
            }
            let left = dot(&rest, &rest).sqrt();
            if left <= COLLINEAR * length {
                match at == last {
                    true => return Err(NoCoefficient::Collinear),
                    false => continue,
                }
            }
            rest.iter_mut().for_each(|value| *value /= left);
            if at == last {
                weights = rest.iter().map(|value| value / left).collect();
            }
            basis.push(rest);
        }
        match rows > basis.len() {
            true => Ok(Self { basis, weights, rows }),
            false => Err(NoCoefficient::TooFewRows),
        }
    }

    /// Coefficients that were estimated.
    pub fn rank(&self) -> usize {
        self.basis.len()
    }

    /// `vector` without what the columns explain.
    fn residual(&self, vector: &[f64]) -> Vec<f64> {
        let mut rest = vector.to_vec();
        for own in &self.basis {
            let along = dot(own, &rest);
            rest.iter_mut()
                .zip(own)
                .for_each(|(value, part)| *value -= along * part);
        }
        rest
    }

    /// The focal coefficient, by the cluster of each row.
    ///
    /// # Errors
    /// Clusters that leave no degree of freedom, or a number that is not finite.
    pub fn coefficient(
        &self,
        outcome: &[f64],
        clusters: &[usize],
    ) -> Result<ClusteredCoefficient, NoCoefficient> {
        if outcome.iter().any(|value| !value.is_finite()) {
            return Err(NoCoefficient::NotFinite);
        }
        let residuals = self.residual(outcome);
        let mut groups = BTreeMap::<usize, Vec<usize>>::new();
        for (row, cluster) in clusters.iter().enumerate() {
            groups.entry(*cluster).or_default().push(row);
        }
        if groups.len() < 2 {
            return Err(NoCoefficient::NoDegrees);
        }
        let mut variance = 0.0;
        let mut spread = Vec::new();
        for rows in groups.values() {
            let maker: Vec<Vec<f64>> = rows
                .iter()
                .map(|row| rows.iter().map(|other| self.maker(*row, *other)).collect())
                .collect();
            let eigen = Eigen::new(&maker).ok_or(NoCoefficient::NotFinite)?;
            let weights: Vec<f64> = rows.iter().map(|row| self.weights[*row]).collect();
            let adjusted = eigen.power_times(-0.5, SINGULAR, &weights);
            let own: f64 = adjusted
                .iter()
                .zip(rows)
                .map(|(part, row)| part * residuals[*row])
                .sum();
            variance += own * own;
            let mut vector = vec![0.0; self.rows];
            for (part, row) in adjusted.iter().zip(rows) {
                vector[*row] = *part;
            }
            spread.push(self.residual(&vector));
        }
        let trace: f64 = spread.iter().map(|vector| dot(vector, vector)).sum();
        let squares: f64 = spread
            .iter()
            .flat_map(|one| spread.iter().map(move |other| dot(one, other).powi(2)))
            .sum();
        if squares <= 0.0 || variance.is_nan() {
            return Err(NoCoefficient::NoDegrees);
        }
        Ok(ClusteredCoefficient {
            estimate: dot(&self.weights, outcome),
            standard_error: variance.sqrt(),
            df: trace * trace / squares,
            clusters: groups.len(),
        })
    }

    /// An element of the residual maker.
    fn maker(&self, row: usize, other: usize) -> f64 {
        let explained: f64 = self.basis.iter().map(|own| own[row] * own[other]).sum();
        f64::from(u8::from(row == other)) - explained
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_of_one_row_give_the_errors_of_hc2() {
        // R: vcovHC(lm(y ~ x), type = "HC2") and coef_test of clubSandwich 0.5.8 with a cluster a row,
        // x = 1:6, y = c(1, 3, 2, 5, 4, 9).
        let x: Vec<f64> = (1..=6).map(f64::from).collect();
        let design = Design::new(&[vec![1.0; 6]], &x).unwrap();
        let found = design
            .coefficient(&[1.0, 3.0, 2.0, 5.0, 4.0, 9.0], &[0, 1, 2, 3, 4, 5])
            .unwrap();
        assert!(
            (found.estimate - 1.314_285_714_285_714_3).abs() < 1e-12,
            "{found:?}"
        );
        assert!(
            (found.standard_error - 0.426_279_225_227_030_77).abs() < 1e-10,
            "{found:?}"
        );
        assert!((found.df - 2.413_356_555_299_272_6).abs() < 1e-10, "{found:?}");
        assert_eq!((found.clusters, design.rank()), (6, 2));
    }

    #[test]
    fn what_cannot_be_told_apart_is_said() {
        let ones = vec![1.0; 4];
        let group = vec![1.0, 1.0, 0.0, 0.0];
        let other: Vec<f64> = group.iter().map(|value| 1.0 - value).collect();
        assert_eq!(
            Design::new(&[ones.clone(), group.clone()], &other).unwrap_err(),
            NoCoefficient::Collinear
        );
        assert_eq!(Design::new(&[], &[1.0]).unwrap_err(), NoCoefficient::TooFewRows);
        assert_eq!(
            Design::new(std::slice::from_ref(&ones), &[1.0, f64::NAN, 0.0, 0.0]).unwrap_err(),
            NoCoefficient::NotFinite
        );
        // Everything in one cluster.
        let design = Design::new(&[ones], &group).unwrap();
        assert!(design.coefficient(&[1.0, 2.0, 3.0, 5.0], &[0; 4]).is_err());
    }
}
