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
expect() { expect_in "$@" "$work/out"; }

# expect_in NAME STATUS TEXT FILE...: $status is so, and the first file says so;
# else the ends of all are shown.
expect_in() {
	tap_what=$1 tap_status=$2 tap_text=$3
	shift 3
	if [ "$status" = "$tap_status" ] && says "$1" "$tap_text"; then
		ok "$tap_what"
		return
	fi
	not_ok "$tap_what"
	echo "# status $status, expected $tap_status; looked for: $tap_text"
	tail -n 20 "$@" | tr -cd '\n\t -~' | sed 's/^/# /'
}
