//! The scatter of results on a permuted column about no effect.

use crate::domain::finding::Finding;
use crate::domain::scale::Scale;
use crate::domain::statistic::StatisticKind;
use crate::statistics::distributions::{chi_squared_upper, normal_quantile, normal_two_sided, t_two_sided};

use super::case::Case;
use super::distance::{Way, common_way, distance};

/// Results that are looked at before more are asked for.
pub const FIRST: usize = 5;
/// Results with which a centre or a width is told.
const TOLD: usize = 8;
/// The chance of a mean so far off, for each look; there are four at most. A t test on
/// heavier tails than the normal errs to the safe side, and where the width is about one
/// as it should be, the normal distribution is sharper.
const OFF: f64 = 1e-4;
const OFF_NORMAL: f64 = 2e-4;
const USUAL: f64 = 1.0;
/// Results on one side alone that tell by themselves; chance gives it once in 5e5.
const ONE_SIDE: usize = 20;
/// The share of significant results that a machine for them gives at least.
const OFTEN: f64 = 0.4;
/// How much likelier that has to be than the level of the test; a true test comes to it
/// once in as many times.
const LIKELIER: f64 = 1e4;
/// The chance of so wide a scatter, for each look, where its variance is no more than
/// `LOOSE`: errors of honest models are often a little small.
const WIDE: f64 = 5e-4;
const LOOSE: f64 = 1.15;

/// The measures from which permuted results look odd.
#[derive(Debug, Clone, Copy)]
struct Oddness {
    /// Standard errors of their mean from no effect.
    off: f64,
    /// The chance of so wide a scatter.
    chance: f64,
    /// How much likelier a test is that passes often.
    likelihood: f64,
}

/// Oddness that about one of thirty true ones comes to, however few they are.
const SUSPICIOUS: Oddness = Oddness {
    off: 2.6,
    chance: 0.01,
    likelihood: 50.0,
};

/// Distances of permuted results from their null, in standard errors.
#[derive(Debug, Clone, PartialEq)]
pub struct Scatter {
    /// Empty where the results have no sign.
    distances: Vec<f64>,
    significant: usize,
    tested: usize,
    level: f64,
}

/// Results that pass a test, of those that were tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passing {
    pub passed: usize,
    pub tested: usize,
}

impl Scatter {
    /// Looks at permuted results; `None` where the plan does not say what is due of them.
    pub fn measure(case: &Case, findings: &[&Finding]) -> Option<Self> {
        if !case.planned.about_null || findings.is_empty() {
            return None;
        }
        let (level, sides) = case.planned.level.unwrap_or((0.0, 2));
        let bound = normal_quantile(1.0 - level / f64::from(sides));
        let way = common_way(findings.iter().copied(), case.null);
        let distances: Vec<f64> = match way.filter(|way| has_sign(case, findings, *way)) {
            Some(way) => findings
                .iter()
                .filter_map(|finding| distance(finding, case.null, way))
                .collect(),
            None => Vec::new(),
        };
        let passes = |finding: &&Finding| match finding.p_value {
            Some(p) => p.below(level),
            None => {
                let way = common_way([*finding].into_iter(), case.null)?;
                Some(distance(finding, case.null, way)?.abs() > bound)
            }
        };
        let tests: Vec<bool> = match case.planned.level {
            Some(_) => findings.iter().filter_map(passes).collect(),
            None => Vec::new(),
        };
        Some(Self {
            distances,
            significant: tests.iter().filter(|passes| **passes).count(),
            tested: tests.len(),
            level,
        })
    }

    fn count(&self) -> f64 {
        self.distances.len() as f64
    }

    fn mean(&self) -> f64 {
        self.distances.iter().sum::<f64>() / self.count()
    }

    /// The standard deviation about their own mean.
    fn width(&self) -> f64 {
        let mean = self.mean();
        let squares: f64 = self.distances.iter().map(|z| (z - mean).powi(2)).sum();
        (squares / (self.count() - 1.0)).sqrt()
    }

    /// Where they lie, if that is not about no effect.
    pub fn off_centre(&self) -> Option<Centre> {
        if self.distances.len() < TOLD {
            return None;
        }
        let (mean, width) = (self.mean(), self.width());
        let t = mean * self.count().sqrt() / width;
        let above = self.distances.iter().filter(|z| **z > 0.0).count();
        let below = self.distances.iter().filter(|z| **z < 0.0).count();
        let one_sided = above.max(below) >= ONE_SIDE && above.min(below) == 0;
        // Results that do not scatter are another finding.
        let off = width > 0.0
            && (t_two_sided(t, self.count() - 1.0) < OFF
                || normal_two_sided(mean * self.count().sqrt() / width.max(USUAL)) < OFF_NORMAL);
        (off || one_sided).then_some(Centre {
            mean,
            width,
            count: self.distances.len(),
        })
    }

