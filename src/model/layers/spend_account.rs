//! The spend account of a run: caps, reservations and charges.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::domain::price::Price;
use crate::domain::stage::Stage;
use crate::domain::usage::{MicroDollars, Usage};
use crate::model::broken_off::BrokenOff;
use crate::policy::density::Density;
use crate::policy::limits::{Budget, Caps, Reached, Used, affords, standing};
use crate::policy::scope::Scope;

/// The fewest completion tokens that a call is worth making for, where more
/// were planned.
const LEAST_OUTPUT: u64 = 500;

/// What the line begins with that tells a model what is left. It is no part of
/// what a recording compares: another run of the same session may have more.
pub const LEFT: &str = "[Left of this run's budget: ";

/// The money and tokens of one run. What a call could take is set aside before
/// it is made, so that calls made at once cannot overspend together.
///
/// Every model of a run pays out of it, each at a price of its own.
#[derive(Debug)]
pub struct SpendAccount {
    content: Arc<Content>,
    price: Option<Price>,
    /// What a call costs beside its tokens; `None` where nothing is known of that.
    fee: Option<MicroDollars>,
}

/// The state that the models of a run share.
#[derive(Debug)]
struct Content {
    budget: Budget,
    /// Shared by the runs of a bench.
    pool: Arc<SharedBudget>,
    stages: Mutex<BTreeMap<Stage, Used>>,
    /// What each model's provider counted of earlier prompts.
    density: Mutex<BTreeMap<String, Density>>,
}

/// The budget that the runs of a bench share.
#[derive(Debug, Default)]
pub struct SharedBudget {
    caps: Caps,
    used: Mutex<Used>,
    /// That of more runs, which these are some of.
    all: Option<Arc<SharedBudget>>,
    /// What stands in that of more runs already for what these come to.
    set_aside: Mutex<Used>,
}

/// A call that may be made: what is set aside for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reservation {
    stage: Stage,
    worst: Used,
    /// Most completion tokens that can be paid for.
    pub output: u64,
}

/// A call of which an attempt gave no answer.
#[derive(Debug, Clone, Copy)]
pub struct LostCall<'a> {
    /// The model's full name, by which its density is known.
    pub model: &'a str,
    pub stage: Stage,
    pub prompt_bytes: u64,
    /// Tokens that its answer could have.
    pub planned: u64,
}

impl SharedBudget {
    /// A pool with caps on all runs together.
    pub fn new(caps: Caps) -> Arc<Self> {
        Arc::new(Self {
            caps,
            ..Self::default()
        })
    }

    /// A pool with caps on some runs together, whose uses count among those of all.
    pub fn within(all: &Arc<Self>, caps: Caps) -> Arc<Self> {
        Arc::new(Self {
            caps,
            all: Some(all.clone()),
            ..Self::default()
        })
    }

    /// The pool of a run that goes on, for which so much was set aside among all: what it opens its account with is
    /// that, and at no time counted twice or not at all.
    pub fn going_on(all: &Arc<Self>, set_aside: Used) -> Arc<Self> {
        Arc::new(Self {
            all: Some(all.clone()),
            set_aside: Mutex::new(set_aside),
            ..Self::default()
        })
    }

    /// This pool and those that it is within, always in this order.
    fn pools(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |pool| pool.all.as_deref())
    }

    fn change(&self, change: impl Fn(Used) -> Used) {
        for pool in self.pools() {
            let mut used = lock(&pool.used);
            *used = change(*used);
        }
    }

    /// Sets something aside that runs elsewhere may come to.
    pub fn set_aside(&self, used: Used) {
        self.change(|all| plus(all, used));
    }

    /// Takes in what was spent before, in the place of what was `known` of it.
    fn take_in(&self, known: Used, used: Used) {
        let (fewer, mut more) = (minus(known, used), minus(used, known));
        for pool in self.pools() {
            let mut all = lock(&pool.used);
            *all = plus(minus(*all, fewer), more);
            let mut set_aside = lock(&pool.set_aside);
            let left = minus(*set_aside, more);
            more = minus(more, *set_aside);
            *set_aside = left;
        }
    }

    /// What all runs have used, what is set aside included.
    pub fn used(&self) -> Used {
        *lock(&self.used)
    }
}

