# Installs the Debian packages that system.txt lists: all of them, or as many as
# there are, so that the layers above can be tried too.
. /opt/reprise/common.sh
update
apt-cache pkgnames | sort > "$private/known"
sort -u $home/system.txt > "$private/wanted"
comm -13 "$private/known" "$private/wanted" > "$private/unknown"
comm -12 "$private/known" "$private/wanted" > "$private/there"
echo 'unknown name' > "$private/why"
while IFS= read -r name; do
    fail system "$name" "$private/why"
done < "$private/unknown"
if ! install "$private/there"; then
    while IFS= read -r name; do
        apt-get -q install -s --no-install-recommends -- "$name" > "$private/why" 2>&1 ||
            fail system "$name" "$private/why"
    done < "$private/there"
    failed || stop 'the Debian packages cannot be installed together'
fi
clean
