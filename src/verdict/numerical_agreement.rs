//! Agreement of numbers that were computed again with the printed ones, quantity by quantity.
//!
//! By the rule of the SCORE project (Center for Open Science, Paper 3): the number is
//! first rounded to the printed decimals; equal is precise, within 15 % of the printed
//! one approximate, and a p-value within .05. SCORE has no rule for standard errors and
//! intervals; ours is that of other numbers, for an interval at both ends.

use serde::{Deserialize, Serialize};

use crate::domain::bare_number::NumberForm;
use crate::domain::finding::{Finding, Interval, PValue, Relation};
use crate::domain::quantity::Quantity;
use crate::domain::scale::Scale;
use crate::verdict::criteria::assessment::number;
use crate::verdict::trace::WrittenNumber;

/// The share of a printed number that one may be off and still be called approximate.
const SHARE: f64 = 0.15;
/// The distance of a p-value that is approximate.
const P_DISTANCE: f64 = 0.05;
/// Exact p-values closer than this are one: programs print what is smaller as 0.
const SAME_P: f64 = 1e-12;

/// The agreement of a number with the printed one, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Agreement {
    Precise,
    Approximate,
    Not,
}

impl Agreement {
    /// The words used in reports.
    pub fn words(self) -> &'static str {
        match self {
            Self::Precise => "same to the printed digits",
            Self::Approximate => "about the same",
            Self::Not => "not the claimed number",
        }
    }

    /// SCORE's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Precise => "precise",
            Self::Approximate => "approximate",
            Self::Not => "not",
        }
    }
}

/// The worst of several, which is that of the whole result; `None` of none.
pub fn overall(all: impl IntoIterator<Item = Agreement>) -> Option<Agreement> {
    all.into_iter().max()
}

/// A coefficient, a statistic, an effect size, a standard error or one end of an
/// interval; `None` unless both are finite.
pub fn of_number(printed: &WrittenNumber, found: f64) -> Option<Agreement> {
    found.is_finite().then(|| {
        if printed.rounds(found) {
            Agreement::Precise
        } else if within(printed.rounded(found), share_around(printed.value())) {
            Agreement::Approximate
        } else {
            Agreement::Not
        }
    })
}

/// A number of observations: equal, or within 15 % with the ends rounded.
pub fn of_count(printed: f64, found: f64) -> Option<Agreement> {
    (printed.is_finite() && found.is_finite()).then(|| {
        if printed == found {
            Agreement::Precise
        } else if within(found, share_around(printed).map(f64::round_ties_even)) {
            Agreement::Approximate
        } else {
            Agreement::Not
        }
    })
}

/// A p-value that is printed exactly or as a bound. `None` if one of them is a bound
/// that does not show on which side of the other it is.
pub fn of_p(relation: Relation, printed: &WrittenNumber, found: PValue) -> Option<Agreement> {
    let value = printed.value();
    if !(0.0..=1.0).contains(&value) || !(0.0..=1.0).contains(&found.value) {
        return None;
    }
    let near = |beyond: f64| {
        if beyond <= P_DISTANCE * (1.0 + 1e-9) {
            Agreement::Approximate
        } else {
            Agreement::Not
        }
    };
    match (relation, found.relation) {
        (Relation::Equal, Relation::Equal) => {
            let distance = (printed.rounded(found.value) - value).abs();
            if printed.rounds(found.value) || distance < SAME_P {
                Some(Agreement::Precise)
            } else {
                Some(near(distance))
            }
        }
        (Relation::Less, Relation::Equal) if found.value < value => Some(Agreement::Precise),
        (Relation::Less, Relation::Equal) => Some(near(found.value - value)),
        (Relation::Greater, Relation::Equal) if found.value > value => Some(Agreement::Precise),
        (Relation::Greater, Relation::Equal) => Some(near(value - found.value)),
        (Relation::Less, Relation::Less) if found.value <= value => Some(Agreement::Precise),
        (Relation::Greater, Relation::Greater) if found.value >= value => Some(Agreement::Precise),
        _ => None,
    }
}

/// The ends of the numbers that are within 15 % of this one, the lower first.
fn share_around(value: f64) -> [f64; 2] {
    let (lower, upper) = ((1.0 - SHARE) * value, (1.0 + SHARE) * value);
    [lower.min(upper), lower.max(upper)]
}

/// Both ends included, whatever the last bit of a product is.
fn within(found: f64, [lower, upper]: [f64; 2]) -> bool {
    let slack = 1e-12 * lower.abs().max(upper.abs());
    (lower - slack..=upper + slack).contains(&found)
}

/// One quantity of a published result next to the one that was computed again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuantityAgreement {
    pub quantity: Quantity,
    pub printed: String,
    pub found: String,
    pub agreement: Agreement,
}

/// A published result next to the one that was computed again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultAgreement {
    /// Every quantity that both sides give.
    pub quantities: Vec<QuantityAgreement>,
    pub overall: Agreement,
    /// Whether both have one sign; none if one has none.
    pub same_sign: Option<bool>,
    /// Whether both p-values are on one side of .05; none if one does not show it.
    pub same_side: Option<bool>,
}

