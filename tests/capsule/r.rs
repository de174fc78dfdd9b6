//! Capsules in R, without any package.

use serde_json::json;

use crate::capsule::{Capsule, Level, Question, Text};

/// A p-value that varies, and a figure in a PDF.
pub fn trust() -> Capsule {
    Capsule {
        id: "capsule-8100004",
        language: "R",
        prompt: "Run `trust.R` with Rscript.",
        files: vec![
            Text {
                name: "REPRODUCING.md",
                text: "    cd code && bash run\n",
            },
            Text {
                name: "code/run",
                text: "set -e\nRscript trust.R ../data ../results\n",
            },
            Text {
                name: "code/trust.R",
                text: include_str!("code/trust.R"),
            },
            Text {
                name: "environment/Dockerfile",
                text: "FROM r-base:4.2.2\n",
            },
            Text {
                name: "results/output.txt",
                text: "slope of trust: 0.97010\npermutation p of the correlation: 0.06484\npeople by treatment: 37, 39, 40, 32\n",
            },
            Text {
                name: "results/log.txt",
                text: "highest bar: Fear\n",
            },
        ],
        material: &["study2.csv"],
        questions: vec![
            Question::same("Report the slope of trust.", json!(0.9701)),
            Question {
                text: "Report the permutation p of the correlation.",
                gold: [json!(0.06234), json!(0.07731), json!(0.07731)],
                answer: json!(0.06484),
            },
            Question::same(
                "Report the numbers of people by treatment as a list.",
                json!([37, 39, 40, 32]),
            ),
            Question::same(
                "fig Report the treatment with the highest bar in figure 1.",
                json!("Fear"),
            ),
        ],
        acts: |level| match level {
            Level::Easy => &["cat results/*"],
            Level::Medium | Level::Hard => &[
                "cd code; Rscript -e 'set.seed(11)' -e 'commandArgs <- function(...) c(\"../data\", \"../results\")' -e \
                 'source(\"trust.R\")'",
                "cat ../results/output.txt; test -s ../results/figure_1.pdf && echo drawn",
            ],
        },
    }
}

/// A file of R's own, absolute paths, and errors that are robust to clusters.
pub fn prevention() -> Capsule {
    Capsule {
        id: "capsule-8100005",
        language: "R",
        prompt: "Run `prevention.R` with Rscript.",
        files: vec![
            Text {
                name: "README.md",
                text: "The pooled effect is d = 0.28 in 295 papers.\n",
            },
            Text {
                name: "REPRODUCING.md",
                text: "`Rscript prevention.R` in code/, with /data and /results.\n",
            },
            Text {
                name: "code/run",
                text: "Rscript prevention.R\n",
            },
            Text {
                name: "code/prevention.R",
                text: include_str!("code/prevention.R"),
            },
            Text {
                name: "environment/Dockerfile",
                text: "FROM rocker/r-ver:4.2.2\nCOPY postInstall /\nRUN /postInstall\n",
            },
            Text {
                name: "environment/postInstall",
                text: "#!/bin/sh\necho nothing\n",
            },
            Text {
                name: "results/output.txt",
                text: "pooled d: 0.263033, robust SE 0.037737\npapers: 224\nby design: 0.2495 0.2062 0.3233\nlargest effect: \
                       Observational\n",
            },
        ],
        material: &["sv_meta_data.rds"],
        questions: vec![
            Question::same("Report the pooled d.", json!(0.263033)),
            Question::same("Report its robust standard error.", json!(0.037737)),
            Question::same(
                "Report the effects by design as a list.",
                json!([0.2495, 0.2062, 0.3233]),
            ),
            Question::same(
                "Report the design with the largest effect.",
                json!("Observational"),
            ),
        ],
        acts: |level| match level {
            Level::Easy => &["cat README.md results/output.txt"],
            Level::Medium | Level::Hard => &[
                "cd code && Rscript prevention.R 2>&1 | tail -n 2",
                "sed -i 's#\"/data#\"../data#; s#\"/results#\"../results#' prevention.R && Rscript prevention.R",
                "cat ../results/output.txt",
            ],
        },
    }
}
