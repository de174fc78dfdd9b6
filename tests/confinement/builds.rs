//! The code of a source package, which runs while it is built.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use reprise::domain::execution::{EnvironmentSpec, Tier};
use reprise::domain::failure::FailureCause;
use reprise::sandbox::contract::Sandbox as _;
use tokio_util::sync::CancellationToken;

use crate::environments::fresh;
use crate::harness::Range;

const PASSWORD: &str = "canary-of-the-index";
/// The user `me` with it, as a request carries them.
const AUTHORIZATION: &str = "bWU6Y2FuYXJ5LW9mLXRoZS1pbmRleA==";

/// A backend that lies in the package itself and needs nothing else: it tries what it can
/// reach, and puts what came of it into the wheel.
const BACKEND: &str = r#"
import json, os, socket, zipfile

def attempt(host, port):
    try:
        socket.create_connection((host, port), 3).close()
        return "reached"
    except OSError as error:
        return repr(error)

def look_up(name):
    try:
        return "found " + str(socket.getaddrinfo(name, 443)[0][4])
    except OSError as error:
        return repr(error)

def build_wheel(folder, config_settings=None, metadata_directory=None):
    seen = {
        "loopback": attempt("127.0.0.1", PORT),
        "link-local": attempt("169.254.169.254", 80),
        "index": attempt("127.0.0.1", INDEX),
        "name": look_up("pypi.org"),
        "environment": dict(os.environ),
        "settings": [],
    }
    for folder_, _, names in os.walk(os.environ.get("TMPDIR", "/tmp")):
        for name in names:
            if name == "pip.conf":
                seen["settings"].append(open(os.path.join(folder_, name)).read())
    name = "report_pkg-1.0-py3-none-any.whl"
    info = "report_pkg-1.0.dist-info/"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        wheel.writestr("report_pkg.py", "SEEN = " + repr(json.dumps(seen)))
        wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: report-pkg\nVersion: 1.0\n")
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(info + "RECORD", "")
    return name
"#;

fn source_package(port: u16, index: u16) -> Vec<u8> {
    let backend = BACKEND
        .replace("PORT", &port.to_string())
        .replace("INDEX", &index.to_string());
    let packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut archive = tar::Builder::new(packed);
    for (name, text) in [
        (
            "pyproject.toml",
            "[build-system]\nrequires = []\nbuild-backend = \"backend\"\nbackend-path = [\".\"]\n\
             [project]\nname = \"report-pkg\"\nversion = \"1.0\"\n",
        ),
        (
            "PKG-INFO",
            "Metadata-Version: 2.1\nName: report-pkg\nVersion: 1.0\n",
        ),
        ("backend.py", backend.as_str()),
    ] {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        archive
            .append_data(&mut header, format!("report_pkg-1.0/{name}"), text.as_bytes())
            .unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

/// An index that wants a password and has one package, and the count of those that came
/// without it.
fn index(port: u16, listener: TcpListener) -> Arc<AtomicUsize> {
    let own = listener.local_addr().unwrap().port();
    let package = source_package(port, own);
    let refused = Arc::new(AtomicUsize::new(0));
    let count = refused.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            answer(stream.unwrap(), own, &package, &count);
        }
    });
    refused
}

fn answer(mut stream: TcpStream, port: u16, package: &[u8], refused: &AtomicUsize) {
    let mut head = Vec::new();
    let mut byte = [0; 1];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    // An absolute link to itself, as indexes with files of their own write it.
    let page = format!(
        "<html><body><a href=\"http://127.0.0.1:{port}/files/report_pkg-1.0.tar.gz\">report_pkg-1.0.tar.gz</a></body></html>"
    );
    let (status, kind, body) = if !head.contains(AUTHORIZATION) {
        refused.fetch_add(1, Ordering::Relaxed);
        ("401 Unauthorized", "text/plain", &b"no"[..])
    } else if head.starts_with("GET /simple/report-pkg/") {
        ("200 OK", "text/html", page.as_bytes())
    } else if head.starts_with("GET /files/report_pkg-1.0.tar.gz") {
        ("200 OK", "application/gzip", package)
    } else {
        ("404 Not Found", "text/plain", &b"none"[..])
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    let _ = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(body));
}

