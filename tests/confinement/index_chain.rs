//! A build whose index speaks TLS and wants a password, behind the operator's own proxy, which
//! wants another.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use reprise::domain::execution::{EnvironmentSpec, Tier};
use reprise::sandbox::contract::Sandbox as _;
use tokio_util::sync::CancellationToken;

use crate::environments::fresh;
use crate::harness::Range;
use crate::need::need;

const OF_INDEX: &str = "canary-of-the-index";
const OF_PROXY: &str = "canary-of-the-proxy";

/// Index and proxy, which end with this.
struct Chain {
    servers: Child,
    index: u16,
    proxy: u16,
    folder: tempfile::TempDir,
}

impl Drop for Chain {
    fn drop(&mut self) {
        let _ended = self.servers.kill().and_then(|()| self.servers.wait());
    }
}

impl Chain {
    /// Starts both; `None`, with a message, where no certificate can be made.
    fn start(of_index: &str) -> Option<Self> {
        let version = Command::new("openssl").arg("version").output();
        need(version.map_err(|error| format!("openssl does not run here ({error}): install it")))?;
        let folder = tempfile::Builder::new()
            .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .tempdir()
            .unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let certificate = |name: &str, further: &[&str]| {
            let made = Command::new("openssl")
                .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"])
                .args(["-subj", &format!("/CN={name}.test")])
                .args(["-keyout", &path(&format!("{name}.key"))])
                .args(["-out", &path(&format!("{name}.pem"))])
                .args(further)
                .stderr(Stdio::null())
                .status();
            assert!(made.unwrap().success());
        };
        certificate("ca", &[]);
        let (ca, key) = (path("ca.pem"), path("ca.key"));
        let own = [
            "-addext",
            "subjectAltName=DNS:index.test",
            "-addext",
            "basicConstraints=critical,CA:FALSE",
            "-CA",
            &ca,
            "-CAkey",
            &key,
        ];
        certificate("index", &own);
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/confinement/index_chain.py");
        let mut servers = Command::new("python3")
            .arg(script)
            .args([path("index.pem"), path("index.key"), path("log")])
            .args([of_index, OF_PROXY])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut ports = String::new();
        BufReader::new(servers.stdout.take().unwrap())
            .read_line(&mut ports)
            .unwrap();
        let (index, proxy) = ports.trim().split_once(' ').unwrap();
        Some(Self {
            index: index.parse().unwrap(),
            proxy: proxy.parse().unwrap(),
            servers,
            folder,
        })
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

#[tokio::test]
async fn an_https_index_is_reached_through_the_operators_proxy_with_both_passwords() {
    let Some(program) = crate::uv::program() else {
        return;
    };
    for of_index in ["", OF_INDEX] {
        let Some(chain) = Chain::start(of_index) else {
            return;
        };
        let Some((sandbox, _cache)) = fresh(Tier::Namespaces, |settings| {
            let user = match of_index {
                "" => String::new(),
                password => format!("me:{password}@"),
            };
            let index = format!("https://{user}index.test:{}/simple", chain.index);
            let proxy = format!("http://me:{OF_PROXY}@127.0.0.1:{}", chain.proxy);
            let operator = &mut settings.operator;
            operator.retain(|name, _| !name.to_ascii_lowercase().ends_with("_proxy"));
            operator.remove("PIP_FIND_LINKS");
            operator.insert("PIP_INDEX_URL".to_owned(), index);
            operator.insert("PIP_PROXY".to_owned(), proxy);
            operator.insert("REPRISE_UV".to_owned(), program.clone());
            let certificate = chain.folder.path().join("ca.pem").display().to_string();
            for name in ["PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"] {
                operator.insert(name.to_owned(), certificate.clone());
            }
        }) else {
            return;
        };
        let spec = EnvironmentSpec {
            python: Some(vec!["chain-pkg==1.0".to_owned()]),
            ..EnvironmentSpec::default()
        };
        let prepared = sandbox
            .prepare(&spec, &CancellationToken::new(), &|line| println!("  {line}"))
            .await;
        let log = chain.log();
        let environment = prepared.unwrap_or_else(|failure| panic!("{failure}\n{}\n{log}", failure.log));
        assert_eq!(environment.versions["chain-pkg"], "1.0");
        let by = &environment.versions["installed by"];
        assert!(by.starts_with("uv "), "{by}\n{log}");
        let mut range = Range::open(Tier::Namespaces).await.unwrap();
        (range.sandbox, range.environment) = (Arc::new(sandbox), environment);
        let came = range.python("import chain_pkg; print(chain_pkg.WORD)").await;
        assert_eq!(came.text(), "came through\n");
        println!("{log}");
        let tunnel = format!("proxy index.test:{} 200", chain.index);
        assert!(log.lines().any(|line| line == tunnel), "{log}");
        assert!(
            log.contains("index /files/chain_pkg-1.0-py3-none-any.whl 200"),
            "{log}"
        );
        assert!(
            !log.contains(" 401") && !log.contains(" 407"),
            "asked without a password: {log}"
        );
    }
}
