# compare.sh GNU-OBJDUMP TOBJDUMP FILE: both print the same of the file, with every option.
set -e
for options in "-d" "-dr" "-d -M no-aliases" "-d -M numeric" "-d -M no-aliases,numeric" "-h" "-t" "-r" "-s" "-f" "-x" \
    "-d -j .text" "-s -j .text -j .data"; do
    $1 $options "$3" > "$3.gnu"
    $2 $options "$3" > "$3.ours"
    echo "$options: $(wc -l < "$3.ours") lines"
    diff -u "$3.gnu" "$3.ours"
done
