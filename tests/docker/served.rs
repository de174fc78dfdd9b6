//! A server on the bridge's own address, which build containers can reach.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use bollard::query_parameters::InspectNetworkOptions;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::support::daemon;

/// The event of a request that is never answered.
#[derive(Debug, PartialEq, Eq)]
pub enum Hung {
    Came,
    /// The other side closed the connection.
    Went,
}

/// Files over HTTP; a path that begins with `/hang/` is never answered.
pub struct Served {
    /// Host and port.
    pub address: String,
    pub host: String,
    pub hung: UnboundedReceiver<Hung>,
}

impl Served {
    pub async fn start(files: BTreeMap<String, Vec<u8>>) -> Self {
        let host = gateway().await;
        let listener = TcpListener::bind((host.as_str(), 0)).unwrap();
        let address = format!("{host}:{}", listener.local_addr().unwrap().port());
        let (sender, hung) = unbounded_channel();
        let files = Arc::new(files);
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let (files, sender) = (files.clone(), sender.clone());
                std::thread::spawn(move || answer(connection, &files, &sender));
            }
        });
        Self { address, host, hung }
    }
}

/// The bridge's address, which is the first of its network where the daemon names none.
async fn gateway() -> String {
    let bridge = daemon()
        .await
        .client
        .inspect_network("bridge", None::<InspectNetworkOptions>)
        .await
        .unwrap();
    let networks = bridge.ipam.and_then(|ipam| ipam.config).unwrap();
    networks
        .iter()
        .find_map(|one| one.gateway.clone())
        .or_else(|| {
            let network = networks.iter().find_map(|one| one.subnet.clone())?;
            let (address, _) = network.split_once('/')?;
            Some(format!("{}.1", address.rsplit_once('.')?.0))
        })
        .unwrap()
}

fn answer(connection: TcpStream, files: &BTreeMap<String, Vec<u8>>, hung: &UnboundedSender<Hung>) {
    let mut reader = BufReader::new(connection);
    let mut first = String::new();
    let mut line = String::new();
    let _ = reader.read_line(&mut first);
    while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
        line.clear();
    }
    let path = first.split(' ').nth(1).unwrap_or_default();
    if path.starts_with("/hang/") {
        let _ = hung.send(Hung::Came);
        let _ = reader.read(&mut [0]);
        let _ = hung.send(Hung::Went);
        return;
    }
    let (status, body) = match files.get(path) {
        Some(body) => ("200 OK", body.as_slice()),
        None => ("404 Not Found", &b""[..]),
    };
    let kind = match (path.ends_with('/'), body.first()) {
        (true, Some(b'{')) => "application/vnd.pypi.simple.v1+json",
        (true, _) => "text/html",
        (false, _) => "application/octet-stream",
    };
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let mut connection = reader.into_inner();
    let _ = connection.write_all(head.as_bytes());
    let _ = connection.write_all(body);
}

/// The source of an R package with one function.
pub fn r_source(name: &str, version: &str) -> Vec<u8> {
    let description = format!(
        "Package: {name}\nVersion: {version}\nTitle: Test\nDescription: A test.\nLicense: MIT\nAuthor: Nobody\n\
         Maintainer: Nobody <nobody@example.org>\n"
    );
    let packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut archive = tar::Builder::new(packed);
    for (file, text) in [
        ("DESCRIPTION", description.as_str()),
        ("NAMESPACE", "export(one)\n"),
        ("R/one.R", "one <- function() 1\n"),
    ] {
        let mut header = tar::Header::new_ustar();
        header.set_entry_type(tar::EntryType::Regular);
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        archive
            .append_data(&mut header, format!("{name}/{file}"), text.as_bytes())
            .unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

/// A wheel with one module.
pub fn wheel(name: &str, version: &str) -> Vec<u8> {
    let folder = format!("{name}-{version}.dist-info");
    let files = [
        (format!("{name}.py"), "one = 1\n".to_owned()),
        (
            format!("{folder}/METADATA"),
            format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"),
        ),
        (
            format!("{folder}/WHEEL"),
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n".to_owned(),
        ),
    ];
    let mut record: String = files.iter().map(|(file, _)| format!("{file},,\n")).collect();
    record.push_str(&format!("{folder}/RECORD,,\n"));
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (file, text) in files.iter().chain([&(format!("{folder}/RECORD"), record)]) {
        archive
            .start_file(file, zip::write::SimpleFileOptions::default())
            .unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}