/// A service of this machine that nothing confined may reach.
fn service() -> TcpListener {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    listener
}

#[tokio::test]
async fn a_build_reaches_its_index_alone_and_never_sees_the_password() {
    let Some(program) = crate::uv::program() else {
        return;
    };
    let service = service();
    let port = service.local_addr().unwrap().port();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let own = listener.local_addr().unwrap().port();
    let refused = index(port, listener);
    let Some((sandbox, _cache)) = fresh(Tier::Namespaces, |settings| {
        let address = format!("http://me:{PASSWORD}@127.0.0.1:{own}/simple");
        settings.operator.insert("PIP_INDEX_URL".to_owned(), address);
        settings.operator.insert("REPRISE_UV".to_owned(), program);
        settings.operator.remove("PIP_FIND_LINKS");
    }) else {
        return;
    };
    let spec = EnvironmentSpec {
        python: Some(vec!["report-pkg==1.0".to_owned()]),
        ..EnvironmentSpec::default()
    };
    let environment = sandbox
        .prepare(&spec, &CancellationToken::new(), &|line| println!("  {line}"))
        .await
        .unwrap_or_else(|failure| panic!("{failure}\n{}", failure.log));
    let by = &environment.versions["installed by"];
    assert!(by.starts_with("uv "), "{by}");
    let mut range = Range::open(Tier::Namespaces).await.unwrap();
    (range.sandbox, range.environment) = (Arc::new(sandbox), environment);
    let came = range.python("import report_pkg; print(report_pkg.SEEN)").await;
    let seen: BTreeMap<String, serde_json::Value> = serde_json::from_str(&came.text()).unwrap();
    println!("{seen:#?}");
    for what in ["loopback", "link-local", "index", "name"] {
        let outcome = seen[what].as_str().unwrap();
        assert!(
            outcome.contains("Error") || outcome.contains("error"),
            "{what}: {outcome}"
        );
    }
    assert!(!came.text().contains(PASSWORD), "the build saw the password");
    assert!(
        service.accept().is_err(),
        "the build reached a service of this machine"
    );
    assert_eq!(
        refused.load(Ordering::Relaxed),
        0,
        "the index was asked without its password"
    );
}

#[tokio::test]
async fn without_namespaces_no_source_package_is_built() {
    let Some(program) = crate::uv::program() else {
        return;
    };
    let service = service();
    let port = service.local_addr().unwrap().port();
    let links = tempfile::Builder::new()
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .tempdir()
        .unwrap();
    let package = links.path().join("report_pkg-1.0.tar.gz");
    std::fs::write(&package, source_package(port, 9)).unwrap();
    let Some((sandbox, _cache)) = fresh(Tier::Landlock, |settings| {
        let operator = &mut settings.operator;
        operator.insert("PIP_FIND_LINKS".to_owned(), links.path().display().to_string());
        operator.insert("PIP_NO_INDEX".to_owned(), "1".to_owned());
        operator.insert("REPRISE_UV".to_owned(), program);
    }) else {
        return;
    };
    let spec = EnvironmentSpec {
        python: Some(vec!["report-pkg==1.0".to_owned()]),
        ..EnvironmentSpec::default()
    };
    let failure = sandbox
        .prepare(&spec, &CancellationToken::new(), &|line| println!("  {line}"))
        .await
        .unwrap_err();
    assert_eq!(failure.cause, FailureCause::Setup, "{failure:?}");
    assert!(failure.summary.contains("wheel"), "{}", failure.summary);
    assert!(service.accept().is_err());
}
