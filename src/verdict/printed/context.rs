//! The context of a printed table: model, outcome, observations, degrees of freedom.

use regex::Regex;

use super::printed_row::{PrintedKind, PrintedRow};
use super::source_line::is_rule;
use crate::domain::lazy_regex::LazyRegex;
use crate::domain::statistic::DegreesOfFreedom;

/// The surroundings of the next table.
#[derive(Debug, Clone, Default)]
pub struct Context {
    pub outcome: Option<String>,
    pub model: Option<String>,
    pub n: Option<u64>,
    /// Residual degrees of freedom that t statistics of the table have.
    pub df: Option<f64>,
    /// The last line with text that was no part of a table.
    pub title: Option<String>,
    is_clustered: bool,
    /// Whether a table has taken what was noted.
    is_used: bool,
    /// Whether a rule alone stands behind that table.
    is_ruled: bool,
    /// Whether `model` is a command that stands until the next one.
    is_command: bool,
}

static CALL: LazyRegex =
    LazyRegex::new(r"^\s*(?:[\w.]+::)?([\w.]+)\((?:formula|fixed|model|object)\s*=\s*(.*)$");
static FORMULA: LazyRegex = LazyRegex::new(r"^\s*(?:Formula|Fixed effects):\s*(\S.*~.*)$");
static DEPENDENT: LazyRegex = LazyRegex::new(
    r"(?i)^(?:.*\s)?(?:Dep(?:endent|\.)\s?Var(?:iable|\.)?|Response|Outcome|Dependent variable)\s*:\s*(\S+(?: \S+)*)",
);
static MODEL: LazyRegex =
    LazyRegex::new(r"^(?:Model|Estimator|Specification):\s+(\S+(?: \S+)*?)(?:\s{2,}|\s+Dep|\s*$)");
static COUNT: LazyRegex = LazyRegex::new(
    r"(?i)(?:^|\s)(?:No\. Observations|Number of obs(?:ervations)?|No\. of obs|Num\. obs\.?|Observations|n)\s*[:=]\s*([\d,]+)(?:\s|,|$)",
);
static RESIDUAL_DF: LazyRegex = LazyRegex::new(
    r"Df Residuals:\s+(\d+)|F\(\s*[\d.]+,\s*(\d+)\)\s+=|on ([\d.]+) (?:residual )?degrees of freedom",
);
static STATA_COMMAND: LazyRegex = LazyRegex::new(r"^\. (\S.*)$");

fn capture<'a>(pattern: &Regex, text: &'a str) -> Option<&'a str> {
    let captures = pattern.captures(text)?;
    captures
        .iter()
        .skip(1)
        .flatten()
        .next()
        .map(|group| group.as_str())
}

impl Context {
    /// The degrees of freedom that a statistic of a coefficient table has.
    pub fn df_of(&self, kind: PrintedKind) -> Option<DegreesOfFreedom> {
        let df = self.df.filter(|_| kind == PrintedKind::T && !self.is_clustered)?;
        Some(DegreesOfFreedom::one(df))
    }

    /// Takes note of a line outside tables.
    pub fn note(&mut self, text: &str) {
        if is_rule(text) {
            self.is_ruled = true;
            return;
        }
        if self.is_used {
            self.forget();
        }
        if text.trim().is_empty() {
            return;
        }
        if let Some(command) = capture(&STATA_COMMAND, text) {
            *self = Self {
                model: Some(command.trim().to_owned()),
                is_command: true,
                ..Self::default()
            };
        } else if text.starts_with("Call:")
            || text.contains("Regression Results")
            || text.contains("Estimation Summary")
        {
            *self = Self::default();
        }
        if let Some(captures) = CALL.captures(text) {
            let formula = captures.get(2).map_or("", |group| group.as_str());
            self.take_formula(formula);
            self.model = Some(text.trim().to_owned());
        }
        if let Some(formula) = capture(&FORMULA, text) {
            self.take_formula(formula);
            if self.outcome.is_some() {
                self.model = Some(formula.trim().to_owned());
            }
        }
        if let Some(outcome) = capture(&DEPENDENT, text) {
            self.outcome = Some(outcome.to_owned());
        }
        if let Some(model) = capture(&MODEL, text) {
            self.model = Some(model.to_owned());
        }
        if let Some(count) = capture(&COUNT, text) {
            self.n = count.replace(',', "").parse().ok();
        }
        // Printed after the table by R, before it by the others.
        if !text.contains("deviance")
            && !text.contains("Residual standard error")
            && let Some(df) = capture(&RESIDUAL_DF, text)
        {
            self.df = df.parse().ok();
        }
        if text.contains("Covariance Type:") {
            self.is_clustered = text.contains("cluster");
        }
        self.title = Some(text.trim().to_owned());
    }

