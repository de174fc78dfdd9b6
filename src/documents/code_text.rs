//! Analysis code inside documents, known by its lines.
//!
//! A paper's appendix or the page of a knitted report may hold the script itself. What counts
//! are several lines of R, Stata, SPSS or Python close to one another; a sentence that names a
//! function, one printed call above a table, or a formula is no code.

use crate::documents::document::Page;
use crate::domain::lazy_regex::LazyRegex;

/// Lines of code that make a page one of code.
const SEVERAL: usize = 3;
/// Lines that do beside such a page, where a script goes on or ends.
const CONTINUED: usize = 1;
/// Lines of anything between two of code of one script.
const APART: usize = 6;

static R: LazyRegex = LazyRegex::new(
    r#"(?x)^\s*(?:[>+]\s+)?(?:
        (?:[A-Za-z.][\w.]*(?:[\$@][\w.]+|\[[^\]]*\])*|`[^`]+`)\s*<-\s*\S
      | (?:library|require|install\.packages|source|setwd|rm|set\.seed|options)\([^)]*\)\s*;?\s*(?:\#.*)?$
      | (?:summary|lm|glm|lmer|glmer|t\.test|anova|aov|cor\.test|feols|plm|coeftest|print|head|table|str|ggplot|plot|hist|with|subset|mean|sd)\(.*[)+,]\s*$
      | \S.*(?:%>%|\|>)\s*$
      | (?:if|for|while)\s*\(.*\)\s*\{\s*$
      | [\w.]+\s*=\s*(?:function|c|data\.frame|read\.\w+|read_\w+|lm|glm|lmer|subset)\(
    )"#,
);
static STATA: LazyRegex = LazyRegex::new(
    r#"(?x)^\s*(?:\.\s+)?(?:by(?:sort)?\s+[\w\s()]+:\s*)?(?:qui(?:etly)?\s+|cap(?:ture)?\s+|xi:\s*)*(?:
        (?:g(?:en(?:erate)?)?|egen|replace)\s+(?:byte\s+|int\s+|long\s+|float\s+|double\s+|str\d+\s+)?\w+\s*=
      | (?:reg(?:ress)?|xtreg|xtgls|xtpcse|xtpoisson|areg|reghdfe|ivreg2|ivregress|logit|probit|ologit|oprobit|mlogit|nbreg|poisson|xtmixed|mixed|melogit|xtlogit|newey|tobit|qreg)\s+(?:i\.|c\.|l\.)?\w+(?:\s+(?:[ic]\.|L\d?\.)?[\w\#*.]+)+\s*(?:\[.*\])?\s*(?:if\s.*)?(?:,.*)?(?:///?.*)?$
      | (?:use|insheet|import|save|merge|append|log)\s+(?:using\s+|delimited\s+|excel\s+|[1m]:[1m]\s+)*.*["']?\S+\.(?:dta|csv|xlsx?|smcl|log|txt)["']?.*$
      | (?:label|lab)\s+(?:var(?:iable)?|def(?:ine)?|val(?:ues)?)\s+\w+
      | recode\s+\w+.*\(.*=.*\)
      | (?:foreach|forv(?:alues)?)\s+\w+\s*(?:in|of|=)\s+.*\{
      | (?:local|global)\s+\w+\s*(?:=|"|`|:)
      | rename\s+\w+\s+\w+\s*(?:/\*.*)?$
      | (?:drop|keep)\s+if\s+\w+.*(?:[=<>~!]|missing|inlist|mi\()
      | (?:xtset|tsset|svyset|stset)\s+\w+
      | (?:est(?:imates)?\s+store|eststo|esttab|outreg2|margins|lincom|predict|testparm|tabstat|collapse|reshape|encode|destring)\b[\s:,(][^.]*$
      | (?:set\s+(?:more\s+off|seed\s+\d+|mem\w*\s+\d+\w*)|clear(?:\s+all)?|version\s+\d+(?:\.\d)?|capture\s+log\s+close|log\s+close)\s*$
    )"#,
);
static SPSS: LazyRegex = LazyRegex::new(
    r#"(?x)^\s*(?:
        (?:COMPUTE|IF|RECODE|SELECT\ IF|DO\ IF|COUNT|STRING|NUMERIC)\s*\(?\s*\w+.*[=(].*
      | (?:FREQUENCIES|DESCRIPTIVES|REGRESSION|T-TEST|ONEWAY|UNIANOVA|GLM|CORRELATIONS|NONPAR\ CORR|EXAMINE|CROSSTABS|LOGISTIC\ REGRESSION|MIXED|GENLIN|MEANS|RELIABILITY|FACTOR|MANOVA|PARTIAL\ CORR|NPAR\ TESTS)\s+(?:.*[=/a-z].*|\S.*\.\s*$)
      | (?:GET\ FILE|SAVE\ OUTFILE|DATASET\ \w+|GET\ DATA|VARIABLE\ LABELS|VALUE\ LABELS|MISSING\ VALUES|SORT\ CASES|SPLIT\ FILE|FILTER\ BY|USE\ ALL|AGGREGATE|MATCH\ FILES|ADD\ FILES|VARIABLE\ LEVEL)\b.*
      | EXECUTE\s*\.
      | /(?:VARIABLES|DEPENDENT|METHOD|MISSING|STATISTICS|CRITERIA|DESIGN|PRINT|PLOT|SAVE|INTERVAL|CATEGORICAL|CONTRAST|ENTER|NOORIGIN|INTERCEPT|EMMEANS|WSFACTOR|WSDESIGN|FIXED|RANDOM|GROUPS|PAIRS|TABLES|FORMAT|CELLS|ORDER|NTILES|TESTVAL)\b[\s=(.].*
      | /(?:VARIABLES|DESIGN|PRINT|ORDER|NOORIGIN)\s*$
    )"#,
);
static PYTHON: LazyRegex = LazyRegex::new(
    r#"(?x)^\s*(?:>>>\s+)?(?:
        import\s+\w+(?:\.\w+)*(?:\s+as\s+\w+)?\s*$
      | from\s+[\w.]+\s+import\s+[\w*,\s()]+$
      | def\s+\w+\(.*\)\s*(?:->.*)?:\s*$
      | (?:for\s+\w+(?:,\s*\w+)*\s+in\s+.+|if\s+.*(?:[=<>!]=|\bin\b|\().*|with\s+.*\(.*)\s*:\s*$
      | [\w.]+(?:\[[^\]]+\])?\s*=\s*(?:pd|np|sm|smf|stats|plt|sns|df|data)(?:\.|\[)\S+
      | (?:print|plt\.\w+|sns\.\w+|df\.\w+|model\.\w+)\(.*\)\s*$
      | [\w.]+\s*=\s*[\w.]+\.(?:fit|read_csv|groupby|merge|dropna)\(.*\)\s*$
    )"#,
);
/// Words that a sentence has and a command has not.
static PROSE: LazyRegex = LazyRegex::new(
    r"(?:\b(?:the|of|which|that|were|was|is|are|we|our|this|and the)\b.*){2}|\b(?:et al|e\.g|i\.e)\b",
);
/// A comment of one of these languages, or a bracket alone: part of a script where code stands by.
static FILLER: LazyRegex = LazyRegex::new(r"^\s*(?:#|\*+\s|//|/\*|[{})\]]+\s*[,;]?\s*$|else\b|\s*$)");

/// True if a line is a command of R, Stata, SPSS or Python.
pub fn is_code_line(line: &str) -> bool {
    let is_command = [&R, &STATA, &SPSS, &PYTHON]
        .iter()
        .any(|language| language.is_match(line));
    is_command && (!PROSE.is_match(line) || line.trim_start().starts_with('#'))
}

/// Lines of code that stand together, the most of any such group.
fn lines_together(text: &str) -> usize {
    let (mut most, mut here, mut since) = (0, 0, 0);
    for line in text.lines() {
        if is_code_line(line) {
            here += 1;
            since = 0;
        } else if !FILLER.is_match(line) {
            since += 1;
            if since > APART {
                here = 0;
            }
        }
        most = most.max(here);
    }
    most
}

/// True if comments, as of a script or of output that was pasted into one, fill half of a page.
fn is_commented(text: &str) -> bool {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let comments = lines().filter(|line| FILLER.is_match(line)).count();
    comments > 0 && 2 * comments >= lines().count()
}

/// True if a text without pages holds analysis code.
pub fn holds_code(text: &str) -> bool {
    lines_together(text) >= SEVERAL
}

/// The pages that hold analysis code, with those beside them on which it goes on.
pub fn pages_with_code(pages: &[Page]) -> Vec<u32> {
    let counts: Vec<usize> = pages.iter().map(|page| lines_together(&page.text)).collect();
    let goes_on: Vec<bool> = pages
        .iter()
        .zip(&counts)
        .map(|(page, count)| *count >= CONTINUED || is_commented(&page.text))
        .collect();
    let mut is_code: Vec<bool> = counts.iter().map(|count| *count >= SEVERAL).collect();
    loop {
        let beside = |at: usize| {
            let before = at.checked_sub(1).is_some_and(|before| is_code[before]);
            before || is_code.get(at + 1).copied().unwrap_or(false)
        };
        let more = (0..counts.len()).find(|&at| !is_code[at] && goes_on[at] && beside(at));
        match more {
            Some(at) => is_code[at] = true,
            None => break,
        }
    }
    let pages = pages.iter().zip(is_code);
    pages
        .filter(|(_, is_code)| *is_code)
        .map(|(page, _)| page.number)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_of_each_language_are_known() {
        for script in [
            "library(lme4)\nd <- read.csv(\"d.csv\")\nm <- lmer(y ~ x + (1 | id), data = d)\nsummary(m)\n",
            "use \"data.dta\", clear\ngen lwage = log(wage)\n* the model\nreg lwage educ exper, robust\nest store m1\n",
            "GET FILE='d.sav'.\nCOMPUTE lx = LN(x).\nREGRESSION\n  /DEPENDENT y\n  /METHOD=ENTER lx.\nEXECUTE.\n",
            "import pandas as pd\nimport statsmodels.formula.api as smf\ndf = pd.read_csv('d.csv')\n# the model\nm = smf.ols('y ~ x', df).fit()\nprint(m.summary())\n",
        ] {
            assert!(holds_code(script), "{script}");
        }
    }

    #[test]
    fn prose_tables_and_output_are_no_code() {
        for text in [
            "We use the data of the survey and keep respondents of the first wave.\n\
             If the effect is positive (p < .05), the claim holds:\nlog wages = a + b education + e\n\
             Sort the cards by colour, replace the missing one, and test again.\n\
             For each country in the sample we regress the outcome on the index.\n",
            "The model was fitted with lmer() of lme4 (Bates et al., 2015).\nImport of goods = 3.4\n\
             REGRESSION RESULTS\nMEANS AND STANDARD DEVIATIONS\nMixed effects of trade\n",
            // One printed call above its table.
            "Call:\nlm(formula = y ~ x, data = d)\n\nCoefficients:\n            Estimate Std. Error t value\nx 0.5 0.1 5\n\
             Residual standard error: 1.2\n",
            "1. Open the file.\n2. Print the form (page 3).\n3. Keep if needed.\n4. Save it as form.txt on the disk of the lab.\n",
        ] {
            assert!(!holds_code(text), "{text}");
        }
    }

    #[test]
    fn pages_go_on_and_end() {
        let page = |number, text: &str| Page {
            number,
            text: text.to_owned(),
            lines: Vec::new(),
            images: 0,
        };
        let script = "x <- 1\ny <- 2\nz <- x + y\nprint(z)\n";
        let pages = [
            page(1, "Methods\nThe model was y <- x in R.\n"),
            page(2, "Results\n"),
            page(3, script),
            page(4, "# Random effects:\n#   cntry 0.1\n# Number of obs: 858\n"),
            page(5, "w <- z\nReferences\n"),
            page(6, "Bates, D. (2015).\n"),
        ];
        assert_eq!(pages_with_code(&pages), [3, 4, 5]);
    }
}
