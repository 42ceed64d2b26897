# SPDX-License-Identifier: MIT
#
# Sourced by the boot tests: TAP lines, a scratch folder, the build folder.
# shellcheck shell=sh

top=$(cd "$(dirname "$0")/../.." && pwd)
build=${O:-$top/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tap_nr=0
tap_bad=0

ok() {
	tap_nr=$((tap_nr + 1))
	echo "ok $tap_nr - $*"
}

not_ok() {
	tap_nr=$((tap_nr + 1))
	tap_bad=1
	echo "not ok $tap_nr - $*"
}

# skip NAME REASON
skip() {
	tap_nr=$((tap_nr + 1))
	echo "ok $tap_nr - $1 # SKIP $2"
}

# check NAME COMMAND...: the command's status decides; its output is shown
# when it fails.
check() {
	tap_name=$1
	shift
	if "$@" > "$work/check.out" 2>&1; then
		ok "$tap_name"
	else
		not_ok "$tap_name"
		sed 's/^/# /' "$work/check.out" | tail -n 30
	fi
}

tap_done() {
	echo "1..$tap_nr"
	exit $tap_bad
}

# Runs run-qemu.sh; output in $work/out, the serial log in $work/serial, the
# status in $status.
boot() {
	status=0
	O=$build "$top/run-qemu.sh" --serial "$work/serial" "$@" \
		> "$work/out" 2>&1 < /dev/null || status=$?
}

# says FILE PATTERN: a fixed string is in the file.
says() { grep -qF -- "$2" "$1"; }

# expect NAME STATUS TEXT: the last boot ended so and said so.
expect() {
	if [ "$status" = "$2" ] && says "$work/out" "$3"; then
		ok "$1"
	else
		not_ok "$1"
		echo "# status $status, expected $2; looked for: $3"
		tail -n 20 "$work/out" | sed 's/^/# /'
	fi
}
