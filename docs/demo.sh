# `make demo` runs this script, which shows a kernel from source to trace. The tools are on PATH, and BUILD is the build directory.
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
echo "README.md continues from here; docs/tutorial.md leads through a kernel of your own."
