//! A new root with nothing of the host but what the policy names.

use std::fs::{self, File};
use std::os::unix::fs::{DirBuilderExt as _, symlink};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sys::statvfs::{FsFlags, statvfs};

use super::fault::{Step as _, StepFailure};
use super::system;
use crate::sandbox::local::policy::{Bind, Policy};

const NOTHING: Option<&str> = None;

/// Builds the root on the policy's private folder and moves into it.
pub fn enter(policy: &Policy) -> Result<(), StepFailure> {
    mount(
        NOTHING,
        "/",
        NOTHING,
        MsFlags::MS_REC | MsFlags::MS_PRIVATE,
        NOTHING,
    )
    .step(|| "detach from the host's mounts".to_owned())?;
    let root = &policy.private;
    // The limits keep mount points from eating memory; nothing else is written here.
    file_system(
        "tmpfs",
        root,
        MsFlags::MS_NODEV,
        "mode=0755,size=8m,nr_inodes=16k",
    )?;
    for part in system::PROGRAMS {
        program_folder(root, Path::new(part))?;
    }
    // Names are looked up by the proxy, outside.
    let trust = if policy.network.is_some() {
        system::TRUST
    } else {
        &[]
    };
    for part in system::CONFIGURATION.iter().chain(trust) {
        if Path::new(part).exists() {
            bind(root, Path::new(part), Path::new(part), false)?;
        }
    }
    accounts(root, policy)?;
    devices(root)?;
    make_folder(&root.join("proc"))?;
    file_system(
        "proc",
        &root.join("proc"),
        MsFlags::MS_NODEV | MsFlags::MS_NOEXEC,
        "",
    )?;
    make_folder(&root.join("tmp"))?;
    let size = format!("mode=1777,size={},nr_inodes=256k", policy.temporary);
    file_system("tmpfs", &root.join("tmp"), MsFlags::MS_NODEV, &size)?;
    let mut overlays: Vec<(&Path, &Path)> = Vec::new();
    for part in &policy.binds {
        let Some(options) = &part.overlay else {
            bind(root, &part.from, &part.to, part.writable)?;
            continue;
        };
        // The kernel refuses a second overlay over the same folder: it is shown once more.
        match overlays.iter().find(|(from, _)| *from == part.from) {
            Some((_, shown)) => bind_inside(root, shown, &part.to)?,
            None => overlay(root, part, options)?,
        }
        overlays.push((&part.from, &part.to));
    }
    pivot(root)
}

fn pivot(root: &Path) -> Result<(), StepFailure> {
    let old = root.join(".host");
    make_folder(&old)?;
    nix::unistd::pivot_root(root, &old).step(|| "move into the new root".to_owned())?;
    std::env::set_current_dir("/").step(|| "move into the new root".to_owned())?;
    umount2("/.host", MntFlags::MNT_DETACH).step(|| "let go of the host's root".to_owned())?;
    fs::remove_dir("/.host").step(|| "remove /.host".to_owned())?;
    seal(Path::new("/"))
}

fn file_system(kind: &str, at: &Path, flags: MsFlags, options: &str) -> Result<(), StepFailure> {
    mount(
        Some(kind),
        at,
        Some(kind),
        flags | MsFlags::MS_NOSUID,
        Some(options),
    )
    .step(|| format!("mount {kind} on {}", at.display()))
}

fn make_folder(path: &Path) -> Result<(), StepFailure> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o755)
        .create(path)
        .step(|| format!("make {}", path.display()))
}

/// /bin and its like are links on most systems, folders on some.
fn program_folder(root: &Path, part: &Path) -> Result<(), StepFailure> {
    let Ok(found) = fs::symlink_metadata(part) else {
        return Ok(());
    };
    if found.is_symlink() {
        let target = fs::read_link(part).step(|| format!("read the link {}", part.display()))?;
        return symlink(target, inside(root, part)).step(|| format!("link {}", part.display()));
    }
    bind(root, part, part, false)
}