impl SpendAccount {
    /// An account for one run at a price; `None` where it is unknown.
    pub fn new(budget: Budget, price: Option<Price>, pool: Arc<SharedBudget>) -> Arc<Self> {
        Arc::new(Self {
            content: Arc::new(Content {
                budget,
                pool,
                stages: Mutex::default(),
                density: Mutex::default(),
            }),
            price,
            fee: None,
        })
    }

    /// The same account for another model, at its price.
    pub fn at(&self, price: Option<Price>) -> Arc<Self> {
        Arc::new(Self {
            content: self.content.clone(),
            price,
            fee: None,
        })
    }

    /// The same account for a model whose calls cost something beside their tokens.
    pub fn charging(&self, fee: Option<MicroDollars>) -> Arc<Self> {
        Arc::new(Self {
            content: self.content.clone(),
            price: self.price,
            fee,
        })
    }

    /// What so many calls cost beside their tokens, where that is known.
    pub fn fee(&self, calls: u64) -> Option<MicroDollars> {
        self.fee.map(|fee| MicroDollars(fee.0.saturating_mul(calls)))
    }

    /// Whether anything is capped here.
    pub fn is_capped(&self) -> bool {
        !self.content.budget.is_empty() || self.content.pool.pools().any(|pool| pool.caps != Caps::default())
    }

    /// What money is counted at.
    pub fn price(&self) -> Option<Price> {
        self.price
    }

    /// What the run has come to, what is set aside for calls included.
    pub fn used(&self) -> Used {
        lock(&self.content.stages)
            .values()
            .copied()
            .fold(Used::default(), plus)
    }

    /// The run's caps.
    pub fn budget(&self) -> &Budget {
        &self.content.budget
    }

    /// Takes in what a journal says was spent in a stage, in place of what was known.
    pub fn open(&self, stage: Stage, used: Used) {
        let before = lock(&self.content.stages).insert(stage, used).unwrap_or_default();
        self.content.pool.take_in(before, used);
    }

    /// The prompt tokens of a request of so many bytes, rather too many than too few.
    pub fn prompt(&self, model: &str, stage: Stage, bytes: u64) -> u64 {
        let all = lock(&self.content.density);
        let known = all.get(model).map(|density| density.prompt(stage, bytes));
        known.unwrap_or_else(|| Density::default().prompt(stage, bytes))
    }

    /// The tokens of a text of so many bytes that is no prompt, such as an answer.
    pub fn text(&self, model: &str, bytes: u64) -> u64 {
        let all = lock(&self.content.density);
        let known = all.get(model).map(|density| density.text(bytes));
        known.unwrap_or_else(|| Density::default().text(bytes))
    }

    /// Learns from what a model's provider counted for a prompt of so many bytes.
    pub fn counted(&self, model: &str, stage: Stage, bytes: u64, usage: Usage) {
        let mut all = lock(&self.content.density);
        let density = all.entry(model.to_owned()).or_default();
        density.counted(stage, bytes, usage.input);
    }

    /// Sets aside what a call could take: `prompt` tokens and up to `output`
    /// more. The call gets fewer completion tokens where that makes it possible.
    ///
    /// # Errors
    /// The first cap that the call could go beyond.
    pub fn reserve(&self, stage: Stage, prompt: u64, output: u64) -> Result<Reservation, Reached> {
        self.set_aside(stage, prompt, output, LEAST_OUTPUT.min(output))
    }

    /// The same for a call that is of no use with fewer completion tokens.
    ///
    /// # Errors
    /// The first cap that the call could go beyond.
    pub fn reserve_whole(&self, stage: Stage, prompt: u64, output: u64) -> Result<Reservation, Reached> {
        self.set_aside(stage, prompt, output, output)
    }

