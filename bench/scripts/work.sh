# A shell's own work, without other processes: arithmetic, functions, patterns, and strings.
collatz() {
    n=$1 steps=0
    while [ "$n" -ne 1 ]; do
        case $n in
        *[02468]) n=$((n / 2)) ;;
        *) n=$((3 * n + 1)) ;;
        esac
        steps=$((steps + 1))
    done
}
i=1 total=0 text=
while [ $i -le 150 ]; do
    collatz $i
    total=$((total + steps))
    text=${text#???????????}$i,$steps
    i=$((i + 1))
done
IFS=,
for word in $text; do total=$((total + ${#word})); done
echo "$total $text"
