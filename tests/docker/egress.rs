//! Named hosts and nothing else, from inside a container.

use std::net::SocketAddr;
use std::sync::Arc;

use async_trait::async_trait;
use reprise::addresses::resolver::Resolve;
use reprise::domain::execution::Ending;
use reprise::sandbox::contract::Sandbox as _;
use reprise::sandbox::docker::container::owned;
use reprise::sandbox::docker::egress::egress_proxy::{EgressProxy, EgressWays};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio_util::sync::CancellationToken;

use crate::need::need;
use crate::support::{Case, PYTHON, daemon, sandbox};

/// Leads every name to one address.
struct To(SocketAddr);

#[async_trait]
impl Resolve for To {
    async fn addresses(&self, _: &str, _: u16) -> std::io::Result<Vec<SocketAddr>> {
        Ok(vec![self.0])
    }
}

const ASK: &str = r#"
import socket, urllib.error, urllib.request
def ask(link):
    try:
        return urllib.request.urlopen(link, timeout=20).read().decode().strip()
    except urllib.error.HTTPError as error:
        return f"{error.code} {error.read().decode().strip()}"
    except OSError as error:
        return f"closed: {error}"
for link in ["http://data.example.org/a.csv", "http://other.example.org/", "http://localhost/", "http://169.254.169.254/"]:
    print(link, ask(link))
for address in [("203.0.113.9", 80), ("172.17.0.1", 22), ("169.254.169.254", 80)]:
    try:
        socket.create_connection(address, 3)
        print(address, "open")
    except OSError as error:
        print(address, "closed")
"#;

#[tokio::test]
async fn an_approved_host_answers_inside_and_everything_else_is_closed() {
    if sandbox().await.is_none() {
        return;
    }
    let daemon = daemon().await;
    let origin = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = origin.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = origin.accept().await {
            let mut head = vec![0; 4096];
            let _ = stream.read(&mut head).await;
            let _ = stream
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\nthe data\n")
                .await;
        }
    });
    let case = Case::new(PYTHON);
    let hosts = ["data.example.org".to_owned()];
    let opening = EgressProxy::make(
        &daemon,
        &case.run,
        &case.workspace,
        PYTHON,
        EgressWays {
            hosts: &hosts,
            resolve: Arc::new(To(address)),
            gateway: None,
            index: None,
        },
    )
    .await
    .unwrap();
    let mut command = Command::new("docker");
    command.args(["run", "--rm", "--network", &opening.network_mode()]);
    for (name, value) in opening.variables() {
        command.args(["-e", &format!("{name}={value}")]);
    }
    let output = command
        .args([PYTHON, "python3", "-c", ASK])
        .output()
        .await
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(
        lines.first(),
        Some(&"http://data.example.org/a.csv the data"),
        "{said}"
    );
    for line in &lines[1..4] {
        assert!(line.contains("403") && line.contains("not approved"), "{said}");
    }
    assert!(lines[4..].iter().all(|line| line.ends_with("closed")), "{said}");
    assert_eq!(lines.len(), 7, "{said}");
    let notes = opening.close().await;
    assert!(notes[0].contains("data.example.org (1 connection, "), "{notes:?}");
    assert!(notes[1].contains("169.254.169.254 (1)"), "{notes:?}");
}

#[tokio::test]
async fn an_execution_reaches_no_private_address_under_an_approved_name() {
    let Some(sandbox) = sandbox().await else { return };
    if need(sandbox.opens_hosts()).is_none() {
        return;
    }
    let case = Case::new(PYTHON);
    let script = "import urllib.request\ntry:\n    urllib.request.urlopen('http://localhost.localdomain/', timeout=20)\n    \
                  print('open')\nexcept Exception as error:\n    print(error)";
    let mut execution = case.execution(&["python3", "-c", script]);
    // The name is one that every machine resolves to itself, or not at all.
    execution.hosts = vec!["localhost.localdomain".to_owned()];
    let ended = sandbox
        .execute(&execution, &CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(
        ended.ending,
        Ending::Exited(0),
        "{}",
        String::from_utf8_lossy(&case.stderr())
    );
    assert!(case.said().contains("502"), "{}", case.said());
    assert!(
        ended.notes.iter().any(|note| note.contains("none was reached")),
        "{:?}",
        ended.notes
    );
    let left = owned::owned(&daemon().await).await.unwrap();
    assert!(left.iter().all(|container| container.run != case.run), "{left:?}");
}
