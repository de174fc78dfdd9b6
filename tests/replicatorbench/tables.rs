//! Tables of the human reports, and the lines of the runs that print the same.

use crate::replicatorbench::figures::{Figure, same};

/// A replication of one study by its own script.
pub struct Replication {
    /// The recording's name; what stands before the dash is the study.
    pub name: &'static str,
    pub mode: &'static str,
    /// Figures of `gt/human_report.pdf`.
    pub figures: &'static [Figure],
    /// Figures that the shipped script keeps in its comments.
    pub comments: &'static [Figure],
    /// The sentence of the report that gives its verdict.
    pub verdict: &'static str,
    /// The data that the last execution opens, and no other.
    pub opened: &'static [&'static str],
    /// The script that is run.
    pub script: &'static str,
    /// The lines of the shipped script that are no longer there, as shipped.
    pub replaced: &'static [&'static str],
    /// How many executions there are; all but the last fail.
    pub executions: usize,
}

impl Replication {
    pub fn study(&self) -> &'static str {
        self.name.split('-').next().unwrap_or_default()
    }
}

const T_TEST: (&str, usize) = (r"\bt = (\d\.\d{4}), df = 10069", 0);
const DEGREES: (&str, usize) = (r"\bt = \d\.\d{4}, df = (\d+)", 0);

const FOUR: &[Figure] = &[
    same("t, focal", r"t \(10,069\) = (\d\.\d+), p < \.001", T_TEST),
    same("degrees of freedom", r"t \((10,069)\) = ", DEGREES),
    same("p, focal", r"\(p = (1\.\d+e-16)\)", (r"FOCAL female: .* p (\S+)", 0)),
    same("analytic sample", r"replication included ([\d,]+) individuals", (r"FOCAL female: N (\d+)", 0)),
    same("females", r"revealed that the ([\d,]+) females", (r"females: n (\d+)", 0)),
    same("males", r"than the ([\d,]+) males", (r"\bmales: n (\d+)", 0)),
    same("SD, females", r"\(M \D*\d?\D*= 3\.08, SD = (\d\.\d+)\)", (r"females: .* SD (\S+)", 0)),
    same("M, males", r"\(M = (\d\.\d+), SD = 1\.14\)", (r"\bmales: .* M ([\d.]+)", 0)),
    same("SD, males", r"\(M = 2\.89, SD = (\d\.\d+)\)", (r"\bmales: .* SD (\S+)", 0)),
    same("M, females", r"\(M \D*\d?\D*= (\d\.\d+), SD = 1\.11\)", (r"females: .* M ([\d.]+)", 0))
        .differs("3.0748 is 3.07; the report seems to round 3.075 once more."),
    same("Cohen's d", r"focal test \(d = (0\.\d+)\)", (r"(?:effect\s+|Cohen's d = )(0\.\d+)", 0))
        .differs("The same data give 0.164521 by psych and 0.164505 with n - 2; the report's fourth decimal is another."),
];

const ROW: &str = r"(?m)^bilingual +(\S+) +\S+ +\S+ +\S+ *$";
const ERROR: &str = r"(?m)^bilingual +\S+ +(\S+) +\S+ +\S+ *$";
const FREEDOM: &str = r"(?m)^bilingual +\S+ +\S+ +(\S+) +\S+ *$";
const T: &str = r"(?m)^bilingual +\S+ +\S+ +\S+ +(\S+) *$";
const BETA: &str = r"(?m)^bilingual +(\S+) +\S+ *$";
const R2: &str = r"R2m +R2c\s+\[1,\] +(\S+)";

const ELEVEN: &[Figure] = &[
    same(
        "B of bilingual, focal",
        r"non-bilingual group \(B = (\d\.\d+),",
        (ROW, 0),
    ),
    same("SE", r"\(B = 0\.35, SE = (\d\.\d+),", (ERROR, 0)),
    same("t, focal", r"t\(14555\) ?= ?(\d+\.\d+),", (T, 0)),
    same("degrees of freedom", r"t\((14555)\)", (FREEDOM, 0)),
    same(
        "p, focal (the floor of R's printing)",
        r"13\.72, p = (\d\.\de-16)",
        (r"FOCAL bilingual: .* p (\S+),", 0),
    )
    .below(),
    same(
        "marginal R2, per cent",
        r"13\.72, p = 2\.2e-16, R ?2 = (\d\.\d)%",
        (R2, 0),
    )
    .percent(),
    same(
        "standardised coefficient",
        r"R ?2 = 9\.6%, \S = (\d\.\d+)\)",
        (BETA, 0),
    ),
    same(
        "schools",
        r"nested in (\d+) schools",
        (r"schools (\d+), countries", 0),
    ),
    same(
        "countries",
        r"schools and (\d+) countries",
        (r"schools \d+, countries (\d+)", 0),
    ),
    same(
        "students",
        r"With (\d+) students, nested",
        (r"rows after exclusions (\d+)", 0),
    )
    .differs(
        "16,190 rows of the shipped table pass the script's exclusions, 14,940 of them enter the model.",
    ),
    same("B, writing", r"writting skills \(B= (\d\.\d+),", (ROW, 1)),
    same("SE, writing", r"\(B= 0\.57, SE = (\d\.\d+),", (ERROR, 1)),
    same("t, writing", r"t\(9631\) ?= ?(\d+\.\d+),", (T, 1)),
    same("degrees of freedom, writing", r"t\((9631)\)", (FREEDOM, 1))
        .differs("The shipped script gives 9361; two digits of the report seem to have changed places."),
    same("R2, writing, per cent", r"R ?2 ?= (10\.7)%", (R2, 1)).percent(),
    same(
        "B, reading",
        r"monolingual participants \(B= (\d\.\d+),",
        (ROW, 2),
    ),
    same("SE, reading", r"\(B= 0\.23, SE = (\d\.\d+),", (ERROR, 2)),
    same("t, reading", r"t\(4773\) ?= ?(\d+\.\d+),", (T, 2)),
    same("degrees of freedom, reading", r"t\((4773)\)", (FREEDOM, 2)),
    same(
        "p, reading",
        r"t\(4773\) = 6\.49, p = (\d\.\d+e-11)",
        (r"reading: .* p (\S+),", 0),
    ),
    same("R2, reading, per cent", r"R ?2 ?= (11\.74)%", (R2, 2)).percent(),
    same("B, listening", r"listening skills \(B= (\d\.\d+),", (ROW, 3)),
    same("SE, listening", r"\(B= 0\.26, SE = (\d\.\d+),", (ERROR, 3)),
    same("t, listening", r"t\(9528\) ?= ?(\d+\.\d+),", (T, 3))
        .differs("The shipped script gives 12.25, with the report's B, SE and degrees of freedom."),
    same("degrees of freedom, listening", r"t\((9528)\)", (FREEDOM, 3)),
    same("R2, listening, per cent", r"R ?2 ?= (8\.8)%", (R2, 3)).percent(),
];

