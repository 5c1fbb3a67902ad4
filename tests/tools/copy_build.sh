#!/bin/sh
# copy_build.sh FROM TO: copies a build directory without its tests, unless TO is there, so that `make BUILD=TO` compiles only what an extension
# changes. Nothing is copied from a build with sanitizers, since that of TO has none.
set -e
case $1 in */sanitize) exit 0 ;; esac
test ! -e "$2/gen" || exit 0
# TO appears when it is complete.
rm -rf "$2.part" && mkdir -p "$2.part"
tar -C "$1" --exclude=./tests --exclude=./bench --exclude=./sanitize --exclude=./aarch64 --exclude=./deb --exclude=./soak --format=posix -cf - . | tar -C "$2.part" -xf -
# The dependencies name the build directory as make was told it.
name=$(sed -n '1s|lib/text\.o:.*||p' "$2.part/lib/text.d")
find "$2.part" -name '*.d' -exec sed -i "s,\\(^\\| \\)$name,\\1$2/,g" {} +
mv -T "$2.part" "$2"
