# Installs the Debian packages that system.txt lists.
. /opt/reprise/common.sh
list=$home/system.txt
update
apt-cache pkgnames | sort > "$private/known"
sort -u "$list" > "$private/wanted"
comm -13 "$private/known" "$private/wanted" > "$private/unknown"
echo 'unknown name' > "$private/why"
while IFS= read -r name; do
    fail system "$name" "$private/why"
done < "$private/unknown"
if ! failed && ! install "$list"; then
    while IFS= read -r name; do
        apt-get -q install -s --no-install-recommends -- "$name" > "$private/why" 2>&1 ||
            fail system "$name" "$private/why"
    done < "$list"
    failed || stop 'the Debian packages cannot be installed together'
fi
clean
