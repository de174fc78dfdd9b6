//! Turns, tokens, money and time: used against their caps.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::domain::stage::Stage;
use crate::domain::usage::MicroDollars;

use super::cap::Cap;
use super::scope::{Quantity, Scope};

/// Caps of whatever they hold for; an absent cap does not limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Caps {
    /// Model calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// Input and output tokens together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub money: Option<MicroDollars>,
    /// Seconds of wall-clock time; a wait for a person does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

/// The caps of a run, by what they hold for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Budget(BTreeMap<Scope, Caps>);

/// The amounts used so far, in the units of [`Caps`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    pub turns: u64,
    pub tokens: u64,
    pub money: MicroDollars,
    pub seconds: u64,
}

/// The cap that ended it, in the quantity's own unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reached {
    pub scope: Scope,
    pub quantity: Quantity,
    pub used: u64,
    /// What the next call could have taken on top; 0 where nothing is left anyway.
    pub next: u64,
    pub cap: u64,
}

impl Budget {
    /// Whether nothing is capped.
    pub fn is_empty(&self) -> bool {
        self.0.values().all(|caps| *caps == Caps::default())
    }

    /// The stages that a cap names.
    pub fn stages(&self) -> impl Iterator<Item = Stage> {
        self.0.keys().filter_map(|scope| match scope {
            Scope::Stage(stage) => Some(*stage),
            Scope::Turn | Scope::EachStage | Scope::Run | Scope::Batch => None,
        })
    }

    /// Whether money is capped anywhere.
    pub fn caps_money(&self) -> bool {
        self.0.values().any(|caps| caps.money.is_some())
    }

    /// The caps of one scope, to be set.
    pub fn at(&mut self, scope: Scope) -> &mut Caps {
        self.0.entry(scope).or_default()
    }

    /// The caps of one scope.
    pub fn caps(&self, scope: Scope) -> Caps {
        self.0.get(&scope).copied().unwrap_or_default()
    }

    /// Sets one cap.
    pub fn set(&mut self, cap: Cap) {
        let caps = self.at(cap.scope);
        match cap.quantity {
            Quantity::Turns => caps.turns = Some(cap.amount),
            Quantity::Tokens => caps.tokens = Some(cap.amount),
            Quantity::Money => caps.money = Some(MicroDollars(cap.amount)),
            Quantity::Seconds => caps.seconds = Some(cap.amount),
        }
    }

    /// The caps of one stage: its own, and for what it has none those of every stage.
    pub fn for_stage(&self, stage: Stage) -> Caps {
        self.caps(Scope::Stage(stage)).or(self.caps(Scope::EachStage))
    }

    /// This budget with another laid over it, cap by cap.
    pub fn overlaid(mut self, over: &Self) -> Self {
        for (scope, caps) in &over.0 {
            let under = self.caps(*scope);
            *self.at(*scope) = caps.or(under);
        }
        self
    }
}

impl Caps {
    fn or(self, under: Self) -> Self {
        Self {
            turns: self.turns.or(under.turns),
            tokens: self.tokens.or(under.tokens),
            money: self.money.or(under.money),
            seconds: self.seconds.or(under.seconds),
        }
    }

    fn get(&self, quantity: Quantity) -> Option<u64> {
        match quantity {
            Quantity::Turns => self.turns,
            Quantity::Tokens => self.tokens,
            Quantity::Money => self.money.map(|money| money.0),
            Quantity::Seconds => self.seconds,
        }
    }
}

impl Used {
    fn get(&self, quantity: Quantity) -> u64 {
        match quantity {
            Quantity::Turns => self.turns,
            Quantity::Tokens => self.tokens,
            Quantity::Money => self.money.0,
            Quantity::Seconds => self.seconds,
        }
    }
}

/// Whether another turn may start: `Err` with the first cap that is used up.
///
/// # Errors
/// The first cap that is used up.
pub fn standing(scope: Scope, used: &Used, caps: &Caps) -> Result<(), Reached> {
    affords(scope, used, &Used::default(), caps)
}

