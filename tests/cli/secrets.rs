//! A canary for a key turns up nowhere: in no file, on no page, in no message,
//! and in no process that the run starts.

use super::provider::{Dialect, Fault, KEY, Provider};
use super::support::{Called, Place, RUN, called, tree};

/// Nothing below the place, and nothing that was printed, holds the key.
fn is_clean(place: &Place, what: &str, printed: &[&Called]) {
    for called in printed {
        assert!(!called.stdout.contains(KEY), "{what}: {}", called.stdout);
        assert!(!called.stderr.contains(KEY), "{what}: {}", called.stderr);
    }
    for (name, content) in tree(place.path()) {
        for spelled in [
            KEY.to_owned(),
            KEY.replace('-', "\\u002d"),
            KEY.replace('-', "%2D"),
        ] {
            let found = memchr::memmem::find(&content, spelled.as_bytes());
            assert!(found.is_none(), "{what}: {name} holds the key as {spelled}");
        }
    }
}

/// The fixture study with a script that looks for the key in its environment, in
/// its command line and in those of every process that it can see.
fn prying() -> Place {
    let place = Place::new();
    let script = place.study().join("input/replication_data/slope.sh");
    let text = std::fs::read_to_string(&script).unwrap();
    let pry = "env > seen.txt; for one in /proc/[0-9]*; do cat $one/environ $one/cmdline; done >> seen.txt 2>/dev/null; true\n";
    let (first, rest) = text.split_once('\n').unwrap();
    std::fs::write(&script, format!("{first}\n{pry}{rest}")).unwrap();
    place
}

fn live(place: &Place, provider: &Provider, arguments: &[&str]) -> Called {
    let (model, variables) = provider.model();
    let mut command = place.command(arguments);
    if arguments[0] == "run" {
        command.args(["--model", &model]);
    }
    let output = command
        .envs(variables)
        .env("REPRISE_LOG", "trace")
        .output()
        .unwrap();
    called(output)
}

#[test]
fn a_key_is_nowhere_after_a_run_that_went_well() {
    for dialect in [Dialect::Anthropic, Dialect::OpenAi] {
        let place = prying();
        let provider = Provider::start(dialect, vec![Fault::Reset]);
        let run = live(
            &place,
            &provider,
            &[&RUN[..], &["--record", "./session.json"]].concat(),
        );
        assert!(run.status == 0 || run.status == 4, "{}", run.stderr);
        let shown = place.call(&["show", "out", "--json"]);
        let cost = place.call(&["show", "cost", "out"]);
        let report = place.call(&["report", "out", "--format", "md", "--out", "-"]);
        is_clean(&place, &format!("{dialect:?}"), &[&run, &shown, &cost, &report]);
        assert!(place.path().join("session.json").exists());
        let seen = place.path().join("out/workspace/work/seen.txt");
        assert!(seen.exists(), "the script did not look: {}", run.stderr);
    }
}

#[test]
fn a_key_that_a_provider_echoes_is_masked() {
    let echoes = [
        r#"{"type":"error","error":{"type":"authentication_error","message":"invalid key [KEY], sent as [KEY]"}}"#,
        r#"{"error":{"message":"Incorrect API key provided: [KEY].","type":"invalid_request_error","code":"[KEY]"}}"#,
        "<html><title>no</title><body>[KEY]</body></html>",
        r#"{"error":{"message":"Incorrect API key provided: [ESCAPED].","code":"[ESCAPED]"}}"#,
        "<html><body>[PERCENT]</body></html>",
    ];
    for dialect in [Dialect::Anthropic, Dialect::OpenAi] {
        for (status, echo) in [401, 403, 500]
            .into_iter()
            .flat_map(|status| echoes.map(|echo| (status, echo)))
        {
            let place = Place::new();
            place.study();
            // A server that fails is given up on when it asks for too much patience.
            let fault = Fault::Status(status, vec![("retry-after", "3600")], echo.to_owned());
            let provider = Provider::start(dialect, vec![Fault::None, fault]);
            let run = live(
                &place,
                &provider,
                &[&RUN[..], &["--record", "./session.json"]].concat(),
            );
            assert_eq!(run.status, 7, "{status}: {}", run.stderr);
            let shown = place.call(&["show", "out"]);
            is_clean(&place, &format!("{dialect:?} {status} {echo}"), &[&run, &shown]);
        }
    }
}

