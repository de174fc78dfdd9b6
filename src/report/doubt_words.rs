//! Answers to the next question about a doubt: why it does not decide, or what would settle it.

use crate::domain::doubt::DoubtCause;

/// What would close a verdict that this cause leaves open, as the end of "To close it: ".
pub fn closed_by(cause: DoubtCause) -> &'static str {
    match cause {
        DoubtCause::Missing => "run code that records the missing number.",
        DoubtCause::Term => "run code that records or prints a result under the name of the planned term.",
        DoubtCause::Several => "record one result for the term, or state in the plan which of them counts.",
        DoubtCause::PValue | DoubtCause::Statistic | DoubtCause::Interval => {
            "correct the number that does not fit, and run the code again."
        }
        DoubtCause::Sides => "record whether the p-value is one-sided or two-sided (`sides`).",
        DoubtCause::Bound => "record the exact p-value.",
        DoubtCause::Scale => "state the scale of the estimate in the plan, and record it with the result.",
        DoubtCause::Direction => "record an estimate with a sign, a contrast, or the means of the groups.",
        DoubtCause::SampleSize => {
            "analyse the planned rows, or plan which rows are left out and how many remain."
        }
        DoubtCause::Report => "correct the report: the numbers of the code count.",
        DoubtCause::Data => "run code that opens the planned data files, and no others.",
        DoubtCause::Model => "run the planned model, or plan the one that was run.",
        DoubtCause::Claim => "plan the direction of the claim, or fix it in `study.toml`.",
        DoubtCause::OriginalNumbers => "run code whose numbers can be shown to come from the data.",
        DoubtCause::NotFromData => "run code whose result changes when the data change.",
        DoubtCause::NotAsPlanned => {
            "run the planned model on the planned columns, or plan what the code does with them."
        }
        DoubtCause::Unstable => {
            "run code with a fixed seed whose result changes little when a few rows are left out."
        }
        DoubtCause::ChangedAfterResult => {
            "carry out a plan once, without a change, on data whose result is not known."
        }
        DoubtCause::WeakerRule => "give a reason in the plan for the weaker rule, or meet the fixed one.",
        DoubtCause::Rule => "collect more data: these numbers decide neither way.",
        DoubtCause::NothingRun => "run a plan with a criterion to its end.",
    }
}

/// Why a doubt of this cause does not decide a verdict that is met or not met.
pub fn why_it_does_not_decide(cause: DoubtCause) -> &'static str {
    match cause {
        DoubtCause::PValue
        | DoubtCause::Statistic
        | DoubtCause::Interval
        | DoubtCause::Sides
        | DoubtCause::Scale => "The outcome is the same with either number.",
        DoubtCause::SampleSize => {
            "The plan allows for it, or no complete row is known to be left out of the model."
        }
        DoubtCause::Report => "The verdict uses the numbers of the code.",
        DoubtCause::Data => "Planned data were opened.",
        DoubtCause::OriginalNumbers => "The reruns show that the numbers come from the data.",
        DoubtCause::NotFromData => "A check that could not be made is not evidence against the result.",
        DoubtCause::NotAsPlanned => "By itself it does not show that the result is another one than planned.",
        DoubtCause::ChangedAfterResult => "The rule gives the earlier result the same outcome, or none.",
        DoubtCause::Missing
        | DoubtCause::Term
        | DoubtCause::Several
        | DoubtCause::Bound
        | DoubtCause::Direction
        | DoubtCause::Model
        | DoubtCause::Claim
        | DoubtCause::Unstable
        | DoubtCause::WeakerRule
        | DoubtCause::Rule
        | DoubtCause::NothingRun => "The rule that decides does not depend on it.",
    }
}
