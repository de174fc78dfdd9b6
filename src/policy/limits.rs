//! Turns, tokens, money and time: used against their caps.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::domain::failure::FailureCause;
use crate::domain::usage::MicroDollars;

/// Caps of a stage or a run; an absent cap does not limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Caps {
    /// Model calls.
    pub turns: Option<u64>,
    /// Input and output tokens together.
    pub tokens: Option<u64>,
    pub money: Option<MicroDollars>,
    /// Seconds of wall-clock time; a wait for a person does not count.
    pub seconds: Option<u64>,
}

/// What has been used so far, in the units of [`Caps`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Used {
    pub turns: u64,
    pub tokens: u64,
    pub money: MicroDollars,
    pub seconds: u64,
}

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Continue,
    Stop(Reached),
}

/// The cap that ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "limit", rename_all = "snake_case")]
pub enum Reached {
    Turns { used: u64, cap: u64 },
    Tokens { used: u64, cap: u64 },
    Money { used: MicroDollars, cap: MicroDollars },
    Seconds { used: u64, cap: u64 },
}

impl Reached {
    /// The cause that the stage ends with.
    pub fn cause(self) -> FailureCause {
        FailureCause::Limit
    }
}

impl fmt::Display for Reached {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (used, cap, flag) = match self {
            Self::Turns { used, cap } => (format!("{used} turns"), cap.to_string(), "turns"),
            Self::Tokens { used, cap } => (format!("{used} tokens"), cap.to_string(), "tokens"),
            Self::Money { used, cap } => (used.to_string(), cap.to_string(), "money"),
            Self::Seconds { used, cap } => (format!("{used} seconds"), cap.to_string(), "time"),
        };
        write!(
            formatter,
            "{used} used of {cap} allowed: raise the {flag} limit and resume to go on"
        )
    }
}

/// Whether another turn may start: no cap is used up.
pub fn standing(used: &Used, caps: &Caps) -> Standing {
    let found = [
        caps.turns
            .filter(|&cap| used.turns >= cap)
            .map(|cap| Reached::Turns {
                used: used.turns,
                cap,
            }),
        caps.tokens
            .filter(|&cap| used.tokens >= cap)
            .map(|cap| Reached::Tokens {
                used: used.tokens,
                cap,
            }),
        caps.money
            .filter(|cap| used.money.0 >= cap.0)
            .map(|cap| Reached::Money {
                used: used.money,
                cap,
            }),
        caps.seconds
            .filter(|&cap| used.seconds >= cap)
            .map(|cap| Reached::Seconds {
                used: used.seconds,
                cap,
            }),
    ];
    found
        .into_iter()
        .flatten()
        .next()
        .map_or(Standing::Continue, Standing::Stop)
}

/// Whether a call that may cost up to `worst` may start: money is never
/// promised that is not there. Turns and time count as in [`standing`].
pub fn affords(used: &Used, worst: MicroDollars, caps: &Caps) -> Standing {
    if let stop @ Standing::Stop(_) = standing(used, caps) {
        return stop;
    }
    let after = MicroDollars(used.money.0.saturating_add(worst.0));
    match caps.money {
        Some(cap) if after > cap => Standing::Stop(Reached::Money { used: after, cap }),
        _ => Standing::Continue,
    }
}

/// Whether a call that may come to `tokens` and cost up to `worst` may start.
pub fn affords_call(used: &Used, tokens: u64, worst: MicroDollars, caps: &Caps) -> Standing {
    if let stop @ Standing::Stop(_) = affords(used, worst, caps) {
        return stop;
    }
    let after = used.tokens.saturating_add(tokens);
    match caps.tokens {
        Some(cap) if after > cap => Standing::Stop(Reached::Tokens { used: after, cap }),
        _ => Standing::Continue,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Case = (fn(&mut Used), &'static str);

    #[test]
    fn each_cap_stops_when_it_is_used_up_and_not_before() {
        let caps = Caps {
            turns: Some(10),
            tokens: Some(1000),
            money: Some(MicroDollars(500_000)),
            seconds: Some(60),
        };
        let used = Used {
            turns: 9,
            tokens: 999,
            money: MicroDollars(499_999),
            seconds: 59,
        };
        assert_eq!(standing(&used, &caps), Standing::Continue);
        let cases: [Case; 4] = [
            (|it| it.turns = 10, "10 turns used of 10"),
            (|it| it.tokens = 1200, "1200 tokens used of 1000"),
            (|it| it.money = MicroDollars(500_000), "$0.5000 used of $0.5000"),
            (|it| it.seconds = 61, "61 seconds used of 60"),
        ];
        for (change, words) in cases {
            let mut more = used;
            change(&mut more);
            let Standing::Stop(reached) = standing(&more, &caps) else {
                panic!("{words} did not stop");
            };
            assert!(reached.to_string().starts_with(words), "{reached}");
            assert_eq!(reached.cause(), FailureCause::Limit);
            assert_eq!(standing(&more, &Caps::default()), Standing::Continue);
        }
    }

    #[test]
    fn a_call_that_could_overspend_does_not_start() {
        let caps = Caps {
            money: Some(MicroDollars(100)),
            ..Caps::default()
        };
        let used = Used {
            money: MicroDollars(60),
            ..Used::default()
        };
        assert_eq!(affords(&used, MicroDollars(40), &caps), Standing::Continue);
        let Standing::Stop(_) = affords(&used, MicroDollars(41), &caps) else {
            panic!("money was promised that is not there");
        };
        assert!(matches!(
            affords(&used, MicroDollars(u64::MAX), &caps),
            Standing::Stop(_)
        ));
    }

    #[test]
    fn a_call_that_could_take_too_many_tokens_does_not_start() {
        let caps = Caps {
            tokens: Some(100),
            ..Caps::default()
        };
        let used = Used {
            tokens: 60,
            ..Used::default()
        };
        let free = MicroDollars(0);
        assert_eq!(affords_call(&used, 40, free, &caps), Standing::Continue);
        assert!(matches!(
            affords_call(&used, 41, free, &caps),
            Standing::Stop(Reached::Tokens { used: 101, cap: 100 })
        ));
        assert!(matches!(
            affords_call(&used, u64::MAX, free, &caps),
            Standing::Stop(_)
        ));
    }
}
