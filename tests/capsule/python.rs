//! Capsules in Python, without any package.

use serde_json::json;

use crate::capsule::{Capsule, Level, Question, Text};

/// Answers that repeat: a number, a text, a list and a figure.
pub fn zoo() -> Capsule {
    Capsule {
        id: "capsule-8100001",
        language: "Python",
        prompt: "Run `zoo.py` on the data of this capsule.",
        files: vec![
            Text {
                name: "README.md",
                text: "Animals by their features.\n",
            },
            Text {
                name: "REPRODUCING.md",
                text: "    cd code && bash run\n",
            },
            Text {
                name: "code/run",
                text: "set -e\npython3 zoo.py --data ../data --results ../results | tee ../results/output.txt\n",
            },
            Text {
                name: "code/zoo.py",
                text: include_str!("code/zoo.py"),
            },
            Text {
                name: "environment/Dockerfile",
                text: "FROM python:3.11-slim\nWORKDIR /code\n",
            },
            Text {
                name: "results/output.txt",
                text: "animals: 101\nlisted twice: frog\nleave-one-out accuracy of the nearest neighbour: 0.980198\nanimals by \
                       class: [41, 20, 5, 13, 4, 8, 10]\n",
            },
            Text {
                name: "results/figure_1.svg",
                text: "<svg><rect height=\"82\"/><text>mammal</text></svg>\n",
            },
        ],
        material: &["zoo.txt"],
        questions: vec![
            Question::same("Report the number of animals.", json!(101)),
            Question::same(
                "Report the leave-one-out accuracy of the nearest neighbour.",
                json!(0.980198),
            ),
            Question::same("Report the animal that is listed twice.", json!("frog")),
            Question::same(
                "Report the numbers of animals by class as a list.",
                json!([41, 20, 5, 13, 4, 8, 10]),
            ),
            Question::same(
                "fig Report the class with the highest bar in figure 1.",
                json!("mammal"),
            ),
        ],
        acts: |level| match level {
            Level::Easy => &["cat results/output.txt results/figure_1.svg"],
            Level::Medium => &[
                "cat REPRODUCING.md code/run",
                "cd code && bash run",
                "cat ../results/figure_1.svg",
            ],
            // The first way of running it is wrong on purpose; what is set here lasts.
            Level::Hard => &[
                "cd code; python3 zoo.py 2>&1 | tail -n 1",
                "export DATA=$(dirname \"$PWD\")/data",
                "python3 zoo.py --data \"$DATA\" --results ../results && cat ../results/figure_1.svg",
            ],
        },
    }
}

/// An answer that varies, and absolute paths as on Code Ocean.
pub fn wine() -> Capsule {
    Capsule {
        id: "capsule-8100002",
        language: "Python",
        prompt: "Run `wine.py` on the data of this capsule.",
        files: vec![
            Text {
                name: "REPRODUCING.md",
                text: "On Code Ocean `run` is started, with the data in /data.\n",
            },
            Text {
                name: "code/run",
                text: "set -e\npython3 -u wine.py\n",
            },
            Text {
                name: "code/wine.py",
                text: include_str!("code/wine.py"),
            },
            Text {
                name: "environment/Dockerfile",
                text: "FROM registry.codeocean.com/codeocean/py:3.8\nENV DEBIAN_FRONTEND=noninteractive\n",
            },
            Text {
                name: "results/output.txt",
                text: "mean alcohol of cultivar 1: 13.74475\nmean accuracy over random halves: 0.943820\n",
            },
            Text {
                name: "results/figure_2.svg",
                text: "<svg><text>13.74</text><text>12.28</text><text>13.15</text></svg>\n",
            },
        ],
        material: &["wine.txt"],
        questions: vec![
            Question::same("Report the mean alcohol of cultivar 1.", json!(13.74475)),
            Question {
                text: "Report the mean accuracy over random halves.",
                gold: [json!(0.958801), json!(0.943820), json!(0.963483)],
                answer: json!(0.94382),
            },
            Question::same(
                "fig Report the label under the lowest bar in figure 2.",
                json!(12.28),
            ),
        ],
        acts: |level| match level {
            Level::Easy => &["cat results/*"],
            Level::Medium => &[
                "cat REPRODUCING.md; cd code; bash run 2>&1 | tail -n 1",
                "sed -i 's#\"/data#\"../data#; s#\"/results#\"../results#' wine.py",
                "python3 -c 'import random, runpy; random.seed(11); runpy.run_path(\"wine.py\")'; cat ../results/*",
            ],
            Level::Hard => &[
                "cd code; python3 wine.py 2>&1 | tail -n 1",
                "sed 's#\"/data#\"../data#; s#\"/results#\"../results#' wine.py > mended.py",
                "python3 -c 'import random, runpy; random.seed(11); runpy.run_path(\"mended.py\")'",
                "cat ../results/output.txt ../results/figure_2.svg",
            ],
        },
    }
}

/// Prose that states what the code does not give.
pub fn meat() -> Capsule {
    Capsule {
        id: "capsule-8100003",
        language: "Python",
        prompt: "Run `meat.py` on the data of this capsule.",
        files: vec![
            Text {
                name: "README.md",
                text: "We find a pooled effect of d = 0.310517 over 14 effects; persuasion works best.\n",
            },
            Text {
                name: "REPRODUCING.md",
                text: "    bash code/run\n",
            },
            Text {
                name: "code/run",
                text: "cd \"$(dirname \"$0\")\"\npython3 meat.py ../data ../results\n",
            },
            Text {
                name: "code/meat.py",
                text: include_str!("code/meat.py"),
            },
            Text {
                name: "environment/Dockerfile",
                text: "FROM python:3.11-slim\n",
            },
            Text {
                name: "results/output.txt",
                text: "effects: 12\npooled d: 0.230833 (SE 0.078611, tau squared 0.042647)\n  economics: 0.585714\n  \
                       persuasion: 0.213328\n  psychology: 0.135002\nlargest: economics\n",
            },
        ],
        material: &["vegan-meta.csv"],
        questions: vec![
            Question::same("Report the pooled d.", json!(0.230833)),
            Question::same("Report the number of effects.", json!(12)),
            Question::same(
                "Report the theory with the largest pooled effect.",
                json!("economics"),
            ),
        ],
        acts: |level| match level {
            Level::Easy => &["cat README.md results/output.txt"],
            Level::Medium => &["bash code/run; cat results/output.txt"],
            Level::Hard => &[
                "cat README.md; python3 code/meat.py data results",
                "cat results/output.txt",
            ],
        },
    }
}
