//! Eigenvalues of small symmetric matrices, by Jacobi's rotations (Golub and Van Loan, Matrix
//! Computations, 4th edition, section 8.5).

/// Sweeps after which rotations are given up; ten are enough for a few hundred rows.
const SWEEPS: usize = 60;

/// A symmetric matrix as its eigenvalues and eigenvectors.
#[derive(Debug, Clone, PartialEq)]
pub struct Eigen {
    pub values: Vec<f64>,
    /// One a value, of length 1.
    pub vectors: Vec<Vec<f64>>,
}

impl Eigen {
    /// The decomposition of a symmetric matrix, of which the upper triangle is read; `None`
    /// where a number is not finite.
    pub fn new(matrix: &[Vec<f64>]) -> Option<Self> {
        let n = matrix.len();
        if matrix.iter().flatten().any(|value| !value.is_finite()) {
            return None;
        }
        let mut a = matrix.to_vec();
        let mut vectors: Vec<Vec<f64>> = (0..n)
            .map(|row| (0..n).map(|column| f64::from(u8::from(row == column))).collect())
            .collect();
        let scale: f64 = a.iter().flatten().map(|value| value * value).sum();
        for _ in 0..SWEEPS {
            let rest: f64 = (0..n)
                .flat_map(|p| a[p][p + 1..].iter())
                .map(|value| value * value)
                .sum();
            if rest <= f64::EPSILON.powi(2) * scale * 1e-4 {
                break;
            }
            for p in 0..n {
                for q in p + 1..n {
                    rotate(&mut a, &mut vectors, [p, q]);
                }
            }
        }
        Some(Self {
            values: (0..n).map(|at| a[at][at]).collect(),
            vectors,
        })
    }

    /// The matrix to a power times a vector; what belongs to eigenvalues of at most `least` is
    /// left out (Moore and Penrose).
    pub fn power_times(&self, power: f64, least: f64, vector: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; vector.len()];
        for (value, own) in self
            .values
            .iter()
            .zip(&self.vectors)
            .filter(|(value, _)| **value > least)
        {
            let along: f64 = own.iter().zip(vector).map(|(a, b)| a * b).sum();
            let factor = value.powf(power) * along;
            for (sum, part) in product.iter_mut().zip(own) {
                *sum += factor * part;
            }
        }
        product
    }
}

/// Rotates rows and columns `p` and `q` so that the element between them becomes 0.
fn rotate(a: &mut [Vec<f64>], vectors: &mut [Vec<f64>], [p, q]: [usize; 2]) {
    let off = a[p][q];
    if off == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * off);
    let tangent = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let tangent = if theta == 0.0 { 1.0 } else { tangent };
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = tangent * cosine;
    for row in a.iter_mut() {
        let [one, other] = [row[p], row[q]];
        row[p] = cosine * one - sine * other;
        row[q] = sine * one + cosine * other;
    }
    rotate_rows(a, [p, q], [cosine, sine]);
    a[p][q] = 0.0;
    a[q][p] = 0.0;
    rotate_rows(vectors, [p, q], [cosine, sine]);
}

fn rotate_rows(rows: &mut [Vec<f64>], pair: [usize; 2], [cosine, sine]: [f64; 2]) {
    let Ok([first, second]) = rows.get_disjoint_mut(pair) else {
        return;
    };
    for (one, other) in first.iter_mut().zip(second) {
        [*one, *other] = [cosine * *one - sine * *other, sine * *one + cosine * *other];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_of_a_singular_matrix_leaves_its_kernel_out() {
        // Eigenvalues 0, 1 and 3 along (1,1,1), (1,0,-1) and (1,-2,1).
        let laplacian = [vec![1.0, -1.0, 0.0], vec![-1.0, 2.0, -1.0], vec![0.0, -1.0, 1.0]];
        let eigen = Eigen::new(&laplacian).unwrap();
        let mut values = eigen.values.clone();
        values.sort_by(f64::total_cmp);
        for (found, expected) in values.iter().zip([0.0, 1.0, 3.0]) {
            assert!((found - expected).abs() < 1e-14, "{values:?}");
        }
        assert!(
            eigen
                .power_times(-0.5, 1e-12, &[1.0; 3])
                .iter()
                .all(|part| part.abs() < 1e-14)
        );
        let along = eigen.power_times(-0.5, 1e-12, &[1.0, -2.0, 1.0]);
        for (found, expected) in along.iter().zip([1.0, -2.0, 1.0]) {
            assert!((found - expected / 3.0_f64.sqrt()).abs() < 1e-14, "{along:?}");
        }
        assert!(Eigen::new(&[vec![f64::NAN]]).is_none());
    }
}
