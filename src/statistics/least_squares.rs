//! Ordinary least squares, by Householder reflections (Golub and Van Loan, Matrix Computations, 4th edition,
//! sections 5.1 and 5.3).

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
    let mut x: Vec<Vec<f64>> = columns
        .iter()
        .zip(&lengths)
        .map(|(column, length)| column.iter().map(|value| value / length).collect())
        .collect();
    let mut turned = y.to_vec();
    let mut diagonal = Vec::with_capacity(k);
    for at in 0..k {
        let (done, later) = x.split_at_mut(at + 1);
        let reflector = &mut done[at][at..];
        let norm = dot(reflector, reflector).sqrt();
        // Of the sign that cancels nothing.
        let pivot = if reflector[0] > 0.0 { -norm } else { norm };
        reflector[0] -= pivot;
        diagonal.push(pivot);
        if norm > 0.0 {
            for column in later {
                reflect(reflector, &mut column[at..]);
            }
            reflect(reflector, &mut turned[at..]);
        }
    }
    let largest = diagonal
        .iter()
        .fold(0.0, |largest: f64, pivot| largest.max(pivot.abs()));
    if diagonal.iter().any(|pivot| pivot.abs() < SINGULAR * largest) {
        return None;
    }
    let triangle = Triangle {
        diagonal: &diagonal,
        columns: &x,
    };
    let df = n - k;
    let variance = dot(&turned[k..], &turned[k..]) / df as f64;
    let mut squares = vec![0.0; k];
    for at in 0..k {
        let mut identity = vec![0.0; k];
        identity[at] = 1.0;
        for (square, value) in squares.iter_mut().zip(triangle.solve(identity)) {
            *square += value * value;
        }
    }
    turned.truncate(k);
    let scaled = triangle.solve(turned);
    Some(LeastSquares {
        coefficients: (0..k).map(|at| scaled[at] / lengths[at]).collect(),
        errors: (0..k)
            .map(|at| (variance * squares[at]).sqrt() / lengths[at])
            .collect(),
        df,
    })
}

/// An upper triangle: its diagonal, and columns of which only what stands above the diagonal is read.
struct Triangle<'a> {
    diagonal: &'a [f64],
    columns: &'a [Vec<f64>],
}

impl Triangle<'_> {
    /// The vector that the triangle takes to `right`.
    fn solve(&self, mut right: Vec<f64>) -> Vec<f64> {
        for at in (0..right.len()).rev() {
            let value = right[at] / self.diagonal[at];
            right[at] = value;
            for (part, factor) in right[..at].iter_mut().zip(&self.columns[at]) {
                *part -= factor * value;
            }
        }
        right
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Reflects `vector` in the plane that `normal` stands on.
fn reflect(normal: &[f64], vector: &mut [f64]) {
    let twice = 2.0 * dot(normal, vector) / dot(normal, normal);
    for (value, part) in vector.iter_mut().zip(normal) {
        *value -= twice * part;
    }
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
