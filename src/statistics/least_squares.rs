//! Ordinary least squares.

use nalgebra::{DMatrix, DVector};

/// The least part of the largest diagonal element that a pivot may be.
const SINGULAR: f64 = 1e-10;

/// Coefficients with their conventional standard errors.
#[derive(Debug, Clone, PartialEq)]
pub struct LeastSquares {
    pub coefficients: Vec<f64>,
    pub errors: Vec<f64>,
    /// Residual degrees of freedom.
    pub df: usize,
}

/// Regresses `y` on the columns, by QR on columns of unit length. `None` where there
/// are not more rows than columns, where columns depend on each other, or where a
/// number is not finite.
pub fn least_squares(y: &[f64], columns: &[Vec<f64>]) -> Option<LeastSquares> {
    let (n, k) = (y.len(), columns.len());
    if k == 0 || n <= k || columns.iter().any(|column| column.len() != n) {
        return None;
    }
    let lengths: Vec<f64> = columns
        .iter()
        .map(|column| column.iter().map(|value| value * value).sum::<f64>().sqrt())
        .collect();
    let usable = |length: &f64| length.is_finite() && *length > 0.0;
    if !lengths.iter().all(usable) || !y.iter().all(|value| value.is_finite()) {
        return None;
    }
    let x = DMatrix::from_fn(n, k, |row, column| columns[column][row] / lengths[column]);
    let y = DVector::from_column_slice(y);
    let qr = x.clone().qr();
    let r = qr.r();
    let largest = (0..k).map(|at| r[(at, at)].abs()).fold(0.0, f64::max);
    if (0..k).any(|at| r[(at, at)].abs() < SINGULAR * largest) {
        return None;
    }
    let scaled = r.solve_upper_triangular(&(qr.q().transpose() * &y))?;
    let residuals = y - x * &scaled;
    let df = n - k;
    let variance = residuals.norm_squared() / df as f64;
    let inverse = r.solve_upper_triangular(&DMatrix::identity(k, k))?;
    let error = |at: usize| (variance * inverse.row(at).norm_squared()).sqrt() / lengths[at];
    Some(LeastSquares {
        coefficients: (0..k).map(|at| scaled[at] / lengths[at]).collect(),
        errors: (0..k).map(error).collect(),
        df,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_is_found_as_r_finds_it() {
        // R: summary(lm(y ~ a + b)) with a = 1:6, b = c(2, 1, 4, 3, 6, 8), y = c(3, 4, 8, 8, 12, 16).
        let a: Vec<f64> = (1..=6).map(f64::from).collect();
        let b = vec![2.0, 1.0, 4.0, 3.0, 6.0, 8.0];
        let y = [3.0, 4.0, 8.0, 8.0, 12.0, 16.0];
        let found = least_squares(&y, &[vec![1.0; 6], a, b]).unwrap();
        let expected = [-0.018_018_018, 1.342_342_342, 0.954_954_955];
        for (one, other) in found.coefficients.iter().zip(expected) {
            assert!((one - other).abs() < 1e-8, "{found:?}");
        }
        for (one, other) in found
            .errors
            .iter()
            .zip([0.407_502_086, 0.238_809_554, 0.171_329_151])
        {
            assert!((one - other).abs() < 1e-8, "{found:?}");
        }
        assert_eq!(found.df, 3);
    }

    #[test]
    fn columns_that_depend_on_each_other_give_nothing() {
        let a = vec![1.0, 2.0, 3.0, 4.0];
        let double: Vec<f64> = a.iter().map(|value| 2.0 * value).collect();
        let y = [1.0, 2.0, 2.0, 5.0];
        assert_eq!(least_squares(&y, &[a.clone(), double]), None);
        assert_eq!(least_squares(&y, &[a.clone(), vec![f64::NAN; 4]]), None);
        assert_eq!(least_squares(&y[..1], &[vec![1.0]]), None);
        assert!(least_squares(&y, &[a]).is_some());
    }
}
