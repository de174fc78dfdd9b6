//! Integrals of positive functions over the whole line, by their logarithms.

/// Halvings of the step before an integral is given up.
const HALVINGS: u32 = 12;
/// A term this far below the largest no longer counts.
const NEGLIGIBLE: f64 = -45.0;
/// Steps to one side of the largest term, at most.
const STEPS: u32 = 200_000;

/// The logarithm of `∫ exp(log_density(x)) dx` over the whole line; `None` where
/// it does not settle.
///
/// The density is smooth with one peak between the ends of `peak` and falls off
/// at least exponentially, so that the trapezoidal rule converges faster than
/// any power of its step (Trefethen and Weideman 2014, SIAM Review 56, 385).
pub fn log_integral(log_density: impl Fn(f64) -> f64, peak: [f64; 2]) -> Option<f64> {
    let centre = maximum(&log_density, peak);
    let top = log_density(centre);
    if !top.is_finite() {
        return None;
    }
    let relative = |x: f64| log_density(x) - top;
    let mut step = width(relative, centre);
    let mut last = sum(relative, centre, step)?;
    for _ in 0..HALVINGS {
        step /= 2.0;
        let next = sum(relative, centre, step)?;
        if (next - last).abs() <= 1e-13 * next {
            return Some(top + next.ln());
        }
        last = next;
    }
    None
}

/// Where a function with one peak between two points is largest, nearly.
fn maximum(function: impl Fn(f64) -> f64, [mut lower, mut upper]: [f64; 2]) -> f64 {
    const SECTION: f64 = 0.618_033_988_749_894_9;
    for _ in 0..60 {
        let reach = SECTION * (upper - lower);
        let (left, right) = (upper - reach, lower + reach);
        if function(left) < function(right) {
            lower = left;
        } else {
            upper = right;
        }
    }
    f64::midpoint(lower, upper)
}

/// About the distance at which the density is down to a third.
fn width(relative: impl Fn(f64) -> f64, centre: f64) -> f64 {
    let falls = |distance: f64| relative(centre + distance).min(relative(centre - distance)) < -1.0;
    let mut distance = 1.0;
    while falls(distance) && distance > 1e-9 {
        distance /= 2.0;
    }
    while !falls(distance) && distance < 1e3 {
        distance *= 2.0;
    }
    distance
}

fn sum(relative: impl Fn(f64) -> f64, centre: f64, step: f64) -> Option<f64> {
    let mut total = relative(centre).exp();
    for side in [-1.0, 1.0] {
        let mut ended = false;
        for index in 1..=STEPS {
            let term = relative(centre + side * step * f64::from(index));
            if term.is_nan() {
                return None;
            }
            if term < NEGLIGIBLE {
                ended = true;
                break;
            }
            total += term.exp();
        }
        if !ended {
            return None;
        }
    }
    Some(total * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_integrals() {
        let gauss = log_integral(|x| -0.5 * ((x - 3.0) / 0.01).powi(2), [-10.0, 10.0]).unwrap();
        assert!((gauss - (0.01 * (2.0 * std::f64::consts::PI).sqrt()).ln()).abs() < 1e-12);
        // The gamma function of 2.5, by x = ln t.
        let gamma = log_integral(|x| 2.5 * x - x.exp(), [-30.0, 30.0]).unwrap();
        assert!((gamma.exp() - 1.329_340_388_179_137).abs() < 1e-12);
    }

    #[test]
    fn what_does_not_fall_off_has_none() {
        assert_eq!(log_integral(|_| 0.0, [-1.0, 1.0]), None);
        assert_eq!(log_integral(|_| f64::NAN, [-1.0, 1.0]), None);
    }
}
