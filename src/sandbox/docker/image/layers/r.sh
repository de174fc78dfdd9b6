# Installs the R packages that r.txt lists, each from the first of: what the base
# image has, a Debian package, a dated CRAN snapshot, CRAN, its archive.
. /opt/reprise/common.sh
need Rscript
rscript() {
    Rscript --no-environ --no-init-file $home/r.R "$1" "$home" "$private" || stop "R cannot $1 packages"
}
rscript find
[ -s "$private/todo" ] || exit 0
update
: > "$private/offered"
# Packages of the distribution fit only the distribution's own R.
if dpkg-query -W -f='${Status}\n' r-base-core 2> /dev/null | grep -q 'ok installed'; then
    apt-cache pkgnames r-cran- | xargs -r apt-cache madison > "$private/offered"
fi
rscript choose
if ! failed; then
    install "$private/debs" || stop 'the Debian packages of R packages cannot be installed'
    # A copy of what is said goes to a file, where the reason of a failure is looked for.
    mkfifo "$private/pipe"
    tee "$private/said" < "$private/pipe" &
    rscript install > "$private/pipe" 2>&1
    wait
fi
rm -rf /tmp/reprise-archive
clean
