# What `make demo` shows: a kernel from source to trace. The tools are on PATH, BUILD is the build directory.
set -eu
run() {
    echo "\$ $*"
    "$@"
    echo
}
run tasm -o "$BUILD/first.o" docs/first.s
run tld -o "$BUILD/first" "$BUILD/first.o"
run tobjdump -d "$BUILD/first"
run temu --print 'product:f32[2][2]' "$BUILD/first"
run temu --trace "$BUILD/first"
echo "The README goes on from here; docs/tutorial.md takes you through your own kernel."