    fn set_aside(&self, stage: Stage, prompt: u64, output: u64, least: u64) -> Result<Reservation, Reached> {
        let mut stages = lock(&self.content.stages);
        let pools: Vec<&SharedBudget> = self.content.pool.pools().collect();
        let mut shared: Vec<MutexGuard<'_, Used>> = pools.iter().map(|pool| lock(&pool.used)).collect();
        let own = stages.get(&stage).copied().unwrap_or_default();
        let run = stages.values().copied().fold(Used::default(), plus);
        let mut scopes = vec![
            (
                Scope::Turn,
                Used::default(),
                self.content.budget.caps(Scope::Turn),
            ),
            (Scope::Stage(stage), own, self.content.budget.for_stage(stage)),
            (Scope::Run, run, self.content.budget.caps(Scope::Run)),
        ];
        let of_pools = shared.iter().zip(&pools);
        scopes.extend(of_pools.map(|(used, pool)| (Scope::Batch, **used, pool.caps)));
        let output = scopes
            .iter()
            .map(|(_, used, caps)| self.payable(used, caps, prompt, output))
            .fold(output, u64::min)
            .max(least);
        let usage = Usage {
            output,
            ..worst_prompt(prompt)
        };
        let worst = self.charged(usage, self.fee(1));
        for (scope, used, caps) in &scopes {
            // The one turn of a call is what it is for, and not beyond a cap.
            standing(*scope, used, caps)?;
            affords(*scope, used, &worst, caps)?;
        }
        *stages.entry(stage).or_default() = plus(own, worst);
        for used in &mut shared {
            **used = plus(**used, worst);
        }
        Ok(Reservation { stage, worst, output })
    }

    /// Takes what a call came to in the place of what was set aside for it;
    /// `None` for a call that was not answered.
    pub fn settle(&self, allowance: Reservation, usage: Option<Usage>) {
        self.settle_charged(allowance, usage, None);
    }

    /// The same, for a call with a fee beside its tokens.
    pub fn settle_charged(&self, allowance: Reservation, usage: Option<Usage>, fee: Option<MicroDollars>) {
        let spent = usage.map_or(Used::default(), |usage| self.charged(usage, fee));
        let settle = |used: Used| plus(minus(used, allowance.worst), spent);
        let mut stages = lock(&self.content.stages);
        let stage = stages.entry(allowance.stage).or_default();
        *stage = settle(*stage);
        self.content.pool.change(settle);
    }

    /// Charges an attempt that gave no answer, besides what is set aside for its call; it does not count as a turn. Returns its
    /// tokens, of which those are marked that are estimated.
    pub fn lose(&self, call: &LostCall<'_>, broken_off: BrokenOff) -> Usage {
        let prompt = self.prompt(call.model, call.stage, call.prompt_bytes);
        let arrived = self.text(call.model, broken_off.arrived);
        let usage = broken_off.usage(prompt, arrived, call.planned);
        let spent = self.worth(0, usage);
        let charge = |used: Used| plus(used, spent);
        let mut stages = lock(&self.content.stages);
        let stage = stages.entry(call.stage).or_default();
        *stage = charge(*stage);
        self.content.pool.change(charge);
        usage
    }

    /// Whether a call for which something is set aside may still be made, after more was charged.
    ///
    /// # Errors
    /// The first cap that the call could go beyond.
    pub fn ensure_afforded(&self, call: &Reservation) -> Result<(), Reached> {
        let stages = lock(&self.content.stages);
        let besides = |used: Used| minus(used, call.worst);
        let own = stages.get(&call.stage).copied().unwrap_or_default();
        let run = stages.values().copied().fold(Used::default(), plus);
        let budget = &self.content.budget;
        affords(
            Scope::Stage(call.stage),
            &besides(own),
            &call.worst,
            &budget.for_stage(call.stage),
        )?;
        affords(Scope::Run, &besides(run), &call.worst, &budget.caps(Scope::Run))?;
        let mut pools = self.content.pool.pools();
        pools.try_for_each(|pool| affords(Scope::Batch, &besides(pool.used()), &call.worst, &pool.caps))
    }

