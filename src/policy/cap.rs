//! A cap, as an operator writes it.

use super::scope::{NoScope, Quantity, Scope};

/// The error of a text that is no cap.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CapError {
    #[error(transparent)]
    Scope(#[from] NoScope),
    #[error("a turn has one turn: cap the turns of a stage or of the run")]
    TurnsOfTurn,
    #[error("`{text}` is no cap: give {wanted}")]
    Amount { text: String, wanted: &'static str },
}

/// One cap, in the quantity's own unit: turns, tokens, millionths of a US
/// dollar, or seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cap {
    pub scope: Scope,
    pub quantity: Quantity,
    pub amount: u64,
}

impl Cap {
    /// Reads `[SCOPE=]AMOUNT`; without a scope the cap holds for the run.
    ///
    /// Turns and tokens are whole numbers, `k` and `M` behind them mean thousands
    /// and millions; money is in US dollars; time is in seconds, or in minutes or
    /// hours with `m` or `h` behind it.
    ///
    /// # Errors
    /// A scope that is none, an amount that is none of the quantity, or a cap on the turns of a turn.
    pub fn parse(quantity: Quantity, text: &str) -> Result<Self, CapError> {
        let (scope, amount) = match text.split_once('=') {
            Some((scope, amount)) => (scope.trim().parse()?, amount.trim()),
            None => (Scope::Run, text.trim()),
        };
        if scope == Scope::Turn && quantity == Quantity::Turns {
            return Err(CapError::TurnsOfTurn);
        }
        let (units, wanted): (&[(&str, f64)], _) = match quantity {
            Quantity::Turns | Quantity::Tokens => (&[("k", 1e3), ("M", 1e6)], "a number such as 200k"),
            Quantity::Money => (&[], "US dollars such as 2.50"),
            Quantity::Seconds => (
                &[("s", 1.0), ("m", 60.0), ("h", 3600.0)],
                "a time such as 90s, 30m or 2h",
            ),
        };
        let whole = if quantity == Quantity::Money { 1e6 } else { 1.0 };
        let (digits, unit) = units
            .iter()
            .find_map(|(unit, factor)| Some((amount.strip_suffix(unit)?, *factor)))
            .unwrap_or((amount.strip_prefix('$').unwrap_or(amount), 1.0));
        let plain = digits.starts_with(|first: char| first.is_ascii_digit());
        let number = digits.parse::<f64>().ok().filter(|_| plain);
        match number.map(|number| (number * unit * whole).round()) {
            Some(amount) if (1.0..=1e15).contains(&amount) => Ok(Self {
                scope,
                quantity,
                amount: amount as u64,
            }),
            _ => Err(CapError::Amount {
                text: amount.to_owned(),
                wanted,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::stage::Stage;

    #[test]
    fn a_cap_is_read_with_its_scope_and_unit() {
        let read = |quantity, text| Cap::parse(quantity, text).map(|cap| (cap.scope, cap.amount));
        assert_eq!(read(Quantity::Turns, "30"), Ok((Scope::Run, 30)));
        assert_eq!(
            read(Quantity::Tokens, "design=1.5M"),
            Ok((Scope::Stage(Stage::DESIGN), 1_500_000))
        );
        assert_eq!(read(Quantity::Tokens, "turn=20k"), Ok((Scope::Turn, 20_000)));
        assert_eq!(
            read(Quantity::Money, "stage=2.50"),
            Ok((Scope::EachStage, 2_500_000))
        );
        assert_eq!(read(Quantity::Money, "$3"), Ok((Scope::Run, 3_000_000)));
        assert_eq!(read(Quantity::Seconds, "2h"), Ok((Scope::Run, 7200)));
        assert_eq!(read(Quantity::Seconds, "45"), Ok((Scope::Run, 45)));
        for (quantity, text) in [
            (Quantity::Turns, "turn=3"),
            (Quantity::Tokens, "0"),
            (Quantity::Tokens, "-5"),
            (Quantity::Tokens, "plenty"),
            (Quantity::Money, "inf"),
            (Quantity::Money, "1e30"),
            (Quantity::Seconds, "At dawn=5"),
        ] {
            assert!(Cap::parse(quantity, text).is_err(), "{text}");
        }
    }
}
