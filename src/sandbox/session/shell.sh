# The shell: reads the number of a command, and does what the file of that number says in
# itself, so that variables, the directory and background processes outlast it.
__reprise_folder=$1
printf '%s\n' "$$" >"$__reprise_folder/shell"
trap 'return 130' INT
printf '%s\n' "$2" >"$__reprise_folder/ready.part"
mv -f "$__reprise_folder/ready.part" "$__reprise_folder/ready"
set --
while read -r __reprise_number <&3; do
    jobs -p >"$__reprise_folder/background"
    printf '%s\n' "$__reprise_number" >"$__reprise_folder/running"
    . "$__reprise_folder/$__reprise_number.sh" </dev/null >"$__reprise_folder/$__reprise_number.out" 2>&1 3<&-
    printf 'ended %s\n' "$?" >"$__reprise_folder/$__reprise_number.part"
    trap 'return 130' INT
    rm -f "$__reprise_folder/running"
    mv -f "$__reprise_folder/$__reprise_number.part" "$__reprise_folder/$__reprise_number.end"
done