fn inside(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

/// Shows `from` at `to`. The mount point is made where it is missing.
fn bind(root: &Path, from: &Path, to: &Path, writable: bool) -> Result<(), StepFailure> {
    let target = inside(root, to);
    let name = || format!("show {} as {}", from.display(), to.display());
    let kind = fs::metadata(from).step(name)?;
    if !target.exists() {
        if kind.is_dir() {
            make_folder(&target)?;
        } else {
            if let Some(parent) = target.parent() {
                make_folder(parent)?;
            }
            File::create(&target).step(name)?;
        }
    }
    match mount(Some(from), &target, NOTHING, MsFlags::MS_BIND, NOTHING) {
        // Inside a user namespace a folder with mounts below it comes whole or not at all.
        Err(Errno::EINVAL) => {
            let every = MsFlags::MS_BIND | MsFlags::MS_REC;
            mount(Some(from), &target, NOTHING, every, NOTHING).step(name)?;
            for below in mounts_below(&target)? {
                restrict(&below, writable)?;
            }
            Ok(())
        }
        other => {
            other.step(name)?;
            restrict(&target, writable)
        }
    }
}

/// Shows an overlay. In a user namespace its marks are attributes that a user may set.
fn overlay(root: &Path, part: &Bind, options: &str) -> Result<(), StepFailure> {
    let target = inside(root, &part.to);
    make_folder(&target)?;
    let options = match nix::unistd::geteuid().is_root() {
        true => options.to_owned(),
        false => format!("{options},userxattr"),
    };
    file_system("overlay", &target, MsFlags::MS_NODEV, &options)
}

/// Shows a folder of the new root at a second place.
fn bind_inside(root: &Path, from: &Path, to: &Path) -> Result<(), StepFailure> {
    let (from, target) = (inside(root, from), inside(root, to));
    make_folder(&target)?;
    mount(Some(&from), &target, NOTHING, MsFlags::MS_BIND, NOTHING)
        .step(|| format!("show {} as {}", from.display(), to.display()))?;
    restrict(&target, true)
}

fn restrict(target: &Path, writable: bool) -> Result<(), StepFailure> {
    let mut flags = MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    if !writable {
        flags |= MsFlags::MS_RDONLY;
    }
    // Flags that the host has set are locked inside a user namespace: repeat them.
    let kept = statvfs(target)
        .step(|| format!("inspect {}", target.display()))?
        .flags();
    for (have, set) in [
        (FsFlags::ST_RDONLY, MsFlags::MS_RDONLY),
        (FsFlags::ST_NOEXEC, MsFlags::MS_NOEXEC),
        (FsFlags::ST_NOATIME, MsFlags::MS_NOATIME),
        (FsFlags::ST_NODIRATIME, MsFlags::MS_NODIRATIME),
        (FsFlags::ST_RELATIME, MsFlags::MS_RELATIME),
    ] {
        if kept.contains(have) {
            flags |= set;
        }
    }
    mount(NOTHING, target, NOTHING, flags, NOTHING).step(|| format!("restrict {}", target.display()))
}

fn seal(target: &Path) -> Result<(), StepFailure> {
    restrict(target, false)
}

/// The mount points at and below a folder, from the kernel's own list.
fn mounts_below(folder: &Path) -> Result<Vec<PathBuf>, StepFailure> {
    let list = fs::read_to_string("/proc/self/mountinfo").step(|| "list the mounts".to_owned())?;
    Ok(list
        .lines()
        .filter_map(|line| line.split(' ').nth(4))
        .map(|path| PathBuf::from(path.replace("\\040", " ")))
        .filter(|path| path.starts_with(folder))
        .collect())
}

/// Names for the one user there is; the host's own list stays outside.
fn accounts(root: &Path, policy: &Policy) -> Result<(), StepFailure> {
    let user = policy.user.unwrap_or_else(|| nix::unistd::geteuid().as_raw());
    let group = policy.user.unwrap_or_else(|| nix::unistd::getegid().as_raw());
    let mut passwd = format!("sandbox:x:{user}:{group}:sandbox:/tmp:/usr/sbin/nologin\n");
    let mut groups = format!("sandbox:x:{group}:\n");
    if user != 0 {
        passwd.insert_str(0, "root:x:0:0:root:/:/usr/sbin/nologin\n");
        groups.insert_str(0, "root:x:0:\n");
    }
    let hosts = "127.0.0.1 localhost sandbox\n::1 localhost\n".to_owned();
    let files = [
        ("etc/passwd", passwd),
        ("etc/group", groups),
        ("etc/hosts", hosts),
    ];
    make_folder(&root.join("etc"))?;
    for (name, text) in files {
        fs::write(root.join(name), text).step(|| format!("write /{name}"))?;
    }
    Ok(())
}

fn devices(root: &Path) -> Result<(), StepFailure> {
    let folder = root.join("dev");
    make_folder(&folder)?;
    for device in system::DEVICES {
        let (from, to) = (Path::new("/dev").join(device), folder.join(device));
        File::create(&to).step(|| format!("make /dev/{device}"))?;
        mount(Some(&from), &to, NOTHING, MsFlags::MS_BIND, NOTHING).step(|| format!("show /dev/{device}"))?;
    }
    for (name, target) in [
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
    ] {
        symlink(target, folder.join(name)).step(|| format!("link /dev/{name}"))?;
    }
    make_folder(&folder.join("shm"))?;
    file_system(
        "tmpfs",
        &folder.join("shm"),
        MsFlags::MS_NODEV | MsFlags::MS_NOEXEC,
        "mode=1777,size=256m,nr_inodes=16k",
    )
}