    /// The line that tells a model what is left for a stage; `None` where
    /// nothing is capped. What holds for a single turn is not counted down.
    /// `seconds` are those left, where time is capped.
    pub fn told(&self, stage: Stage, seconds: Option<u64>) -> Option<String> {
        let stages = lock(&self.content.stages);
        let own = stages.get(&stage).copied().unwrap_or_default();
        let run = stages.values().copied().fold(Used::default(), plus);
        let mut scopes = vec![
            (own, self.content.budget.for_stage(stage)),
            (run, self.content.budget.caps(Scope::Run)),
        ];
        scopes.extend(self.content.pool.pools().map(|pool| (pool.used(), pool.caps)));
        let least = |cap: fn(&Caps) -> Option<u64>, used: fn(&Used) -> u64| {
            let left = scopes
                .iter()
                .filter_map(|(spent, caps)| Some(cap(caps)?.saturating_sub(used(spent))));
            left.min()
        };
        let turns = least(|caps| caps.turns, |used| used.turns).map(|turns| format!("{turns} turns"));
        let tokens = least(|caps| caps.tokens, |used| used.tokens).map(|tokens| format!("{tokens} tokens"));
        let money = least(|caps| caps.money.map(|money| money.0), |used| used.money.0)
            .map(|money| MicroDollars(money).to_string());
        let time = seconds.map(|seconds| format!("{} minutes", seconds / 60));
        let parts: Vec<_> = [turns, tokens, money, time].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("{LEFT}{}]", parts.join(", ")))
    }

    /// The completion tokens that are left under some caps behind a prompt.
    fn payable(&self, used: &Used, caps: &Caps, prompt: u64, output: u64) -> u64 {
        let by_tokens = caps
            .tokens
            .map(|cap| cap.saturating_sub(used.tokens).saturating_sub(prompt));
        let by_money = caps.money.zip(self.price).map(|(cap, price)| {
            let prompt = price.cost(worst_prompt(prompt));
            let left = cap.0.saturating_sub(used.money.0).saturating_sub(prompt.0);
            // Dollars for a million tokens are millionths of a dollar for one.
            if price.output > 0.0 {
                (left as f64 / price.output) as u64
            } else {
                output
            }
        });
        [by_tokens, by_money].into_iter().flatten().fold(output, u64::min)
    }

    fn charged(&self, usage: Usage, fee: Option<MicroDollars>) -> Used {
        plus(self.worth(1, usage), charge(fee.unwrap_or_default()))
    }

    /// What calls come to at this model's price.
    pub fn worth(&self, turns: u64, usage: Usage) -> Used {
        worth(self.price, turns, usage)
    }
}

/// A prompt at what it could cost at most: all of it written to the provider's cache for an hour.
fn worst_prompt(tokens: u64) -> Usage {
    Usage {
        input: tokens,
        written_long: tokens,
        ..Usage::default()
    }
}

/// What calls come to at a price; an unknown one leaves their money at nothing.
pub fn worth(price: Option<Price>, turns: u64, usage: Usage) -> Used {
    Used {
        turns,
        tokens: usage.total(),
        money: price.map(|price| price.cost(usage)).unwrap_or_default(),
        seconds: 0,
    }
}

/// What is charged beside tokens.
pub fn charge(money: MicroDollars) -> Used {
    Used {
        money,
        ..Used::default()
    }
}

/// The sum of two.
pub fn plus(one: Used, other: Used) -> Used {
    Used {
        turns: one.turns.saturating_add(other.turns),
        tokens: one.tokens.saturating_add(other.tokens),
        money: MicroDollars(one.money.0.saturating_add(other.money.0)),
        seconds: 0,
    }
}

