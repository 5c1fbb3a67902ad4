# compare.sh GNU-OBJDUMP TOBJDUMP FILE: the two say the same of the file, whatever is asked.
set -e
for options in "-d" "-dr" "-d -M no-aliases" "-d -M numeric" "-d -M no-aliases,numeric" "-h" "-t" "-r" "-s" "-f" "-x" \
    "-d -j .text" "-s -j .text -j .data"; do
    $1 $options "$3" > "$3.gnu"
    $2 $options "$3" > "$3.ours"
    echo "$options: $(wc -l < "$3.ours") lines"
    diff -u "$3.gnu" "$3.ours"
done
