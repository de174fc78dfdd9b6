//! A registry on loopback, and packages of npm and of PyPI for it.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Cursor, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

use flate2::Compression;
use flate2::write::GzEncoder;
use reprise::catalog::agents::integrity::Integrity;

/// The package that the registry has, and its version.
pub const PACKAGE: &str = "@fake/agent";
pub const VERSION: &str = "1.2.3-linux-x64";

/// A registry with a package.
pub struct Registry {
    pub address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Registry {
    pub fn start(archive: Vec<u8>) -> Self {
        Self::of_files(vec![(format!("{PACKAGE}/-/agent-{VERSION}.tgz"), archive)])
    }

    /// With files by their paths below its address.
    pub fn of_files(files: Vec<(String, Vec<u8>)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/npm", listener.local_addr().unwrap());
        let files = files
            .into_iter()
            .map(|(path, bytes)| (format!("/npm/{path}"), bytes));
        let files: BTreeMap<String, Vec<u8>> = files.collect();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = asked.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                serve(stream, &files, &kept);
            }
        });
        Self { address, asked }
    }

    /// The paths that were asked for.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, files: &BTreeMap<String, Vec<u8>>, asked: &Mutex<Vec<String>>) {
    let mut head = Vec::new();
    for line in BufReader::new(stream.try_clone().unwrap()).lines() {
        match line {
            Ok(line) if !line.is_empty() => head.push(line),
            _ => break,
        }
    }
    let path = head
        .first()
        .and_then(|line| line.split(' ').nth(1))
        .unwrap_or_default()
        .to_owned();
    let (status, body) = match files.get(&path) {
        Some(bytes) => ("200 OK", bytes.as_slice()),
        None => ("404 Not Found", &b"{}"[..]),
    };
    asked.lock().unwrap().push(path);
    let length = body.len();
    // Whoever has gone needs no answer.
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    )
    .and_then(|()| stream.write_all(body));
}

/// An archive as npm packs it, with these files.
pub fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut packed = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        // As it is: `append_data` would refuse a name that climbs.
        let place = &mut header.as_old_mut().name;
        place[..name.len()].copy_from_slice(name.as_bytes());
        header.set_cksum();
        packed.append(&header, *bytes).unwrap();
    }
    packed.into_inner().unwrap().finish().unwrap()
}

/// The integrity of bytes, as a registry prints it.
pub fn integrity(bytes: &[u8]) -> String {
    let any: Integrity = format!("sha512-{}AA==", "A".repeat(84)).parse().unwrap();
    any.of_reader(bytes).unwrap().to_string()
}

/// A wheel with these files.
pub fn wheel(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut packed = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        packed
            .start_file(*name, zip::write::SimpleFileOptions::default())
            .unwrap();
        packed.write_all(bytes).unwrap();
    }
    packed.finish().unwrap().into_inner()
}

/// Writes the definition of an agent `fake` of these wheels, its own first.
pub fn define_wheels(folder: &Path, platform: &str, wheels: &[(&str, String)]) {
    let command = include_str!("../../agents/command/agent.toml");
    let limits = &command[command.find("[limits]").unwrap()..];
    let needs: Vec<String> = wheels[1..]
        .iter()
        .map(|(path, integrity)| format!("{{ wheel = \"{path}\", integrity = \"{integrity}\" }}"))
        .collect();
    let text = format!(
        "agent = \"fake\"\nabout = \"a fake\"\ncommand = [\"env\", \"PYTHONPATH={{files}}\", \"python3\", \"-m\", \
         \"fake_agent\", \"chat\"]\ndialect = \"chat_completions\"\n[release]\nregistry = \"PyPI\"\npackage = \"fake-agent\"\n\
         version = \"1.2.3\"\nlicense = \"MIT\"\n[[release.packages]]\nplatform = \"{platform}\"\nregistry = \"PyPI\"\n\
         package = \"fake-agent\"\nversion = \"1.2.3\"\nwheel = \"{}\"\nintegrity = \"{}\"\nneeds = [{}]\n{limits}",
        wheels[0].0,
        wheels[0].1,
        needs.join(", ")
    );
    let own = folder.join("fake");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("agent.toml"), text).unwrap();
}

/// Writes the definition of an agent `fake`, whose package has this integrity and is of this platform.
pub fn define(folder: &Path, platform: &str, integrity: &str) {
    let command = include_str!("../../agents/command/agent.toml");
    let limits = &command[command.find("[limits]").unwrap()..];
    let text = format!(
        "agent = \"fake\"\nabout = \"a fake\"\ncommand = [\"python3\", \"{{files}}/bin/agent\", \"chat\"]\n\
         dialect = \"chat_completions\"\n[release]\nregistry = \"npm\"\npackage = \"{PACKAGE}\"\nversion = \"1.2.3\"\n\
         license = \"MIT\"\n[[release.packages]]\nplatform = \"{platform}\"\nregistry = \"npm\"\npackage = \"{PACKAGE}\"\n\
         version = \"{VERSION}\"\nintegrity = \"{integrity}\"\nprograms = {{ \"bin/agent\" = \"vendor/agent.py\" }}\n{limits}"
    );
    let own = folder.join("fake");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("agent.toml"), text).unwrap();
}

/// Adds to the definition of an agent `fake` that it runs on a package of PyPI, whose file `from` is `bin/interpreter`.
pub fn define_runtime(folder: &Path, (wheel, integrity): (&str, &str), from: &str) {
    let file = folder.join("fake/agent.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let runtime = format!(
        "[[release.packages.runtime]]\nregistry = \"PyPI\"\npackage = \"fake-interpreter\"\nversion = \"9.9\"\n\
         wheel = \"{wheel}\"\nintegrity = \"{integrity}\"\nprograms = {{ \"bin/interpreter\" = \"{from}\" }}\n[limits]"
    );
    let command = "[\"python3\", \"{files}/bin/agent\"";
    assert!(text.contains(command), "{text}");
    let text = text
        .replace(command, "[\"{files}/bin/interpreter\", \"{files}/bin/agent\"")
        .replacen("[limits]", &runtime, 1);
    std::fs::write(file, text).unwrap();
}

/// Adds to the definition of an agent `fake` the release of Python that its wheels are for.
pub fn define_python(folder: &Path, release: &str) {
    let file = folder.join("fake/agent.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let text = text.replacen("needs = [", &format!("python = \"{release}\"\nneeds = ["), 1);
    std::fs::write(file, text).unwrap();
}
