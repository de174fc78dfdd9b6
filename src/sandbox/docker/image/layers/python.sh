# Installs the Python requirements; with compilers only when one must be compiled
# and nothing here can.
. /opt/reprise/common.sh
need python
status=0
python -I $home/python.py $home || status=$?
if [ $status = 9 ]; then
    update
    printf '%s\n' gcc g++ gfortran make libc6-dev > "$private/compilers"
    [ ! -e /usr/bin/python3 ] || echo python3-dev >> "$private/compilers"
    install "$private/compilers" || stop 'the compilers cannot be installed'
    clean
    status=0
    python -I $home/python.py $home compilers || status=$?
fi
rm -rf /root/.cache /tmp/reprise-uv
[ $status = 0 ] || stop 'pip was ended from outside'
