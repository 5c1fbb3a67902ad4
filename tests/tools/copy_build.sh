#!/bin/sh
# copy_build.sh FROM TO: copies a build directory without its tests, so that `make BUILD=TO` compiles only what an extension changes. Nothing is
# copied from a build with sanitizers, since that of TO has none.
set -e
case $1 in */sanitize) exit 0 ;; esac
mkdir -p "$2"
tar -C "$1" --exclude=./tests --exclude=./bench --exclude=./sanitize --exclude=./aarch64 --exclude=./deb --format=posix -cf - . | tar -C "$2" -xf -
# The dependencies name the build directory as make was told it.
name=$(sed -n '1s|lib/text\.o:.*||p' "$2/lib/text.d")
find "$2" -name '*.d' -exec sed -i "s,\\(^\\| \\)$name,\\1$2/,g" {} +
