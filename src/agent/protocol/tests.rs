use proptest::prelude::*;
use serde_json::json;

use super::*;

fn tools() -> KnownTools {
    KnownTools::from_pairs([
        ("read_file", Some("path")),
        ("list_files", Some("folder")),
        ("edit_file", Some("path")),
        ("run_analysis", None),
    ])
}

fn calls(text: &str) -> Vec<ParsedCall> {
    match parse(text, &tools()) {
        Turn::Calls(calls) => calls,
        other => panic!("{text:?} is {other:?}"),
    }
}

fn one(text: &str) -> (String, Value, Vec<Repair>) {
    let mut calls = calls(text);
    assert_eq!(calls.len(), 1, "{text:?}: {calls:?}");
    let call = calls.remove(0);
    (call.tool, call.arguments, call.repairs)
}

#[test]
fn every_rung_gives_the_same_call() {
    use Repair as R;
    for (text, repairs) in [
        (
            "Thought: look.\nAction: read_file: {\"path\": \"a.py\"}\nPAUSE",
            vec![],
        ),
        ("Action: read_file: \"a.py\"", vec![R::SoleValue]),
        ("Action: read_file: a.py\nPAUSE", vec![R::BareValue]),
        ("Action: read_file {\"path\": \"a.py\"}", vec![R::MissingColon]),
        (
            "Action: read_file\nAction Input: {\"path\": \"a.py\"}",
            vec![R::MissingColon],
        ),
        ("Action: read_file({\"path\": \"a.py\"})", vec![R::CallSyntax]),
        (
            "Action: functions.read_file({\"path\": \"a.py\"})",
            vec![R::Namespace, R::CallSyntax],
        ),
        ("Action: read_file(\"a.py\")", vec![R::CallSyntax, R::SoleValue]),
        (
            "Action: read_file(path=\"a.py\")",
            vec![R::CallSyntax, R::Keywords],
        ),
        ("**Action:** read_file: {\"path\": \"a.py\"}", vec![]),
        (
            "Action: read_file:\n```json\n{\"path\": \"a.py\"}\n```\nPAUSE",
            vec![R::Fenced],
        ),
        (
            "Action:\n```\nread_file: {\"path\": \"a.py\"}\n```",
            vec![R::Fenced],
        ),
        (
            "Action: read_file: '{\"path\": \"a.py\"}'",
            vec![R::QuotedArguments],
        ),
        (
            "Action: read_file: \"{\\\"path\\\": \\\"a.py\\\"}\"",
            vec![R::QuotedArguments],
        ),
        (
            "Action: {\"name\": \"read_file\", \"arguments\": {\"path\": \"a.py\"}}",
            vec![R::NamedObject],
        ),
        (
            "Action: read_file: {\"path\": \"a.py\"} (all rows)",
            vec![R::GluedText],
        ),
        (
            "Action: read_file: {\"path\": \"a.py\"}\nPAUSEThought: go on",
            vec![],
        ),
        (
            "I look.\nfunctions.read_file({\"path\": \"a.py\"})",
            vec![R::MissingAction, R::Namespace, R::CallSyntax],
        ),
        (
            "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.py\"}}\n</tool_call>",
            vec![R::MissingAction, R::NamedObject],
        ),
    ] {
        let expected = ("read_file".to_owned(), json!({"path": "a.py"}), repairs);
        assert_eq!(one(text), expected, "{text:?}");
    }
}

#[test]
fn several_calls_keep_their_order() {
    let wrapped = calls(
        "Action: multi_tool_use.parallel({tool_uses: [\
         {recipient_name: \"functions.read_file\", parameters: {path: \"a\"}},\
         {recipient_name: \"functions.list_files\", parameters: {folder: \"b\"}}]})",
    );
    let names: Vec<_> = wrapped.iter().map(|call| call.tool.as_str()).collect();
    assert_eq!(names, ["read_file", "list_files"]);
    assert_eq!(wrapped[1].arguments, json!({"folder": "b"}));
    assert!(wrapped[0].repairs.contains(&Repair::Parallel));

    let two = calls("Action: read_file: \"a\"\nPAUSE\nThought: and\nAction: read_file: \"b\"\nPAUSE");
    assert_eq!(two[0].arguments, json!({"path": "a"}));
    assert_eq!(two[1].arguments, json!({"path": "b"}));
}

#[test]
fn what_a_model_invents_behind_its_action_is_cut() {
    for invented in [
        "Observation: {\"rows\": 10}\nAnswer: {\"done\": true}",
        "**Observation:** fine\nAction: list_files: \"x\"",
        "Answer: {\"done\": true}",
    ] {
        let (tool, _, repairs) = one(&format!(
            "Action: read_file: {{\"path\": \"a\"}}\nPAUSE\n{invented}"
        ));
        assert_eq!(
            (tool.as_str(), repairs),
            ("read_file", vec![Repair::InventedObservation])
        );
    }
}

#[test]
fn a_marker_inside_an_argument_is_text() {
    let (_, arguments, _) =
        one("Action: edit_file: {\"path\": \"a\", \"new_text\": \"x\nObservation: y\nAction: z\n\"}");
    assert_eq!(arguments["new_text"], "x\nObservation: y\nAction: z\n");
}

