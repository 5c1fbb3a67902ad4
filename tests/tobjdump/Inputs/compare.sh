# compare.sh GNU-OBJDUMP TOBJDUMP PYTHON FILE: the two say the same of the file, whatever is asked.
set -e
here=$(dirname "$0")
for options in "-d" "-dr" "-d -M no-aliases" "-d -M numeric" "-d -M no-aliases,numeric" "-h" "-t" "-r" "-s" "-f" "-x" \
    "-d -j .text" "-s -j .text -j .data"; do
    $1 $options "$4" | $3 "$here/normalize.py" > "$4.gnu"
    $2 $options "$4" > "$4.ours"
    echo "$options: $(wc -l < "$4.ours") lines"
    diff -u "$4.gnu" "$4.ours"
done
