//! An index on loopback: pages of packages with dates, wheels, and an archive of R.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Cursor, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use reprise::domain::digest::Digest;
use serde_json::{Value, json};
use zip::write::SimpleFileOptions;

const JSON: &str = "application/vnd.pypi.simple.v1+json";

/// A file of the server.
#[derive(Clone)]
struct ServedFile {
    kind: &'static str,
    bytes: Vec<u8>,
}

/// A server that answers until it has answered so often.
pub struct IndexServer {
    pub address: String,
    files: Arc<Mutex<BTreeMap<String, ServedFile>>>,
    most: Arc<AtomicUsize>,
}

impl IndexServer {
    pub fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let files: Arc<Mutex<BTreeMap<String, ServedFile>>> = Arc::default();
        let most = Arc::new(AtomicUsize::new(usize::MAX));
        let (served, left) = (files.clone(), most.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (served, left) = (served.clone(), left.clone());
                std::thread::spawn(move || answer(stream, &served, &left));
            }
        });
        Self { address, files, most }
    }

    /// After so many further answers it hangs up.
    pub fn hang_up_after(&self, answers: usize) {
        self.most.store(answers, Ordering::SeqCst);
    }

    pub fn put(&self, path: &str, kind: &'static str, bytes: Vec<u8>) {
        self.files
            .lock()
            .unwrap()
            .insert(path.to_owned(), ServedFile { kind, bytes });
    }

    /// Puts wheels on the page of their package: `name version day requirements`, with requirements
    /// between bars; `None` of a day leaves dates out.
    pub fn wheel(&self, row: &str) -> &Self {
        self.tagged_wheel(row, "py3-none-any", &json!({}))
    }

    /// A wheel that can be installed, of a module that holds its `VERSION`, with its true digest.
    pub fn module(&self, row: &str) -> &Self {
        let parts: Vec<&str> = row.splitn(4, ' ').collect();
        let bytes = module(parts[0], parts[1], &requires(&parts));
        let digest = Digest::compute(&bytes).hex();
        self.put_wheel(
            &parts,
            "py3-none-any",
            bytes,
            &json!({"hashes": {"sha256": digest}}),
        )
    }

    /// The same with tags, and with further keys of the page.
    pub fn tagged_wheel(&self, row: &str, tags: &str, keys: &Value) -> &Self {
        let parts: Vec<&str> = row.splitn(4, ' ').collect();
        let bytes = wheel(parts[0], parts[1], &requires(&parts));
        self.put_wheel(&parts, tags, bytes, keys)
    }

    fn put_wheel(&self, parts: &[&str], tags: &str, bytes: Vec<u8>, keys: &Value) -> &Self {
        let (name, version) = (parts[0], parts[1]);
        let file = format!("{name}-{version}-{tags}.whl");
        self.put(&format!("/files/{file}"), "application/zip", bytes);
        let mut entry = json!({"filename": file, "url": format!("../../files/{file}"), "hashes": {"sha256": "ab".repeat(32)}});
        if parts[2] != "-" {
            entry["upload-time"] = json!(format!("{}T10:00:00.000000Z", parts[2]));
        }
        for (key, value) in keys.as_object().unwrap() {
            entry[key] = value.clone();
        }
        // An index has a page under the usual spelling.
        let path = format!("/simple/{}/", name.replace('_', "-"));
        let mut files = self.files.lock().unwrap();
        let known = files
            .get(&path)
            .map(|page| serde_json::from_slice::<Value>(&page.bytes).unwrap());
        let mut page =
            known.unwrap_or_else(|| json!({"meta": {"api-version": "1.1"}, "name": name, "files": []}));
        page["files"].as_array_mut().unwrap().push(entry);
        let bytes = serde_json::to_vec(&page).unwrap();
        files.insert(path, ServedFile { kind: JSON, bytes });
        drop(files);
        self
    }
}

/// The lines of a row's requirements.
fn requires(parts: &[&str]) -> String {
    let all = parts.get(3).unwrap_or(&"").split('|');
    let all = all.filter(|one| !one.is_empty());
    all.map(|one| format!("Requires-Dist: {one}\n")).collect()
}

/// A wheel of one module with its version, whole.
fn module(name: &str, version: &str, requires: &str) -> Vec<u8> {
    let info = format!("{name}-{version}.dist-info");
    let record = format!("{name}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n");
    let files = [
        (format!("{name}.py"), format!("VERSION = '{version}'\n")),
        (
            format!("{info}/METADATA"),
            format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}"),
        ),
        (
            format!("{info}/WHEEL"),
            "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n".to_owned(),
        ),
        (format!("{info}/RECORD"), record),
    ];
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (file, text) in files {
        writer.start_file(file, SimpleFileOptions::default()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn wheel(name: &str, version: &str, requires: &str) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    writer.start_file(format!("{name}/__init__.py"), options).unwrap();
    // More than is had of a wheel's end, and not to be packed.
    let mut noise = Vec::new();
    let mut at: u32 = 1;
    for _ in 0..200_000 {
        at = at.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        noise.push(at.to_be_bytes()[0]);
    }
    writer.write_all(&noise).unwrap();
    writer
        .start_file(format!("{name}-{version}.dist-info/METADATA"), options)
        .unwrap();
    write!(
        writer,
        "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}\nText\n"
    )
    .unwrap();
    writer.finish().unwrap().into_inner()
}

fn answer(mut stream: TcpStream, files: &Mutex<BTreeMap<String, ServedFile>>, left: &AtomicUsize) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).unwrap_or(0) == 0 {
                return;
            }
        }
        let one_less = |left: usize| left.checked_sub(1);
        if left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less)
            .is_err()
        {
            return;
        }
        let path = head.split(' ').nth(1).unwrap().to_owned();
        let is_head = head.starts_with("HEAD ");
        let found = files.lock().unwrap().get(&path).cloned();
        let Some(file) = found else {
            let _gone = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
            continue;
        };
        let length = file.bytes.len();
        let range = head.lines().find_map(|line| {
            line.to_ascii_lowercase()
                .strip_prefix("range: bytes=")
                .map(str::to_owned)
        });
        let part = range.map(|range| {
            let (from, to) = range.split_once('-').unwrap();
            match from {
                "" => (length.saturating_sub(to.parse().unwrap()), length),
                from => (
                    from.parse().unwrap(),
                    (to.parse::<usize>().unwrap() + 1).min(length),
                ),
            }
        });
        let (from, to) = part.unwrap_or((0, length));
        let status = if part.is_some() {
            "206 Partial Content"
        } else {
            "200 OK"
        };
        let mut head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {}\r\nContent-Length: {}\r\n",
            file.kind,
            to - from
        );
        if part.is_some() {
            head.push_str(&format!("Content-Range: bytes {from}-{}/{length}\r\n", to - 1));
        }
        head.push_str("Accept-Ranges: bytes\r\n\r\n");
        if is_head {
            let _gone = stream.write_all(head.as_bytes());
            continue;
        }
        let _gone = stream
            .write_all(head.as_bytes())
            .and_then(|()| stream.write_all(&file.bytes[from..to]));
    }
}
