# Makes a virtual environment where the system's own Python is not to be written to.
. /opt/reprise/common.sh
need python3
python3 -m venv --system-site-packages $home/venv || stop 'python3 cannot make a virtual environment'
