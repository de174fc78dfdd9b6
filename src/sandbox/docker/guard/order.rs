//! Orders of the engine to the guard, a line each.

use std::str::FromStr;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuardOrder {
    /// A container runs, and may for so many seconds.
    Hold { name: String, seconds: u64 },
    /// It has ended.
    Release { name: String },
}

impl std::fmt::Display for GuardOrder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Hold { name, seconds } => write!(formatter, "hold {name} {seconds}"),
            Self::Release { name } => write!(formatter, "release {name}"),
        }
    }
}

/// A line that is no order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no order for the guard")]
pub struct NoOrder;

impl FromStr for GuardOrder {
    type Err = NoOrder;

    fn from_str(line: &str) -> Result<Self, NoOrder> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["hold", name, seconds] => Ok(Self::Hold {
                name: (*name).to_owned(),
                seconds: seconds.parse().map_err(|_| NoOrder)?,
            }),
            ["release", name] => Ok(Self::Release {
                name: (*name).to_owned(),
            }),
            _ => Err(NoOrder),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_as_they_are_written() {
        for order in [
            GuardOrder::Hold {
                name: "reprise-a-1".to_owned(),
                seconds: 60,
            },
            GuardOrder::Release {
                name: "reprise-a-1".to_owned(),
            },
        ] {
            assert_eq!(order.to_string().parse(), Ok(order));
        }
        assert_eq!("hold x soon".parse::<GuardOrder>(), Err(NoOrder));
    }
}
