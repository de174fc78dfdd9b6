//! Strings of a script that are paths of one machine.

use reprise::scoring::checkpoints::code::host_paths;

#[test]
fn a_path_of_one_machine_is_told_from_what_only_has_slashes() {
    let inside = ["/workspace/".to_owned()];
    let of = |text: &str| host_paths("a.R", &format!("read('{text}')"), &inside);
    for path in [
        "/home/me/data.csv",
        "/a/b",
        "/data-1/x_y.z/d",
        "~/project",
        "D:/data",
        "/workspaces/x",
        "/tmpfiles/x",
    ] {
        assert_eq!(of(path), [path], "{path}");
    }
    for other in [
        "/",
        "/a",
        "/workspace",
        "/workspace/replication_data/d.csv",
        "/tmp/x",
        "/proc/self/stat",
        "//host/share",
        "data/raw/d.csv",
        "D:data",
        "1:/data",
        "/a/b*",
        "/a/b|c",
        "^/a/b",
        "/a/<b>",
        "/%Y/%m",
    ] {
        assert_eq!(of(other), Vec::<String>::new(), "{other}");
    }
    let long = format!("/a/{}", "b".repeat(1100));
    assert_eq!(of(&long), Vec::<String>::new());
    assert_eq!(host_paths("a.v2.py", "open('/a/b')", &inside), ["/a/b"]);
    assert_eq!(host_paths("notes.md", "'/a/b'", &inside), Vec::<String>::new());
}
