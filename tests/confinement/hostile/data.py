data = workspace + "/replication_data/a.csv"
paper = workspace + "/paper.txt"

attempt("study data", "append to the data")(lambda: write(data))
attempt("study data", "append to the paper")(lambda: write(paper))
attempt("study data", "add a file to the workspace")(lambda: write(workspace + "/new"))
attempt("study data", "add a file to the data")(lambda: write(workspace + "/replication_data/new.csv"))
attempt("study data", "truncate the data")(lambda: os.truncate(data, 0))
attempt("study data", "remove the data")(lambda: os.remove(data))
attempt("study data", "rename the data")(lambda: os.rename(data, "stolen.csv"))
attempt("study data", "replace the data")(lambda: os.replace("result.txt", data))
attempt("study data", "rename the data's folder")(
    lambda: os.rename(workspace + "/replication_data", workspace + "/moved"))
attempt("study data", "put a link in the work folder's place")(
    lambda: (os.rename(workspace + "/work", workspace + "/gone"), os.symlink("/etc", workspace + "/work")) and None)


@attempt("study data", "empty the data while opening to read")
def _():
    os.close(os.open(data, os.O_RDONLY | os.O_TRUNC))


@attempt("study data", "reopen a read-only descriptor to write")
def _():
    descriptor = os.open(data, os.O_RDONLY)
    os.write(os.open(f"/proc/self/fd/{descriptor}", os.O_RDWR), b"x")


@attempt("study data", "write the data through a link")
def _():
    os.symlink(data, "link-to-data")
    write("link-to-data")


@attempt("study data", "write the data through a hard link")
def _():
    os.link(data, "hard-data")
    write("hard-data")


@attempt("study data", "write a host file through a link")
def _():
    os.symlink(outside + "/canary", "link-out")
    write("link-out")


@attempt("study data", "take a hard link of a host file")
def _():
    os.link("/etc/passwd", "hard-passwd")


@attempt("study data", "take a hard link of another run's file")
def _():
    os.link(outside + "/other-run/workspace/work/secret", "hard-secret")


def mode(path):
    before = os.stat(path)
    os.chmod(path, 0o4777)
    os.utime(path, (1, 1))
    after = os.stat(path)
    if (before.st_mode, before.st_mtime) == (after.st_mode, after.st_mtime):
        refuse("pretended")


for name, path in [("the paper", paper), ("the data", data), ("the canary", outside + "/canary"), ("a program", "/usr/bin/env")]:
    attempt("study data", "change mode and time of " + name)(lambda path=path: mode(path))


@attempt("study data", "set an attribute on the data")
def _():
    os.setxattr(data, "user.note", b"x")
