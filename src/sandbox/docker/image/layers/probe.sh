# Tells what a base image has, a name and a value a line.
[ -r /etc/os-release ] && . /etc/os-release
echo "distribution=${ID:-}"
echo "release=${VERSION_CODENAME:-}"
command -v apt-get > /dev/null && echo apt=yes
version='import platform; print(platform.python_version())'
if command -v python3 > /dev/null; then
    echo "python=$(python3 -I -c "$version")"
    python3 -I -c 'import venv, ensurepip' 2> /dev/null && echo venv=yes
elif command -v python > /dev/null; then
    # One of Python 2, which knows no -I.
    echo "python=$(python -E -s -c "$version")"
fi
# Whether packages may be installed right into it: not where the system manages it.
direct='import os, sys, sysconfig, pip
managed = os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
print("direct=yes" if sys.prefix != sys.base_prefix or not os.path.exists(managed) else "")'
if command -v python > /dev/null && [ "$(python -I -c "$version")" = "$(python3 -I -c "$version")" ]; then
    python -I -c "$direct" 2> /dev/null
fi
command -v Rscript > /dev/null && Rscript --vanilla -e 'cat("r=", as.character(getRversion()), "\n", sep = "")'
echo end=yes