impl ResultAgreement {
    /// Both results on the printed scale; `None` if they share no quantity.
    pub fn compare(printed: &Finding, found: &Finding) -> Option<Self> {
        let found = on_printed_scale(printed, found);
        let quantities: Vec<QuantityAgreement> = [
            estimates(printed, &found),
            errors(printed, &found),
            intervals(printed, &found),
            statistics(printed, &found),
            p_values(printed, &found),
            counts(printed, &found),
        ]
        .into_iter()
        .flatten()
        .collect();
        let null = printed.scale.map_or(0.0, Scale::null);
        let sign = |one: &Finding| {
            let away = one.estimate? - null;
            (away != 0.0 && away.is_finite()).then_some(away > 0.0)
        };
        let below = |one: &Finding| one.p_value?.below(0.05);
        Some(Self {
            overall: overall(quantities.iter().map(|one| one.agreement))?,
            quantities,
            same_sign: sign(printed).zip(sign(&found)).map(|(one, other)| one == other),
            same_side: below(printed).zip(below(&found)).map(|(one, other)| one == other),
        })
    }

    /// The agreement of one quantity.
    pub fn of(&self, quantity: Quantity) -> Option<Agreement> {
        let found = self.quantities.iter().find(|one| one.quantity == quantity)?;
        Some(found.agreement)
    }

    /// All quantities as a clause, with sign and side.
    pub fn clause(&self) -> String {
        let each = self.quantities.iter().map(|one| {
            format!(
                "{} {} for the printed {}: {}",
                one.quantity,
                one.found,
                one.printed,
                one.agreement.words()
            )
        });
        let sign = self.same_sign.map(|same| match same {
            true => "same sign".to_owned(),
            false => "opposite sign".to_owned(),
        });
        let side = self.same_side.map(|same| match same {
            true => "same side of .05".to_owned(),
            false => "other side of .05".to_owned(),
        });
        each.chain(sign).chain(side).collect::<Vec<_>>().join("; ")
    }
}

/// A result as the printed one gives it: a ratio for a ratio, a logarithm for one.
/// The standard error of another scale is left out.
fn on_printed_scale(printed: &Finding, found: &Finding) -> Finding {
    let moved = |by: fn(f64) -> f64| Finding {
        estimate: found.estimate.map(by),
        interval: found.interval.map(|interval| Interval {
            lower: by(interval.lower),
            upper: by(interval.upper),
            ..interval
        }),
        standard_error: None,
        scale: printed.scale,
        ..found.clone()
    };
    match (printed.scale, found.scale) {
        (Some(Scale::Ratio), Some(Scale::LogRatio)) => moved(f64::exp),
        (Some(Scale::LogRatio), Some(Scale::Ratio)) => moved(f64::ln),
        _ => found.clone(),
    }
}

fn estimates(printed: &Finding, found: &Finding) -> Option<QuantityAgreement> {
    numbers(Quantity::Estimate, printed.estimate?, found.estimate?)
}

fn errors(printed: &Finding, found: &Finding) -> Option<QuantityAgreement> {
    numbers(
        Quantity::StandardError,
        printed.standard_error?,
        found.standard_error?,
    )
}

fn numbers(quantity: Quantity, printed: f64, found: f64) -> Option<QuantityAgreement> {
    Some(QuantityAgreement {
        quantity,
        printed: printed.to_string(),
        found: number(found),
        agreement: of_number(&written(printed)?, found)?,
    })
}

/// A number with the decimals of its shortest text.
fn written(value: f64) -> Option<WrittenNumber> {
    WrittenNumber::parse(&value.to_string(), NumberForm::Plain)
}

fn intervals(printed: &Finding, found: &Finding) -> Option<QuantityAgreement> {
    let (one, other) = (printed.interval?, found.interval?);
    if (one.level - other.level).abs() > 1e-9 {
        return None;
    }
    let ends = [(one.lower, other.lower), (one.upper, other.upper)]
        .map(|(printed, found)| of_number(&written(printed)?, found));
    Some(QuantityAgreement {
        quantity: Quantity::Interval,
        printed: format!("[{}, {}]", one.lower, one.upper),
        found: format!("[{}, {}]", number(other.lower), number(other.upper)),
        agreement: ends[0]?.max(ends[1]?),
    })
}

fn statistics(printed: &Finding, found: &Finding) -> Option<QuantityAgreement> {
    let (one, other) = (printed.statistic.as_ref()?, found.statistic.as_ref()?);
    (one.kind == other.kind)
        .then(|| numbers(Quantity::Statistic, one.value, other.value))
        .flatten()
}

fn p_values(printed: &Finding, found: &Finding) -> Option<QuantityAgreement> {
    let (one, other) = (printed.p_value?, found.p_value?);
    let sides = |finding: &Finding| finding.sides.unwrap_or(2);
    if sides(printed) != sides(found) || printed.adjusted != found.adjusted {
        return None;
    }
    let shown = |p: PValue| match p.relation {
        Relation::Equal => number(p.value),
        Relation::Less => format!("< {}", p.value),
        Relation::Greater => format!("> {}", p.value),
    };
    Some(QuantityAgreement {
        quantity: Quantity::PValue,
        printed: shown(one),
        found: shown(other),
        agreement: of_p(one.relation, &written(one.value)?, other)?,
    })
}

fn counts(printed: &Finding, found: &Finding) -> Option<QuantityAgreement> {
    let (one, other) = (printed.n?, found.n?);
    Some(QuantityAgreement {
        quantity: Quantity::SampleSize,
        printed: one.to_string(),
        found: other.to_string(),
        agreement: of_count(one as f64, other as f64)?,
    })
}

#[cfg(test)]
#[path = "numerical_agreement_tests.rs"]
mod tests;