const CONCERN: &str = r"(?m)^imm_concern +(\S+) +\S+ +\S+ *$";
const CONCERN_ERROR: &str = r"(?m)^imm_concern +\S+ +(\S+) +\S+ *$";
const CONCERN_T: &str = r"(?m)^imm_concern +\S+ +\S+ +(\S+) *$";

const THIRTEEN: &[Figure] = &[
    same(
        "b of concern, focal",
        r"Main analysis: coefficient \[b\] on concern about immigration term = (\d\.\d+)",
        (CONCERN, 0),
    ),
    same("SE", r"term = 0\.183, SE = (\d\.\d+)", (CONCERN_ERROR, 0)),
    same("t, focal", r"t value = (21\.\d+)", (CONCERN_T, 0)),
    same(
        "p, focal (a bound)",
        r"p < (0\.0+1), t value = 21",
        (r"FOCAL imm_concern: .* p (\S+)", 0),
    )
    .below(),
    same(
        "analytic sample",
        r"sample size in this analysis was (\d+)",
        (r"Number of obs: (\d+)", 0),
    ),
    same("b, no weights", r"term = (0\.190), SE", (CONCERN, 1)),
    same(
        "SE, no weights",
        r"term = 0\.190, SE = (\d\.\d+)",
        (CONCERN_ERROR, 1),
    ),
    same("t, no weights", r"t value = (22\.\d+)", (CONCERN_T, 1)),
];

const POOLED: &str = r"(?m)^2 +imm_concern +(\S+) +\S+";
const POOLED_ERROR: &str = r"(?m)^2 +imm_concern +\S+ +(\S+)";

/// What the shipped script holds of the imputed pilot, as its author ran it.
const PILOT: &[Figure] = &[
    same("b, imputed pilot", r"#.*imm_concern  (1\.42\d+e-01)", (POOLED, 0)),
    same(
        "SE, imputed pilot",
        r"#.*imm_concern  1\.42\d+e-01 (\S+)",
        (POOLED_ERROR, 0),
    ),
    same(
        "b, imputed pilot, no weights",
        r"#.*imm_concern  (1\.73\d+e-01)",
        (POOLED, 1),
    ),
    same(
        "SE, imputed pilot, no weights",
        r"#.*imm_concern  1\.73\d+e-01 (\S+)",
        (POOLED_ERROR, 1),
    ),
];

pub const FOUR_NATIVE: Replication = Replication {
    name: "4-native",
    mode: "native",
    figures: FOUR,
    comments: &[],
    verdict: "replication of the claim was successful according to the SCORE criteria",
    opened: &["replication_data/data_gerhold.csv"],
    script: "Gerhold_covid_Azg9_0948_final.R",
    replaced: &[
        "urlfile=\"https://raw.githubusercontent.com/jamiefield/jamiefield.github.io/master/files/data_gerhold.csv\"",
        "dat_gerhold <- read_csv(url(urlfile))",
    ],
    executions: 2,
};

pub const FOUR_PYTHON: Replication = Replication {
    name: "4-python",
    mode: "python",
    script: "Gerhold_covid_Azg9_0948_final.R",
    replaced: &[],
    executions: 1,
    ..FOUR_NATIVE
};

pub const ELEVEN_NATIVE: Replication = Replication {
    name: "11-native",
    mode: "native",
    figures: ELEVEN,
    comments: &[],
    verdict: "the main claim of the original paper is replicated",
    opened: &["replication_data/Final replication dataset.rds"],
    script: "Replication attempt code (FINAL).R",
    replaced: &[
        "library(MuMIn)",
        "dat <- readRDS(file=\"Final replication dataset.rds\")",
        "data <- readRDS(file=\"Final replication dataset.rds\")",
    ],
    executions: 1,
};

pub const THIRTEEN_NATIVE: Replication = Replication {
    name: "13-native",
    mode: "native",
    figures: THIRTEEN,
    comments: PILOT,
    verdict: "so the replication was successful according to SCORE criteria",
    opened: &[
        "replication_data/data_clean.rds",
        "replication_data/data_imp_5pct.rds",
    ],
    script: "data_analysis_code.R",
    replaced: &[
        "data_clean_5pct <- readRDS(\"data_clean_5pct.rds\")",
        "data_imp_5pct <- readRDS(\"data_imp_5pct.rds\")",
    ],
    executions: 2,
};