    fn take_formula(&mut self, formula: &str) {
        if let Some((outcome, _)) = formula.split_once('~') {
            let outcome = outcome.trim();
            self.outcome = (!outcome.is_empty() && outcome.len() <= 200).then(|| outcome.to_owned());
        }
    }

    /// Completes the rows of the table just read by a line that follows it.
    pub fn complete(text: &str, rows: &mut [PrintedRow]) {
        if (text.contains("Residual standard error") || text.starts_with("Scale fixed"))
            && let Some(df) = capture(&RESIDUAL_DF, text).and_then(|df| df.parse().ok())
        {
            for statistic in rows.iter_mut().filter_map(|row| row.statistic.as_mut()) {
                if statistic.kind == PrintedKind::T && statistic.df.is_none() {
                    statistic.df = Some(DegreesOfFreedom::one(df));
                }
            }
        }
        // emmeans says below by what it raised them.
        if let Some(by) = text.trim().strip_prefix("P value adjustment:").map(str::trim) {
            for p in rows.iter_mut().filter_map(|row| row.p.as_mut()) {
                p.adjusted = Some(by.to_owned());
            }
        }
        // survreg and nlme print the count below.
        let count = text
            .trim()
            .strip_prefix("n=")
            .or_else(|| text.strip_prefix("Number of Observations:"));
        if let Some(count) = count.and_then(|rest| {
            rest.trim()
                .split(|c: char| !c.is_ascii_digit())
                .next()
                .and_then(|digits| digits.parse().ok())
        }) {
            for row in rows.iter_mut().filter(|row| row.n.is_none()) {
                row.n = Some(count);
            }
        }
    }

    /// A table was read: what was noted holds for parts of it that follow at once,
    /// behind a rule alone.
    pub fn close(&mut self) {
        self.is_used = true;
        self.is_ruled = false;
    }

    /// A table may begin: one that follows another without a rule is its own.
    pub fn open(&mut self) {
        if self.is_used && !self.is_ruled {
            self.forget();
        }
    }

    /// Forgets what belonged to the table just read.
    ///
    /// Stata prints the command above its tables; another program's next table may
    /// be of another model.
    fn forget(&mut self) {
        let model = self.model.take().filter(|_| self.is_command);
        *self = Self {
            model,
            is_command: self.is_command,
            ..Self::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surroundings_are_noted() {
        let mut context = Context::default();
        for line in [
            "Dep. Variable:      cases_per_million   R-squared:                       0.010",
            "Model:                            OLS   Adj. R-squared:                 -0.011",
            "No. Observations:                 150   AIC:                             2983.",
            "Df Residuals:                     146   BIC:                             2995.",
        ] {
            context.note(line);
        }
        assert_eq!(context.outcome.as_deref(), Some("cases_per_million"));
        assert_eq!(context.model.as_deref(), Some("OLS"));
        assert_eq!((context.n, context.df), (Some(150), Some(146.0)));
        context.note(". regress price mpg, vce(robust)");
        assert_eq!(
            (context.n, context.model.as_deref()),
            (None, Some("regress price mpg, vce(robust)"))
        );
        context.note("      Source |       SS           df       MS      Number of obs   =     1,074");
        context.note("-------------+----------------------------------   F(2, 71)        =     14.74");
        assert_eq!((context.n, context.df), (Some(1074), Some(71.0)));
        context.note("lm(formula = y ~ x * group + z, data = d)");
        assert_eq!(context.outcome.as_deref(), Some("y"));
    }
}