#[test]
fn what_is_no_call_is_named() {
    let is = |text: &str| parse(text, &tools());
    assert_eq!(is("Answer: {\"a\": 1}"), Turn::Answer("{\"a\": 1}".into()));
    assert_eq!(is("Thought: done\nFinal Answer:\n42"), Turn::Answer("42".into()));
    assert_eq!(
        is("- Action: Read the `a.txt` file to extract the claim."),
        Turn::Prose
    );
    assert_eq!(is("I will call read_file next."), Turn::Prose);
    assert_eq!(is("The list_files: tool is useful"), Turn::Prose);
    assert_eq!(
        is("read_file: \"a\" is what I would do in `read_files`").clone(),
        is("read_file: \"a\"")
    );
    assert_eq!(is(""), Turn::Prose);
    assert_eq!(
        is("Action: edit_file: {\"path\": \"a\", \"new_text\": \"x"),
        Turn::Truncated
    );
    assert_eq!(
        is("Action: edit_file: {\"path\": \"a\", \"overwrite\": true"),
        Turn::Truncated
    );
    assert_eq!(
        is("Action: functions.edit_file({\"path\": \"a\""),
        Turn::Truncated
    );
    assert_eq!(
        is("Action: read_file: \"a\"\nPAUSE\nAction: edit_file: {\"pa"),
        Turn::Truncated
    );
    for unreadable in [
        "Action: edit_file: {\"path\": \"a\", \"new_text\": \"say \"x\" now\"}",
        "Action: edit_file: {\"path\": \"a\"\nPAUSE",
        "Action: edit_file(\"a\", \"b\", \"c\")",
        "Action: run_analysis: \"now\"",
        "Action: read_file: the file a.py",
        "Action: {\"path\": \"a\"}",
    ] {
        assert!(
            matches!(is(unreadable), Turn::Unreadable { .. }),
            "{unreadable}: {:?}",
            is(unreadable)
        );
    }
}

#[test]
fn an_unknown_tool_is_left_to_the_registry() {
    assert_eq!(one("Action: read_flie: {\"path\": \"a\"}").0, "read_flie");
}

#[test]
fn hostile_messages_end_soon() {
    let began = std::time::Instant::now();
    for piece in [
        "{",
        "Action: ",
        "Action: read_file: {",
        "Action: read_file: {\"a\": 1} ",
        "\n",
        "Action:\n",
        "(",
        "read_file(",
        "read_file(path=",
        "read_file: {\n",
        "PAUSE",
        "```",
        "multi_tool_use.parallel(\n",
        "`",
        "{\"name\":\"read_file\"\n",
        "Action: read_file\n",
        "Action: read_file: '{",
        "functions.",
        "Answer",
        "Thought: x\n",
        "Action: read_file: \"a\"\n",
        "a\n",
        "a.b-c_",
        "Action: x:\n",
        "read_file('{'\n",
    ] {
        for start in ["", "Action: read_file: ", "Action: "] {
            let text = format!("{start}{}", piece.repeat((1 << 20) / piece.len()));
            let each = std::time::Instant::now();
            let _ = parse(&text, &tools());
            assert!(
                each.elapsed().as_secs() < 600,
                "{start}{piece:?} took {:?}",
                each.elapsed()
            );
        }
    }
    println!("75 messages of 1 MB in {:?}", began.elapsed());
}

fn any_arguments() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<String>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
    ];
    let value = prop_oneof![
        leaf.clone(),
        prop::collection::vec(leaf, 0..4).prop_map(Value::from),
    ];
    prop::collection::btree_map(any::<String>(), value, 0..5)
        .prop_map(|map| Value::from(serde_json::Map::from_iter(map)))
}

proptest! {
    #[test]
    fn a_rendered_call_reads_back(arguments in any_arguments()) {
        let call = ParsedCall { tool: "edit_file".into(), arguments, repairs: vec![] };
        let text = render_call(&call.tool, &call.arguments);
        prop_assert_eq!(parse(&text, &tools()), Turn::Calls(vec![call]));
    }

    #[test]
    fn a_rendered_call_cut_anywhere_is_never_run(arguments in any_arguments(), part in 0.0_f64..1.0) {
        let text = format!("Action: edit_file: {arguments}");
        let first = "Action: edit_file: {".len();
        let mut cut = first + ((text.len() - first) as f64 * part) as usize;
        while !text.is_char_boundary(cut) { cut -= 1; }
        prop_assume!(cut < text.len() && !text[..cut].trim_end().ends_with("PAUSE"));
        prop_assert_eq!(parse(&text[..cut], &tools()), Turn::Truncated);
    }

    #[test]
    fn any_text_is_read(
        pieces in prop::collection::vec(
            prop_oneof![
                Just("Action: ".to_owned()), Just("read_file".into()), Just("(".into()), Just(":".into()),
                Just("```json\n".into()), Just("PAUSE".into()), Just("\nObservation:".into()),
                Just("functions.".into()), Just("multi_tool_use.parallel".into()), Just("“".into()),
                "[{}\"'\\\\,:=a \n]{0,6}", any::<String>(),
            ],
            0..12,
        ),
    ) {
        if let Turn::Calls(calls) = parse(&pieces.concat(), &tools()) {
            prop_assert!(!calls.is_empty() && calls.iter().all(|call| call.arguments.is_object()));
        }
    }
}
