# Tells every failure, or writes down what the image has.
. /opt/reprise/common.sh
if failed; then
    for file in "$record"/failures/*; do
        echo '@reprise failure'
        cat "$file"
        echo '@reprise end'
    done
    exit 1
fi
: > "$record/facts"
if [ -e $home/requirements.txt ]; then
    python -I $home/facts.py >> "$record/facts"
    if [ -e "$record/installer" ]; then
        printf 'installed by\t%s\n' "$(head -n 1 "$record/installer")" >> "$record/facts"
    fi
fi
if [ -e $home/r.txt ]; then
    Rscript --no-environ --no-init-file $home/facts.R $home >> "$record/facts" 
fi
rm -rf $home/*.sh $home/*.py $home/*.R