#[test]
fn a_key_is_nowhere_after_a_crash() {
    let place = Place::new();
    place.study();
    let provider = Provider::start(Dialect::Anthropic, Vec::new());
    let (model, variables) = provider.model();
    let output = place
        .command(&[&RUN[..], &["--model", &model]].concat())
        .envs(variables)
        .env("REPRISE_DIE_AFTER_EVENT", "9")
        .env("RUST_BACKTRACE", "full")
        .output()
        .unwrap();
    let died = called(output);
    assert_eq!(died.status, -1);
    is_clean(&place, "crash", &[&died]);
    let resumed = live(&place, &provider, &["resume", "out"]);
    assert_eq!(resumed.status, 0, "{}", resumed.stderr);
    is_clean(&place, "resumed", &[&resumed]);
    // A text that is no key is refused without being repeated.
    let refused = called(
        place
            .command(&[&RUN[..7], &["other", "--model", &model]].concat())
            .env("ANTHROPIC_API_KEY", format!("{KEY} {KEY}"))
            .output()
            .unwrap(),
    );
    assert_eq!(refused.status, 2);
    is_clean(&place, "refused", &[&refused]);
}

/// A keyring outside the place, which nobody but its owner reads.
fn keyring(text: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
    file
}

#[test]
fn a_key_of_a_keyring_is_sent_and_is_nowhere_else() {
    for dialect in [Dialect::Anthropic, Dialect::OpenAi] {
        let place = prying();
        let provider = Provider::start(dialect, Vec::new());
        let (model, variables) = provider.model();
        let owner = match dialect {
            Dialect::Anthropic => "anthropic".to_owned(),
            Dialect::OpenAi => format!("openai-api/127.0.0.1:{}", provider.port),
        };
        let ring = keyring(&format!("\"{owner}\" = \"{KEY}\"\n"));
        let call = |arguments: &[&str]| {
            let mut command = place.command(arguments);
            // Everything but the key.
            let others = variables.iter().filter(|(_, value)| value != KEY);
            command
                .envs(others.cloned())
                .env("REPRISE_KEYRING", ring.path())
                .env("REPRISE_LOG", "trace");
            called(command.output().unwrap())
        };
        let run = call(&[&RUN[..], &["--model", &model]].concat());
        assert!(run.status == 0 || run.status == 4, "{}", run.stderr);
        assert_eq!(provider.keys(), [KEY], "the keyring's key is what was sent");
        let verbs: [&[&str]; 7] = [
            &["show", "out"],
            &["show", "out", "--json"],
            &["show", "cost", "out", "--json"],
            &["replay", "record", "out", "./session.json"],
            &["report", "out", "--format", "json", "--out", "-"],
            &["resume", "out"],
            &["doctor", "--json"],
        ];
        let printed: Vec<Called> = verbs.iter().map(|arguments| call(arguments)).collect();
        let mut all: Vec<&Called> = printed.iter().collect();
        all.push(&run);
        is_clean(&place, &format!("keyring, {dialect:?}"), &all);
        assert!(place.path().join("session.json").exists());
        // A keyring that others may read is refused, and none of it is shown.
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o644);
        std::fs::set_permissions(ring.path(), open).unwrap();
        let refused = call(&[&RUN[..7], &["other", "--model", &model]].concat());
        assert_eq!(refused.status, 2, "{}", refused.stderr);
        is_clean(&place, "open keyring", &[&refused]);
    }
}

#[test]
fn a_key_stands_in_no_command_line_and_in_no_other_process() {
    let place = Place::new();
    let script = place.study().join("input/replication_data/slope.sh");
    let text = std::fs::read_to_string(&script).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let waits = "touch here; while [ ! -e go ]; do sleep 0.05; done";
    std::fs::write(&script, format!("{first}\n{waits}\n{rest}")).unwrap();
    let provider = Provider::start(Dialect::Anthropic, Vec::new());
    let (model, mut variables) = provider.model();
    // Other tests have processes with the usual key.
    let key = format!("{KEY}-in-no-listing");
    for (name, value) in &mut variables {
        if *name == "ANTHROPIC_API_KEY" {
            value.clone_from(&key);
        }
    }
    let mut child = place
        .command(&[&RUN[..], &["--model", &model]].concat())
        .envs(variables)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let work = place.path().join("out/workspace/work");
    while !work.join("here").exists() {
        assert_eq!(child.try_wait().unwrap(), None, "the script never ran");
        super::need::pause();
    }
    let holds = |path: std::path::PathBuf, what: &str| {
        let bytes = std::fs::read(path).unwrap_or_default();
        memchr::memmem::find(&bytes, what.as_bytes()).is_some()
    };
    let (mut listed, mut exposed) = (0, Vec::new());
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse::<u32>().ok())
        else {
            continue;
        };
        let of_sandbox = holds(entry.path().join("environ"), place.path().to_str().unwrap())
            || holds(entry.path().join("cmdline"), "slope.sh");
        listed += u32::from(of_sandbox && pid != child.id());
        let environ = pid != child.id() && holds(entry.path().join("environ"), &key);
        if environ || holds(entry.path().join("cmdline"), &key) {
            exposed.push(pid);
        }
    }
    std::fs::write(work.join("go"), "").unwrap();
    assert!(child.wait().unwrap().code().is_some());
    assert!(listed > 0, "no process of the sandbox was seen");
    assert!(exposed.is_empty(), "processes {exposed:?} hold the key");
}
