//! A virtual environment with nothing in it, as Python's `venv` lays it out, written without starting a Python.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::interpreter::PythonInstallation;

/// Writes it into an empty folder: links to the interpreter, the folder of packages, and `pyvenv.cfg`, by which an
/// interpreter finds both. Scripts that set a shell up are left out, since no shell is.
///
/// # Errors
/// A folder that cannot be written, or an interpreter without a version or a folder.
pub fn write(venv: &Path, interpreter: &PythonInstallation) -> io::Result<()> {
    let PythonInstallation {
        executable, version, ..
    } = interpreter;
    let odd = |what: &str| {
        let told = format!("the interpreter {} has no {what}", executable.display());
        io::Error::new(io::ErrorKind::InvalidInput, told)
    };
    let mut numbers = version.split('.');
    let (Some(major), Some(minor)) = (numbers.next(), numbers.next()) else {
        return Err(odd("version"));
    };
    let home = executable.parent().ok_or_else(|| odd("folder"))?;
    let release = format!("python{major}.{minor}");
    let programs = venv.join("bin");
    fs::create_dir(&programs)?;
    symlink(executable, programs.join("python"))?;
    for name in [format!("python{major}"), release.clone()] {
        symlink("python", programs.join(name))?;
    }
    fs::create_dir_all(venv.join("lib").join(&release).join("site-packages"))?;
    fs::create_dir(venv.join("include"))?;
    symlink("lib", venv.join("lib64"))?;
    let settings = format!(
        "home = {}\ninclude-system-site-packages = false\nversion = {version}\nexecutable = {}\n",
        home.display(),
        executable.display()
    );
    fs::write(venv.join("pyvenv.cfg"), settings)
}

/// The program of an environment.
pub fn python(venv: &Path) -> PathBuf {
    venv.join("bin/python")
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn an_interpreter_finds_its_packages_there_and_no_others() {
        let said = |python: &Path, code: &str| {
            let output = Command::new(python).args(["-I", "-c", code]).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        let Some(()) = crate::need::program("python3", "apt-get install python3") else {
            return;
        };
        let system = Path::new("python3");
        let interpreter = PythonInstallation {
            executable: said(
                system,
                "import sys; print(getattr(sys, '_base_executable', sys.executable))",
            )
            .into(),
            prefix: said(system, "import sys; print(sys.base_prefix)").into(),
            version: said(system, "import platform; print(platform.python_version())"),
        };
        let place = tempfile::tempdir().unwrap();
        let venv = place.path().canonicalize().unwrap();
        write(&venv, &interpreter).unwrap();
        let packages = said(
            &python(&venv),
            "import sys, sysconfig; print(sys.prefix, sysconfig.get_path('purelib'), sysconfig.get_path('platlib'))",
        );
        let release = interpreter.version.rsplit_once('.').unwrap().0;
        let own = format!("{}/lib/python{release}/site-packages", venv.display());
        assert_eq!(
            packages.replace("/lib64/", "/lib/"),
            format!("{} {own} {own}", venv.display())
        );
        let path = said(&python(&venv), "import sys; print(*sys.path)");
        let elsewhere = path.split(' ').filter(|one| one.contains("-packages"));
        let elsewhere: Vec<&str> = elsewhere
            .filter(|one| !one.starts_with(venv.to_str().unwrap()))
            .collect();
        assert!(elsewhere.is_empty(), "{path}");
        fs::write(Path::new(&own).join("only_here.py"), "VALUE = 7\n").unwrap();
        assert_eq!(
            said(&python(&venv), "import only_here; print(only_here.VALUE)"),
            "7"
        );
    }
}
