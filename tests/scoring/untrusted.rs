//! Files, answers and scripts that nobody trusts: whatever they hold, scoring returns figures in
//! their range.

use proptest::prelude::*;
use reprise::addresses::identity::Identity;
use reprise::scoring::aggregate::grading::Gradings;
use reprise::scoring::aggregate::{corrected, published};
use reprise::scoring::checkpoints::decide::decide;
use reprise::scoring::checkpoints::facts::{CheckpointFacts, CodeFile, OutputFacts};
use reprise::scoring::fields::document::RegistrationFields;
use reprise::scoring::fields::score::compare;
use reprise::scoring::released::failures::read_log;
use reprise::scoring::released::url_match as released;
use reprise::scoring::url_match::files::{PredictedUrl, read_predictions};
use reprise::scoring::url_match::gold::{GoldCase, GoldResource, read_gold};
use reprise::scoring::url_match::levels::matches;
use reprise::scoring::url_match::limit::Limit;
use reprise::scoring::url_match::metrics::Counts;
use serde_json::{Map, Value};

/// JSON with the keys that matter here among others.
fn json() -> impl Strategy<Value = Value> {
    let keys = "score|original_study|data|results|numerical_results|claim|hypothesis|evaluate_design|environment|1\\.2|\
                execute|notes|value|failure_handling\\[0\\]\\.a|steps|ok|result|urls|url|id|gold_resources|[a-z.\\[\\]0-9]{0,6}";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-2_i64..6).prop_map(Value::from),
        "NA|N/A|not stated|3|nan|1e999|.{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        let members = prop::collection::vec((keys, inner.clone()), 0..6);
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(Value::from),
            members.prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn share(value: Option<f64>) -> bool {
    value.is_none_or(|value| (0.0..=1.0).contains(&value))
}

fn in_range(counts: Counts) -> bool {
    let prf = counts.prf();
    [prf.precision, prf.recall, prf.f1]
        .into_iter()
        .all(|figure| share(Some(figure)))
}

fn gold(url: &str) -> GoldCase {
    let resource = GoldResource {
        id: "a".into(),
        kind: "data".into(),
        required: true,
        filename: String::new(),
        url: url.into(),
        aliases: vec![url.chars().rev().collect()],
    };
    GoldCase {
        id: 1.into(),
        resources: vec![resource],
    }
}

proptest! {
    #[test]
    fn gradings(value in json()) {
        let bytes = value.to_string().into_bytes();
        let all = Gradings {
            extract: Some(&bytes),
            design: Some(&bytes),
            execute: Some(&bytes),
            interpret: Some(&bytes),
            asked: None,
        };
        for stage in corrected::summarise(&all).stages {
            prop_assert!(share(stage.average), "{stage:?}");
        }
        for stage in published::summarise(&all).stages {
            prop_assert!(stage.average.is_none_or(|average| !average.is_nan()), "{stage:?}");
        }
    }

    #[test]
    fn bytes_that_are_no_json(mut bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        bytes.push(0xFF);
        let all = Gradings { design: Some(&bytes), execute: Some(&bytes), ..Gradings::default() };
        let summary = published::summarise(&all);
        prop_assert!(summary.stages.is_empty() && !summary.problems.is_empty());
        read_predictions(&bytes);
        prop_assert!(read_gold(&bytes).is_err());
    }

    #[test]
    fn documents(ours in json(), theirs in json()) {
        let score = compare(&RegistrationFields::read(&ours), &RegistrationFields::read(&theirs));
        for mean in [score.means.stated, score.means.all, score.floor.stated, score.floor.all] {
            prop_assert!(share(mean), "{score:?}");
        }
        prop_assert!(score.coverage.hits <= score.coverage.of);
    }

    #[test]
    fn addresses(
        gold_url in "(https?://|www\\.|doi:|)[a-z./?=&%0-9:@()#\\PC]{0,30}",
        urls in prop::collection::vec("(https?://|www\\.|doi:10\\.1234/|)[a-zA-Z./?=&%0-9:@()#\\PC]{0,30}", 0..6),
    ) {
        let gold = gold(&gold_url);
        let urls: Vec<_> = urls.into_iter().map(|url| PredictedUrl { url, ..PredictedUrl::default() }).collect();
        let found = matches(&gold, &urls, &[]);
        for limit in Limit::ALL {
            prop_assert!(in_range(found.count(limit)));
        }
        prop_assert!(in_range(released::count(&gold, &urls, released::Prefixes::EitherWay)));
        if Identity::read(&gold_url).is_some() {
            let own = [PredictedUrl { url: gold_url.clone(), ..PredictedUrl::default() }];
            let counts = matches(&gold, &own, &[]).count(Limit::Strict);
            prop_assert_eq!(counts.found, 1, "{} is not its own address", gold_url);
        }
    }

    #[test]
    fn scripts_and_logs(text in "(import |from |library\\(|p_load\\(|'|\"|#|\\n|--- Turn|\\{|\\}|[a-z.,/()\\PC]){0,80}") {
        for path in ["a.py", "a.R", "a.Rmd"] {
            let facts = CheckpointFacts {
                code: vec![CodeFile { path: path.into(), text: text.clone() }],
                output: Some(OutputFacts { text: text.clone(), complete: true }),
                ..CheckpointFacts::default()
            };
            prop_assert_eq!(decide(&facts).len(), 10);
        }
        read_log(&format!("--- Turn 1\n***Agent input: Observation: {{{text}"));
    }
}
