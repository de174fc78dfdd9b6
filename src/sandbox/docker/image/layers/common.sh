# What every layer's script starts with. Nothing here takes a string of the
# agent's: declared packages are read from data files, line by line.
#
# The operator's settings arrive in ftp_proxy and FTP_PROXY, the two predefined
# build arguments that nothing uses: the builder keeps those out of the image's
# history and of its cache key. They are unpacked into memory for one RUN.
set -eu
umask 022
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
home=/opt/reprise
record=$home/record
private=/dev/shm/reprise
rm -rf "$private"
mkdir -p "$record/failures" "$private"
trap 'rm -rf "$private"' EXIT

carried=${ftp_proxy:-}
authorities=${FTP_PROXY:-}
unset ftp_proxy FTP_PROXY
(umask 077 && printf %s "$carried" | base64 -d > "$private/settings")
while IFS= read -r line; do
    name=${line%%=*}
    case $name in
    PIP_INDEX_URL | PIP_EXTRA_INDEX_URL | PIP_TRUSTED_HOST | REPRISE_CRAN | REPRISE_CRAN_SNAPSHOT | REPRISE_DEBIAN_MIRROR)
        export "$name=${line#*=}"
        ;;
    esac
done < "$private/settings"
rm "$private/settings"

export APT_CONFIG=$private/apt.conf
cat > "$APT_CONFIG" << 'END'
APT::Install-Recommends "false";
APT::Update::Error-Mode "any";
Acquire::Languages "none";
Acquire::Retries "2";
DPkg::Use-Pty "0";
END
if [ -n "$authorities" ]; then
    printf %s "$authorities" | base64 -d | gzip -dc > "$private/own.pem"
    cat /etc/ssl/certs/ca-certificates.crt "$private/own.pem" > "$private/ca.pem" 2> /dev/null ||
        cp "$private/own.pem" "$private/ca.pem"
    export SSL_CERT_FILE="$private/ca.pem" REQUESTS_CA_BUNDLE="$private/ca.pem" PIP_CERT="$private/ca.pem" CURL_CA_BUNDLE="$private/ca.pem"
    echo "Acquire::https::CaInfo \"$private/ca.pem\";" >> "$APT_CONFIG"
fi

# Reads the package index once.
update() {
    [ -e "$private/updated" ] && return
    if [ -n "${REPRISE_DEBIAN_MIRROR:-}" ]; then
        . /etc/os-release
        parts=main
        [ "${ID:-}" = ubuntu ] && parts='main universe'
        echo "deb $REPRISE_DEBIAN_MIRROR $VERSION_CODENAME $parts" > "$private/sources.list"
        cat >> "$APT_CONFIG" << END
Dir::Etc::SourceList "$private/sources.list";
Dir::Etc::SourceParts "$private/none";
END
    fi
    apt-get -q update || stop 'the Debian package index cannot be read'
    touch "$private/updated"
}

# Installs the Debian packages that a file lists, one a line.
install() {
    xargs -r -a "$1" apt-get -q install -y --no-install-recommends --
}

# Leaves nothing that grows, dates the image or names a mirror.
clean() {
    rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb /var/cache/apt/*.bin
    rm -rf /var/log/apt /var/log/dpkg.log /var/log/alternatives.log /var/lib/dpkg/*-old
}

# Ends the build: the fault is not one package's.
stop() {
    echo "@reprise stop $1"
    exit 75
}

# Notes a package that failed; the build goes on, so that all of them are found.
# Arguments: kind, name, and a file with the lines that matter.
fail() {
    count=$(ls "$record/failures" | wc -l)
    {
        printf '%s\t%s\n' "$1" "$2"
        tail -n 60 "$3"
    } > "$(printf '%s/failures/%04d' "$record" "$count")"
}

failed() {
    [ -n "$(ls "$record/failures")" ]
}

# Ends a layer that lacks its program because an earlier layer failed.
need() {
    command -v "$1" > /dev/null && return
    failed && exit 0
    stop "$1 is not there"
}
