//! Admission, and the whereabouts of the key.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use reprise::model::proxy::admission::RunToken;
use reprise::model::proxy::server::{MOST_CONNECTIONS, ProxyServer};
use reprise::model::proxy::serving::Patience;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpStream, UnixStream};

use super::client::{ask, try_post};
use super::rig::{CHAT, Parts, Rig, SCRIPTED, Settings, parts};
use crate::support::dialects::{CANARY, Said, said};
use crate::support::server::{Server, json as answered, reply};

#[tokio::test]
async fn another_runs_token_a_forged_host_and_a_page_reach_nobody() {
    let provider = Server::start(vec![answered(SCRIPTED[0].1.body(&said("hi")))]).await;
    let rig = Rig::new(CHAT, provider.address).await;
    let body = CHAT.request("x", false).to_string();
    let other = RunToken::new(b"another run's");
    let port = rig.address().port();
    let (forged, off) = (format!("evil.example:{port}"), format!("127.0.0.1:{}", port ^ 1));
    for (token, headers) in [
        (&other, vec![]),
        (&rig.token, vec![("host", forged.as_str())]),
        (&rig.token, vec![("host", off.as_str())]),
        (&rig.token, vec![("origin", "http://evil.example")]),
    ] {
        let got = try_post(&rig, CHAT.path, token, &headers, body.clone())
            .await
            .unwrap();
        assert_eq!(got.status, 403, "{headers:?}");
    }
    assert_eq!(
        (
            provider.seen().len(),
            rig.keeper.turned_away.lock().unwrap().len()
        ),
        (0, 4)
    );
    assert_eq!(ask(&rig, CHAT, "x", false).await.status, 200);
}

#[tokio::test]
async fn a_key_that_a_provider_echoes_is_served_and_recorded_nowhere() {
    for (status, kind, body) in [
        (
            200,
            "application/json",
            SCRIPTED[0].1.body(&said(CANARY)).to_string(),
        ),
        (
            400,
            "application/json",
            format!("{{\"error\":{{\"message\":\"bad key {CANARY}\"}}}}"),
        ),
        (401, "text/html", format!("<p>{CANARY}</p>")),
    ] {
        let provider = Server::start(vec![reply(status, kind, &body)]).await;
        let rig = Rig::new(CHAT, provider.address).await;
        let got = ask(&rig, CHAT, "x", false).await;
        assert!(provider.seen()[0].head.contains(CANARY), "it was sent there");
        assert!(!got.body.contains(CANARY), "{}", got.body);
        let kept = format!("{:?}", rig.keeper.recorded());
        assert!(!kept.contains(CANARY), "{kept}");
        assert!(!kept.contains(rig.token.expose()));
    }
}

/// The texts of a stream's events that a client joins, one after another.
fn joined(stream: &str) -> String {
    fn add(value: &Value, name: &str, to: &mut String) {
        match value {
            Value::String(text)
                if ["content", "arguments", "delta", "text", "partial_json"].contains(&name) =>
            {
                to.push_str(text);
            }
            Value::Object(fields) => fields.iter().for_each(|(name, value)| add(value, name, to)),
            Value::Array(items) => items.iter().for_each(|item| add(item, name, to)),
            _ => {}
        }
    }
    let mut text = String::new();
    for data in stream.lines().filter_map(|line| line.strip_prefix("data: ")) {
        if let Ok(event) = serde_json::from_str(data) {
            add(&event, "", &mut text);
        }
    }
    text
}

#[tokio::test]
async fn a_key_that_a_stream_echoes_in_pieces_is_served_and_recorded_nowhere() {
    for (side, dialect) in SCRIPTED {
        let path = json!({"path": CANARY}).to_string();
        let said = Said {
            calls: vec![("a".to_owned(), "read_file".to_owned(), path)],
            ..said(&format!("You sent {CANARY}!"))
        };
        let provider = Server::start(vec![dialect.reply(&said, true)]).await;
        let rig = Rig::new(side, provider.address).await;
        let got = ask(&rig, side, "x", true).await;
        assert_eq!(got.status, 200, "{side:?}: {}", got.body);
        let told = joined(&got.body);
        assert!(told.contains("You sent [key]!"), "{side:?}: {told}");
        assert!(told.contains("{\"path\":\"[key]\"}"), "{side:?}: {told}");
        assert!(
            !told.contains(CANARY) && !got.body.contains(CANARY),
            "{side:?}: {told}"
        );
        let kept = format!("{:?}", rig.keeper.recorded());
        assert!(!kept.contains(CANARY), "{kept}");
    }
}

