#!/bin/sh
# build_once.sh RUN FROM TO COMMAND…: copies the build directory FROM to TO (copy_build.sh) and completes the copy by COMMAND, once in a run of the
# tests: sources do not change during a run, and make takes a second to find that there is nothing to do.
set -e
run=$1 from=$2 to=$3
shift 3
test "$(cat "$to.run" 2>/dev/null)" != "$run" || exit 0
"$(dirname "$0")/copy_build.sh" "$from" "$to"
"$@"
echo "$run" >"$to.run"
