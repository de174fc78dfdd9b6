//! Agents that speak another dialect than the model's server: LiteLLM on loopback speaks them all.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::attempt::{Place, Where, commands, said};
use crate::need::pause;
use crate::need::pypi::python_by_uv;
use crate::provider::{Provider, Speaks};

/// A gateway before a server of chat completions, which ends with this value.
pub struct Gateway {
    child: Child,
    pub port: u16,
    _folder: TempDir,
}

impl Gateway {
    /// `None` where LiteLLM cannot be installed.
    pub fn start(server: u16) -> Option<Self> {
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let python = python_by_uv(kept, "litellm", ">=3.10", &["litellm[proxy]==1.108.7"])?;
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config.yaml");
        let text = format!(
            "model_list:\n  - model_name: '*'\n    litellm_params:\n      model: hosted_vllm/scripted\n      \
             api_base: http://127.0.0.1:{server}/v1\n      api_key: k\n      use_chat_completions_api: true\n\
             litellm_settings:\n  drop_params: true\n"
        );
        fs::write(&config, text).unwrap();
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let log = folder.path().join("log");
        let mut gateway = Self {
            child: Command::new(python.with_file_name("litellm"))
                .arg("--config")
                .arg(&config)
                .args(["--host", "127.0.0.1", "--port", &port.to_string()])
                .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
                .env("LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY", "true")
                .stdout(Stdio::null())
                .stderr(fs::File::create(&log).unwrap())
                .spawn()
                .unwrap(),
            port,
            _folder: folder,
        };
        // It listens once it has read its configuration.
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let ended = gateway.child.try_wait().unwrap();
            assert!(ended.is_none(), "{}", fs::read_to_string(&log).unwrap());
            pause();
        }
        Some(gateway)
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The fake agent in a dialect, whose model is asked through a gateway in chat completions: killed behind its second
/// answer and carried on, it comes to its grade, pays for no call twice, and is replayed.
fn carried(speaks: Speaks, words: &[&str]) {
    let place = Place::with(Where::Local, speaks, || Provider::start(Speaks::Chat, commands()));
    let Some(mut place) = place else { return };
    let Some(gateway) = Gateway::start(place.provider.port) else {
        return;
    };
    place.provider.asked_at = gateway.port;
    let killed = place
        .begin(&["--dialect", speaks.option()], words)
        .env("REPRISE_DIE_AFTER_EVENT", "8")
        .output()
        .unwrap();
    assert_eq!(killed.status.code(), None, "{}", said(&killed));
    let output = place.resume(&[]);
    place.assert_right(&output, 4);
    let arrived = place.provider.arrived();
    for arrived in &arrived {
        assert!(arrived.head.contains("/chat/completions"), "{}", arrived.head);
    }
    let replay = place.command(&["replay", "out"]).output().unwrap();
    let printed = String::from_utf8_lossy(&replay.stdout).into_owned();
    assert!(printed.contains("Nothing differs"), "{printed}{}", said(&replay));
    assert_eq!(
        place.provider.arrived().len(),
        arrived.len(),
        "a replay asks nobody"
    );
}

#[test]
#[ignore = "fetches 200 MB from PyPI"]
fn agents_of_other_dialects_come_to_their_grades_through_a_gateway() {
    for speaks in [Speaks::Responses, Speaks::Messages, Speaks::Gemini] {
        carried(speaks, &["streamed"]);
        carried(speaks, &[]);
    }
}