#[tokio::test]
async fn an_answer_whose_parts_hold_the_key_between_them_is_none() {
    let (begin, end) = CANARY.split_at(8);
    let mut body = SCRIPTED[2].1.body(&said("x"));
    body["content"] = json!([{"type": "text", "text": begin}, {"type": "text", "text": end}]);
    let provider = Server::start(vec![answered(body)]).await;
    let rig = Rig::new(SCRIPTED[2].0, provider.address).await;
    let got = ask(&rig, SCRIPTED[2].0, "x", false).await;
    assert_ne!(got.status, 200, "{}", got.body);
    assert!(!got.body.contains(end), "{}", got.body);
}

#[tokio::test]
async fn a_socket_serves_whoever_reaches_it_by_a_loopback_name() {
    let provider = Server::start(vec![answered(SCRIPTED[0].1.body(&said("hi")))]).await;
    let Parts { parts, .. } = parts(CHAT, provider.address, &Settings::default());
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
    let path = folder.path().join("proxy.sock");
    let token = parts.token.clone();
    let _proxy = ProxyServer::on_socket(parts, &path).unwrap();
    for (host, status) in [("127.0.0.1:4321", "200"), ("evil.example", "403")] {
        let mut stream = UnixStream::connect(&path).await.unwrap();
        let body = CHAT.request(host, false).to_string();
        let request = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            token.expose(),
            body.len()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut got = String::new();
        stream.read_to_string(&mut got).await.unwrap();
        assert!(got.starts_with(&format!("HTTP/1.1 {status}")), "{host}: {got}");
    }
}

/// A client that sends its body after its head is told why it is turned away, and finds no closed connection.
#[tokio::test]
async fn who_is_turned_away_by_its_head_may_send_its_body() {
    const BODY: usize = 3 << 20;
    let provider = Server::start(vec![answered(SCRIPTED[0].1.body(&said("hi")))]).await;
    let rig = Rig::new(CHAT, provider.address).await;
    for (path, headers, status) in [
        (CHAT.path, "authorization: Bearer reprise-forged\r\n", 403),
        (CHAT.path, "host: evil.example\r\n", 403),
        (CHAT.path, "content-encoding: gzip\r\n", 400),
        (CHAT.path, "upgrade: websocket\r\n", 426),
        ("/v1/messages", "", 400),
        ("/v1/elsewhere", "", 404),
    ] {
        let mut stream = TcpStream::connect(rig.address()).await.unwrap();
        let own = [
            ("authorization", format!("Bearer {}", rig.token.expose())),
            ("host", rig.address().to_string()),
        ];
        let own: String = own
            .iter()
            .filter(|(name, _)| !headers.starts_with(name))
            .map(|(name, value)| format!("{name}: {value}\r\n"))
            .collect();
        let head = format!(
            "POST {path} HTTP/1.1\r\n{own}{headers}connection: close\r\ncontent-length: {BODY}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        // Time in which a server that does not take the body would have closed; the test passes without it, too.
        tokio::time::sleep(Duration::from_millis(100)).await;
        stream.write_all(&vec![b' '; BODY]).await.unwrap();
        let mut got = String::new();
        stream.read_to_string(&mut got).await.unwrap();
        assert!(
            got.starts_with(&format!("HTTP/1.1 {status} ")),
            "{path} {headers}: {got}"
        );
    }
    assert!(provider.seen().is_empty());
}

/// Connections of a client that never ends a head.
async fn half_open(rig: &Rig) -> Vec<TcpStream> {
    let mut all = Vec::new();
    for _ in 0..MOST_CONNECTIONS {
        let mut stream = TcpStream::connect(rig.address()).await.unwrap();
        stream.write_all(b"POST /v1").await.unwrap();
        all.push(stream);
    }
    all
}

#[tokio::test]
async fn a_client_has_so_many_connections_and_no_more_open_files_of_ours() {
    let provider = Server::start(vec![answered(SCRIPTED[0].1.body(&said("hi")))]).await;
    let rig = Rig::new(CHAT, provider.address).await;
    let mut held = half_open(&rig).await;
    let asked = ask(&rig, CHAT, "x", false);
    tokio::pin!(asked);
    // Rounds of this thread's runtime, in which the proxy would have taken one connection more.
    for _ in 0..5_000 {
        let is_ended = futures::poll!(&mut asked).is_ready();
        assert!(!is_ended, "a connection beyond the bound was served");
        tokio::task::yield_now().await;
    }
    held.pop();
    assert_eq!(asked.await.status, 200);
}

#[tokio::test]
async fn connections_without_a_whole_head_are_closed() {
    let provider = Server::start(vec![answered(SCRIPTED[0].1.body(&said("hi")))]).await;
    let settings = Settings::default();
    let patience = Patience {
        head: Duration::from_millis(100),
        ..settings.patience
    };
    let rig = Rig::with(CHAT, provider.address, Settings { patience, ..settings }).await;
    let held = half_open(&rig).await;
    assert_eq!(ask(&rig, CHAT, "x", false).await.status, 200);
    drop(held);
}