/// Whether a call that may take up to `worst` may start: no cap is used up, and
/// nothing is promised that is not there.
///
/// # Errors
/// The first cap that is used up, or that the call could pass.
pub fn affords(scope: Scope, used: &Used, worst: &Used, caps: &Caps) -> Result<(), Reached> {
    let all = [
        Quantity::Turns,
        Quantity::Tokens,
        Quantity::Money,
        Quantity::Seconds,
    ];
    for quantity in all {
        let Some(cap) = caps.get(quantity) else { continue };
        let (used, next) = (used.get(quantity), worst.get(quantity));
        if used >= cap || used.saturating_add(next) > cap {
            return Err(Reached {
                scope,
                quantity,
                used,
                next: if used >= cap { 0 } else { next },
                cap,
            });
        }
    }
    Ok(())
}

impl fmt::Display for Reached {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (used, cap) = (self.quantity.written(self.used), self.quantity.written(self.cap));
        write!(formatter, "{used} used of {cap} allowed for {}", self.scope)?;
        if self.next > 0 {
            write!(
                formatter,
                ", and the next call could take {}",
                self.quantity.written(self.next)
            )?;
        }
        let flag = self.quantity.flag();
        match self.scope {
            Scope::Batch => write!(
                formatter,
                ": `reprise bench` goes on with a larger `{}` in the bench file's limits",
                flag.trim_start_matches('-')
            ),
            _ => write!(formatter, ": `reprise resume` with a larger {flag} goes on"),
        }
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
        assert_eq!(standing(Scope::Run, &used, &caps), Ok(()));
        let cases: [Case; 4] = [
            (
                |it| it.turns = 10,
                "10 turns used of 10 turns allowed for the run:",
            ),
            (|it| it.tokens = 1200, "1200 tokens used of 1000 tokens"),
            (|it| it.money = MicroDollars(500_000), "$0.5000 used of $0.5000"),
            (|it| it.seconds = 61, "61 seconds used of 60 seconds"),
        ];
        for (change, words) in cases {
            let mut more = used;
            change(&mut more);
            let reached = standing(Scope::Run, &more, &caps).unwrap_err();
            assert!(reached.to_string().starts_with(words), "{reached}");
            assert_eq!(standing(Scope::Run, &more, &Caps::default()), Ok(()));
        }
    }

    #[test]
    fn a_call_that_could_overspend_does_not_start() {
        let caps = Caps {
            money: Some(MicroDollars(100)),
            ..Caps::default()
        };
        let money = |amount| Used {
            money: MicroDollars(amount),
            ..Used::default()
        };
        let run = |worst| affords(Scope::Run, &money(60), &money(worst), &caps);
        assert_eq!(run(40), Ok(()));
        let refused = run(41).unwrap_err();
        assert_eq!((refused.used, refused.next, refused.cap), (60, 41, 100));
        assert!(refused.to_string().contains("could take"), "{refused}");
        assert!(run(u64::MAX).is_err());
    }

    #[test]
    fn a_stage_of_its_own_cap_is_not_held_by_the_common_one() {
        let mut budget = Budget::default();
        budget.at(Scope::EachStage).tokens = Some(5);
        budget.at(Scope::Stage(Stage::DESIGN)).tokens = Some(9);
        budget.at(Scope::Run).turns = Some(3);
        assert_eq!(budget.for_stage(Stage::DESIGN).tokens, Some(9));
        assert_eq!(budget.for_stage(Stage::SEARCH).tokens, Some(5));
        let mut raised = Budget::default();
        raised.at(Scope::Run).turns = Some(7);
        let budget = budget.overlaid(&raised);
        assert_eq!(budget.caps(Scope::Run).turns, Some(7));
        assert_eq!(budget.for_stage(Stage::SEARCH).tokens, Some(5));
        let text = serde_json::to_string(&budget).unwrap();
        assert_eq!(serde_json::from_str::<Budget>(&text).unwrap(), budget);
    }
}
