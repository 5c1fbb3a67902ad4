# compare.sh GNU-OBJDUMP TOBJDUMP FILE [OPTIONS…]: both print the same of the file, with these options, or with all.
set -e
gnu=$1 ours=$2 file=$3
shift 3
test $# -gt 0 || set -- "-d" "-dr" "-d -M no-aliases" "-d -M numeric" "-d -M no-aliases,numeric" "-h" "-t" "-r" "-s" "-f" "-x" "-d -j .text" "-s -j .text -j .data"
for options; do
    $gnu $options "$file" > "$file.gnu"
    $ours $options "$file" > "$file.ours"
    echo "$options: $(wc -l < "$file.ours") lines"
    diff -u "$file.gnu" "$file.ours"
done