/// What the first has more than the second.
pub fn minus(one: Used, other: Used) -> Used {
    Used {
        turns: one.turns.saturating_sub(other.turns),
        tokens: one.tokens.saturating_sub(other.tokens),
        money: MicroDollars(one.money.0.saturating_sub(other.money.0)),
        seconds: 0,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICE: Price = Price {
        input: 1.0,
        cached: 0.1,
        output: 10.0,
        written: None,
        written_long: None,
    };

    fn usage(input: u64, output: u64) -> Usage {
        Usage {
            input,
            output,
            ..Usage::default()
        }
    }

    fn account(set: impl Fn(&mut Budget)) -> Arc<SpendAccount> {
        let mut budget = Budget::default();
        set(&mut budget);
        SpendAccount::new(budget, Some(PRICE), Arc::default())
    }

    #[test]
    fn a_call_gets_what_can_be_paid_for_and_no_more() {
        let account = account(|budget| budget.at(Scope::Run).money = Some(MicroDollars(20_000)));
        // 10,000 prompt tokens cost a cent, and another cent buys 1,000 more.
        let allowance = account.reserve(Stage::DESIGN, 10_000, 8_000).unwrap();
        assert_eq!(allowance.output, 1_000);
        // What is set aside is not there for anybody else.
        assert!(account.reserve(Stage::SEARCH, 1_000, 100).is_err());
        account.settle(allowance, Some(usage(10_000, 100)));
        let left = Some("[Left of this run's budget: $0.0090]".to_owned());
        assert_eq!(account.told(Stage::DESIGN, None), left);
        let refused = account.reserve(Stage::DESIGN, 8_000, 8_000).unwrap_err();
        assert_eq!((refused.scope, refused.used), (Scope::Run, 11_000));
        account.settle(account.reserve(Stage::DESIGN, 1_000, 500).unwrap(), None);
        assert_eq!(account.told(Stage::DESIGN, None), left);
    }

    #[test]
    fn a_prompt_is_set_aside_at_what_it_costs_to_write_it_to_the_cache() {
        let mut budget = Budget::default();
        budget.at(Scope::Run).money = Some(MicroDollars(25_000));
        let price = Price {
            written_long: Some(2.0),
            ..PRICE
        };
        let account = SpendAccount::new(budget, Some(price), Arc::default());
        // 10,000 tokens cost two cents, and half a cent buys 500 more.
        assert_eq!(account.reserve(Stage::DESIGN, 10_000, 8_000).unwrap().output, 500);
    }

    #[test]
    fn each_scope_holds() {
        let turn = account(|budget| budget.at(Scope::Turn).tokens = Some(3_000));
        assert_eq!(turn.reserve(Stage::DESIGN, 2_000, 8_000).unwrap().output, 1_000);
        assert_eq!(
            turn.reserve(Stage::DESIGN, 2_900, 8_000).unwrap_err().scope,
            Scope::Turn
        );

        let stage = account(|budget| budget.at(Scope::EachStage).turns = Some(1));
        stage.reserve(Stage::DESIGN, 1, 1).unwrap();
        let refused = stage.reserve(Stage::DESIGN, 1, 1).unwrap_err();
        assert_eq!(refused.scope, Scope::Stage(Stage::DESIGN));
        stage.reserve(Stage::SEARCH, 1, 1).unwrap();

        let run = account(|budget| budget.at(Scope::Run).turns = Some(3));
        run.open(Stage::EXTRACT, run.worth(2, Usage::default()));
        run.reserve(Stage::DESIGN, 1, 1).unwrap();
        assert_eq!(run.reserve(Stage::SEARCH, 1, 1).unwrap_err().scope, Scope::Run);
    }

    #[test]
    fn runs_of_a_batch_share_a_pool_and_a_resumed_one_counts_once() {
        let pool = SharedBudget::new(Caps {
            tokens: Some(10_000),
            ..Caps::default()
        });
        let accounts: Vec<_> = (0..2)
            .map(|_| SpendAccount::new(Budget::default(), None, pool.clone()))
            .collect();
        for _ in 0..2 {
            accounts[0].open(Stage::EXTRACT, accounts[0].worth(1, usage(6_000, 0)));
        }
        assert_eq!(pool.used().tokens, 6_000);
        let allowance = accounts[1].reserve(Stage::EXTRACT, 3_000, 1_000).unwrap();
        let refused = accounts[0].reserve(Stage::EXTRACT, 100, 100).unwrap_err();
        assert_eq!(refused.scope, Scope::Batch);
        accounts[1].settle(allowance, Some(usage(1_000, 10)));
        assert!(accounts[0].reserve(Stage::EXTRACT, 100, 100).is_ok());
    }

    #[test]
    fn some_runs_share_a_pool_within_that_of_all() {
        let caps = |tokens| Caps {
            tokens: Some(tokens),
            ..Caps::default()
        };
        let all = SharedBudget::new(caps(10_000));
        let [some, others] = [4_000, 9_000].map(|tokens| SharedBudget::within(&all, caps(tokens)));
        let of = |pool: &Arc<SharedBudget>| SpendAccount::new(Budget::default(), None, pool.clone());
        let (one, other) = (of(&some), of(&others));
        assert!(one.is_capped());
        one.open(Stage::EXTRACT, one.worth(1, usage(3_000, 0)));
        // Its own pool has a thousand left, that of all seven.
        assert_eq!(one.reserve(Stage::DESIGN, 1_500, 1).unwrap_err().cap, 4_000);
        assert_eq!(
            other.told(Stage::DESIGN, None).unwrap(),
            format!("{LEFT}7000 tokens]")
        );
        let allowance = other.reserve(Stage::DESIGN, 6_500, 100).unwrap();
        assert_eq!(of(&some).reserve(Stage::DESIGN, 900, 1).unwrap_err().cap, 10_000);
        other.settle(allowance, Some(usage(10, 0)));
        assert_eq!(
            (some.used().tokens, others.used().tokens, all.used().tokens),
            (3_000, 10, 3_010)
        );
        others.set_aside(one.worth(1, usage(90, 0)));
        assert_eq!((others.used().tokens, all.used().tokens), (100, 3_100));
    }

    /// Another run could be refused what is there meanwhile, or given what is not.
    #[test]
    fn what_a_run_goes_on_with_counts_once_at_any_time() {
        let all = SharedBudget::new(Caps {
            tokens: Some(100),
            ..Caps::default()
        });
        let some = SharedBudget::within(&all, Caps::default());
        let worth = |tokens| worth(None, 1, usage(tokens, 0));
        some.set_aside(plus(worth(30), worth(40)));
        let own = SharedBudget::going_on(&some, plus(worth(30), worth(40)));
        let account = SpendAccount::new(Budget::default(), None, own.clone());
        let told = || [&own, &some, &all].map(|pool| (pool.used().turns, pool.used().tokens));
        assert_eq!(told(), [(0, 0), (2, 70), (2, 70)]);
        for _ in 0..2 {
            account.open(Stage::EXTRACT, worth(30));
            assert_eq!(told(), [(1, 30), (2, 70), (2, 70)]);
        }
        account.open(Stage::DESIGN, worth(40));
        assert_eq!(told(), [(2, 70), (2, 70), (2, 70)]);
        // What comes now is new, also where a stage is opened again with more.
        account.open(Stage::DESIGN, worth(45));
        let allowance = account.reserve(Stage::EXECUTE, 20, 5).unwrap();
        assert_eq!(account.reserve(Stage::EXECUTE, 1, 1).unwrap_err().cap, 100);
        account.settle(allowance, Some(usage(3, 0)));
        assert_eq!(told(), [(3, 78), (3, 78), (3, 78)]);
        assert_eq!(account.used(), own.used());
    }

    #[test]
    fn what_is_charged_beside_tokens_is_set_aside_and_settled() {
        let account = account(|budget| budget.at(Scope::Run).money = Some(MicroDollars(25_000)));
        let searching = account.charging(Some(MicroDollars(10_000)));
        let allowance = searching.reserve(Stage::SEARCH, 0, 0).unwrap();
        // It searched twice, and took a thousand tokens for a tenth of a cent.
        let fee = searching.fee(2);
        searching.settle_charged(allowance, Some(usage(1_000, 0)), fee);
        let left = Some("[Left of this run's budget: $0.0040]".to_owned());
        assert_eq!(account.told(Stage::SEARCH, None), left);
        let refused = searching.reserve(Stage::SEARCH, 0, 0).unwrap_err();
        assert_eq!((refused.scope, refused.used), (Scope::Run, 21_000));
        assert!(account.reserve(Stage::SEARCH, 0, 0).is_ok());
    }

    #[test]
    fn every_model_of_a_run_pays_out_of_one_purse_at_its_own_price() {
        let account = account(|budget| budget.at(Scope::Run).money = Some(MicroDollars(20_000)));
        let dear = account.at(Some(Price {
            input: 10.0,
            cached: 1.0,
            output: 100.0,
            written: None,
            written_long: None,
        }));
        let allowance = dear.reserve(Stage::DESIGN, 1_000, 50).unwrap();
        dear.settle(allowance, Some(usage(1_000, 50)));
        let left = Some("[Left of this run's budget: $0.0050]".to_owned());
        assert_eq!(account.told(Stage::DESIGN, None), left);
        assert!(account.reserve(Stage::SEARCH, 5_000, 500).is_err());
        account.reserve(Stage::SEARCH, 500, 400).unwrap();
        assert!(
            dear.reserve(Stage::SEARCH, 100, 1).is_err(),
            "set aside by the other"
        );
    }
}
