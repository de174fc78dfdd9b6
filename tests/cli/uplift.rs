//! Time studies: the published arithmetic, and tables that cannot be used.

use std::fs;
use std::process::Command;

use serde_json::Value;

use super::need;
use super::support::Place;

/// Invented: unbalanced, and one researcher never had help.
const TIMES: &str = include_str!("../fixtures/times.csv");

const R: &str = r#"
suppressMessages(library(clubSandwich))
d <- read.csv("times.csv")
d$condition <- relevel(factor(d$condition), ref = "assisted")
fit <- lm(log(minutes) ~ condition + factor(paper) + factor(researcher), data = d)
for (by in c("researcher", "paper")) {
  found <- coef_test(fit, vcov = "CR2", cluster = d[[by]], test = "Satterthwaite", coefs = "conditionmanual")
  cat(sprintf("%.17g", c(found$beta, found$SE, found$tstat, found$df_Satt, found$p_Satt)), "\n")
}
"#;

fn found(place: &Place) -> Value {
    let called = place.call(&["score", "uplift", "times.csv", "--json"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    serde_json::from_str(&called.stdout).unwrap()
}

fn near(found: f64, expected: f64, what: &str) {
    let scale = expected.abs().max(1e-3);
    assert!(
        (found - expected).abs() / scale < 1e-8,
        "{what}: {found} for {expected}"
    );
}

/// Estimate, error, t, degrees of freedom and p by one kind of clusters are these.
fn agrees(found: &Value, place: usize, expected: &[f64]) {
    let error = &found["errors"][place];
    near(found["log_ratio"].as_f64().unwrap(), expected[0], "estimate");
    for (key, expected) in ["standard_error", "t", "df", "p_value"]
        .iter()
        .zip(&expected[1..])
    {
        near(error[key].as_f64().unwrap(), *expected, key);
    }
}

/// What R 4.2.2 with clubSandwich 0.5.8 says.
#[test]
fn figures_are_those_of_club_sandwich() {
    let place = Place::new();
    fs::write(place.path().join("times.csv"), TIMES).unwrap();
    let found = &found(&place)["uplift"];
    assert_eq!(
        (&found["reference"], &found["condition"]),
        (&Value::from("assisted"), &Value::from("manual"))
    );
    assert_eq!(
        (&found["rows"], &found["coefficients"]),
        (&Value::from(23), &Value::from(11))
    );
    for (place, expected) in [
        [
            0.684_744_289_560_190_4,
            0.075_355_807_257_082_27,
            9.086_815_130_572_902,
            2.091_951_894_150_483_3,
            0.010_306_911_412_202_599,
        ],
        [
            0.684_744_289_560_190_4,
            0.090_673_000_082_204_86,
            7.551_799_200_857_983,
            3.992_987_235_534_337_7,
            0.001_659_027_389_392_835_9,
        ],
    ]
    .iter()
    .enumerate()
    {
        agrees(found, place, expected);
    }
}

/// The same beside R itself, where it has the package.
#[test]
fn r_says_the_same() {
    let has = Command::new("Rscript")
        .args(["-e", "library(clubSandwich)"])
        .output()
        .is_ok_and(|output| output.status.success());
    if need::need_that(has, "no R with clubSandwich: apt-get install r-cran-clubsandwich").is_none() {
        return;
    }
    let place = Place::new();
    // Other times: each is longer in the afternoon.
    let mut times = String::new();
    for (number, line) in TIMES.lines().enumerate() {
        match line.rsplit_once(',') {
            Some((rest, minutes)) if number > 0 => {
                let minutes: f64 = minutes.parse().unwrap();
                times += &format!(
                    "{rest},{}\n",
                    minutes * (1.0 + f64::from(number as u32 * 7 % 5) / 4.0)
                );
            }
            _ => times += &format!("{line}\n"),
        }
    }
    fs::write(place.path().join("times.csv"), times).unwrap();
    let output = Command::new("Rscript")
        .args(["-e", R])
        .current_dir(place.path())
        .output()
        .unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    let found = &found(&place)["uplift"];
    let lines: Vec<Vec<f64>> = told
        .lines()
        .map(|line| {
            line.split_whitespace()
                .map(|value| value.parse().unwrap())
                .collect()
        })
        .collect();
    assert_eq!(
        lines.len(),
        2,
        "{told}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for (place, expected) in lines.iter().enumerate() {
        agrees(found, place, expected);
    }
}

#[test]
fn columns_are_found_by_name_and_blanks_are_said() {
    let place = Place::new();
    let header = "paper,researcher,condition,minutes";
    let other = TIMES.replacen(header, "Paper Title,evaluator,Condition,Task duration (min)", 1);
    let other = other.replacen("paper 1,a,assisted,26.4", "paper 1,a,assisted,", 1);
    fs::write(
        place.path().join("times.csv"),
        format!("\u{feff}{}", other.replace('\n', "\r\n")),
    )
    .unwrap();
    let found = found(&place);
    assert_eq!(found["uplift"]["rows"], 22);
    assert_eq!(found["left_out"], serde_json::json!([2]));
    let called = place.call(&["score", "uplift", "times.csv", "--reference", "manual"]);
    assert!(
        called.stdout.starts_with("assisted against manual: "),
        "{}",
        called.stdout
    );
    assert!(called.stderr.contains("line 2"), "{}", called.stderr);
}

/// Nobody may ever write into it.
#[test]
fn a_pipe_is_refused_without_waiting_for_it() {
    let place = Place::new();
    let pipe = place.path().join("times.csv");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    for verb in [&["score", "uplift"][..], &["bench", "core"]] {
        let called = place.call(&[verb, &["times.csv"]].concat());
        assert_eq!(called.status, 2, "{}", called.stderr);
        assert!(called.stderr.contains("named pipe"), "{}", called.stderr);
    }
}

#[test]
fn what_cannot_be_estimated_is_said() {
    for (table, said) in [
        (
            "minutes,condition,paper\n1,a,p\n",
            "it has no column of the researcher: name one with --researcher",
        ),
        (
            "minutes,condition,paper,researcher\n1,a,p,r\n2,b,p,r\n3,c,p,s\n",
            "there are 3 conditions (a, b, c), and a difference is of two",
        ),
        (
            "minutes,condition,paper,researcher\n1,a,p,r\n2,a,q,r\n3,b,p,s\n4,b,q,s\n5,b,q,s\n",
            "the condition cannot be told apart from papers and researchers",
        ),
        (
            "minutes,condition,paper,researcher\n1,a,,r\n",
            "line 2 has no paper",
        ),
        (
            "minutes,condition,paper,researcher\r\n\r\n1,a,p,r\r\n\r\n1,a,,r\r\n",
            "line 5 has no paper",
        ),
        (
            "minutes,condition,paper,researcher\n1,a,p,r\n\"1,5\",b,p,r\n",
            "line 3: `1,5` is no positive number of minutes",
        ),
        (
            "minutes,condition,paper,researcher\n-5,a,p,r\n",
            "line 2: `-5` is no positive number of minutes",
        ),
        (
            "minutes,condition,paper,researcher\nNaN,a,p,r\n",
            "line 2: `NaN` is no positive number of minutes",
        ),
        (
            "minutes,condition,paper,researcher\n1,a,p,r\n,b,q,r\n",
            "left out, without minutes: line 3",
        ),
        (
            "paper;researcher;condition;minutes\np;r;a;1\n",
            "Columns are separated by commas",
        ),
        (
            "minutes,duration,condition,paper,researcher\n",
            "there are 0 conditions",
        ),
    ] {
        let place = Place::new();
        fs::write(place.path().join("times.csv"), table).unwrap();
        let called = place.call(&["score", "uplift", "times.csv"]);
        assert_eq!(called.status, 2, "{table}{}", called.stdout);
        assert!(called.stderr.contains(said), "{table}: {}", called.stderr);
    }
    let place = Place::new();
    fs::write(place.path().join("times.csv"), TIMES).unwrap();
    let called = place.call(&["score", "uplift", "times.csv", "--reference", "help"]);
    assert!(
        called.stderr.contains("no row has the condition `help`"),
        "{}",
        called.stderr
    );
}
