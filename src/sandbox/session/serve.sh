# Serves one shell, which lives from command to command. Arguments: the folder of the
# exchange, the shell's own script, and a mark of this session.
reprise_folder=$(cd "$1" && pwd) || exit 70
reprise_shell=$2
reprise_mark=$3
umask 022
[ -z "$REPRISE_PATH" ] || PATH=$REPRISE_PATH:$PATH
unset REPRISE_PATH
rm -f "$reprise_folder/ask" "$reprise_folder/control"
mkfifo -m 600 "$reprise_folder/ask" "$reprise_folder/control" || exit 70

# The processes below the shell, but for those that it left in the background.
reprise_foreground() {
    local shell background parents grown process parent line found
    read -r shell <"$reprise_folder/shell" || return
    background=" $(cat "$reprise_folder/background" 2>/dev/null | tr '\n' ' ') "
    found=" $shell "
    grown=yes
    while [ -n "$grown" ]; do
        grown=
        for process in /proc/[0-9]*; do
            process=${process#/proc/}
            case "$found$background" in *" $process "*) continue ;; esac
            parent=
            while read -r line parents; do
                [ "$line" = PPid: ] && parent=$parents && break
            done 2>/dev/null <"/proc/$process/status"
            case "$found" in *" $parent "*) [ -n "$parent" ] && found="$found$process " && grown=yes ;; esac
        done
    done
    for process in $found; do [ "$process" = "$shell" ] || echo "$process"; done
}

(
    trap '' INT
    exec 4<>"$reprise_folder/control"
    while read -r reprise_word <&4; do
        read -r reprise_pid <"$reprise_folder/shell" || continue
        case $reprise_word in
        # What is in the background ignores it, as shells without a terminal have it.
        interrupt) kill -INT -- "-$reprise_pid" 2>/dev/null ;;
        kill)
            for reprise_process in $(reprise_foreground); do kill -KILL "$reprise_process" 2>/dev/null; done
            kill -INT "$reprise_pid" 2>/dev/null
            ;;
        end) kill -KILL -- "-$reprise_pid" 2>/dev/null ;;
        esac
    done
) &

# Held here as well, so that a command may be given while one shell follows another.
exec 3<>"$reprise_folder/ask"
# Each shell leads a process group of its own.
set -m
# A process in whose place SIGINT is ignored cannot listen to it again by itself.
reprise_listening=
if env --default-signal=INT true 2>/dev/null; then reprise_listening="env --default-signal=INT"; fi
reprise_number=0
while :; do
    $reprise_listening bash --noprofile --norc -c "$reprise_shell" bash "$reprise_folder" "$reprise_mark"
    reprise_code=$?
    # Whatever ended the shell ended its command.
    if read -r reprise_number <"$reprise_folder/running"; then
        rm -f "$reprise_folder/running"
        printf 'gone %s\n' "$reprise_code" >"$reprise_folder/$reprise_number.part"
        mv -f "$reprise_folder/$reprise_number.part" "$reprise_folder/$reprise_number.end"
    else
        # A shell that does not even start would be started for ever.
        sleep 1
    fi
done 2>/dev/null
