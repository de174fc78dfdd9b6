//! The resource, among several, that an address stands for in the benchmark's way.

use reprise::scoring::released::url_match::{Prefixes, count};
use reprise::scoring::url_match::files::PredictedUrl;
use reprise::scoring::url_match::gold::{GoldCase, GoldResource};

fn entry(id: &str, kind: &str, required: bool) -> GoldResource {
    GoldResource {
        id: id.to_owned(),
        kind: kind.to_owned(),
        required,
        filename: String::new(),
        url: "https://a.org/x".to_owned(),
        aliases: Vec::new(),
    }
}

/// Whether the required one of two resources at one address is meant.
fn required_is_meant(resources: [GoldResource; 2], name: &str, kind: &str) -> bool {
    let case = GoldCase {
        id: 1.into(),
        resources: resources.into(),
    };
    let predicted = PredictedUrl {
        url: "https://a.org/x".to_owned(),
        name: name.to_owned(),
        kind: kind.to_owned(),
        ..PredictedUrl::default()
    };
    let counts = count(&case, &[predicted], Prefixes::EitherWay);
    assert_eq!((counts.wrong, counts.found + counts.missed), (0, 1));
    counts.found == 1
}

#[test]
fn requirement_kind_and_name_weigh_as_the_reference_has_them() {
    let required = |kind| entry("codebook", kind, true);
    let optional = |kind| entry("wave five", kind, false);
    // A requirement weighs as much as the kind, and the first wins ties.
    assert!(required_is_meant([optional("data"), required("data")], "", ""));
    assert!(!required_is_meant(
        [optional("Data"), required("code")],
        "",
        " data "
    ));
    assert!(required_is_meant(
        [required("code"), optional("Data")],
        "",
        " data "
    ));
    // No kind is the kind of nothing.
    assert!(required_is_meant([optional(""), required("code")], "", ""));
    // An id weighs more than requirement and kind together.
    assert!(!required_is_meant(
        [required("data"), optional("code")],
        "Wave Five",
        "data"
    ));
    // What a resource's further addresses cost is less than any of these.
    let mut known = required("data");
    known.aliases = vec!["https://a.org/y".into(), "https://a.org/z".into()];
    assert!(required_is_meant([optional("data"), known], "", ""));
}
