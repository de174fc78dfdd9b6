use reprise::documents::document::Limits;
use reprise::documents::pdf::read::read;
#[test]
fn dump() {
    let out = std::path::PathBuf::from("/tmp/ours");
    std::fs::create_dir_all(&out).unwrap();
    for file in walkdir::WalkDir::new("/work/shared/data/replicatorbench/original") {
        let file = file.unwrap();
        if file.path().extension().is_some_and(|e| e == "pdf") {
            let start = std::time::Instant::now();
            let text = read(std::fs::read(file.path()).unwrap(), &Limits::default());
            let name = file
                .path()
                .to_string_lossy()
                .replace("/work/shared/data/replicatorbench/original/", "")
                .replace('/', "_");
            match text {
                Ok(text) => {
                    println!("{name} {:?} {:?}", start.elapsed(), text.notes);
                    let all: Vec<String> = text.pages.iter().map(|p| p.text.clone()).collect();
                    std::fs::write(out.join(name + ".txt"), all.join("\x0c")).unwrap();
                }
                Err(e) => println!("{name} {e}"),
            }
        }
    }
}