    /// How many pass the test, if far too many do.
    pub fn too_significant(&self) -> Option<Passing> {
        (self.tested >= FIRST && self.likelihood() >= LIKELIER).then_some(Passing {
            passed: self.significant,
            tested: self.tested,
        })
    }

    /// How much likelier the significant ones are under a test that passes often.
    fn likelihood(&self) -> f64 {
        if self.tested == 0 {
            return 0.0;
        }
        let missed = (self.tested - self.significant) as f64;
        let log = self.significant as f64 * (OFTEN / self.level).ln()
            + missed * ((1.0 - OFTEN) / (1.0 - self.level)).ln();
        log.exp()
    }

    /// How wide they are, if that is wider than their errors say.
    pub fn too_wide(&self) -> Option<Width> {
        if self.distances.len() < TOLD {
            return None;
        }
        let (width, freedom) = (self.width(), self.count() - 1.0);
        (chi_squared_upper(width * width * freedom / LOOSE, freedom) < WIDE).then(|| Width {
            width,
            // The upper limit at 95 %, by the cube root that Wilson and Hilferty (1931)
            // take of chi-squared.
            at_most: width / (1.0 - 2.0 / (9.0 * freedom) - 1.645 * (2.0 / (9.0 * freedom)).sqrt()).powf(1.5),
            count: self.distances.len(),
        })
    }

    /// Whether more of them are worth their time: of true ones, about half look odd when
    /// there are five, one of six when there are nine, and hardly any after that.
    pub fn looks_odd(&self, wide_matters: bool) -> bool {
        self.is_odd(wide_matters, self.oddness())
    }

    /// Whether few of them look as hardly any true ones do: such few must not pass for enough.
    pub fn looks_suspicious(&self, wide_matters: bool) -> bool {
        self.is_odd(wide_matters, SUSPICIOUS)
    }

    fn oddness(&self) -> Oddness {
        let (off, chance, likelihood) = match self.distances.len().max(self.tested) {
            0..=6 => (0.8, 0.2, 1.0),
            7..=10 => (1.3, 0.1, 1.0),
            11..=14 => (1.8, 0.05, 1.0),
            _ => (2.3, 0.02, 1.0),
        };
        Oddness {
            off,
            chance,
            likelihood,
        }
    }

    fn is_odd(&self, wide_matters: bool, from: Oddness) -> bool {
        let Oddness {
            off,
            chance,
            likelihood,
        } = from;
        let centre = self.distances.len() > 1 && self.mean().abs() * self.count().sqrt() > off;
        let freedom = self.count() - 1.0;
        let wide = wide_matters
            && self.distances.len() > 1
            && chi_squared_upper(self.width().powi(2) * freedom, freedom) < chance;
        let found = self.off_centre().is_some() || self.too_significant().is_some();
        !found && (centre || wide || self.likelihood() >= likelihood)
    }
}

/// Whether distances by that way have a sign.
fn has_sign(case: &Case, findings: &[&Finding], way: Way) -> bool {
    let all = || findings.iter().copied().chain([&case.focal]);
    if all().any(|finding| finding.scale == Some(Scale::Unsigned)) {
        return false;
    }
    match way {
        Way::Error => true,
        Way::Statistic => all().all(|finding| {
            finding.statistic.as_ref().is_some_and(|statistic| {
                matches!(
                    statistic.kind,
                    StatisticKind::T | StatisticKind::Z | StatisticKind::R
                )
            })
        }),
        Way::PValue => all().all(|finding| finding.estimate.is_some() && finding.sides != Some(1)),
    }
}

/// The centre of permuted results.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Centre {
    pub mean: f64,
    pub width: f64,
    pub count: usize,
}

/// The width of permuted results.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Width {
    pub width: f64,
    pub at_most: f64,
    pub count: usize,
}

/// The distance of the result itself, where that has a sign.
pub fn result_distance(case: &Case) -> Option<f64> {
    let way = common_way([&case.focal].into_iter(), case.null)?;
    has_sign(case, &[], way).then(|| distance(&case.focal, case.null, way))?
}

/// The distance beyond which the planned test is passed.
pub fn critical(case: &Case) -> Option<f64> {
    let (level, sides) = case.planned.level?;
    Some(normal_quantile(1.0 - level / f64::from(sides)))
}
