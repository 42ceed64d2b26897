#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Builds Topaz, boots it in QEMU and says whether the run was right.
#
# Where the host can really pass Intel PT through KVM that is the machine, else
# the PT hardware model of tests/ptmodel in QEMU's emulator, and then the
# result is also held against the model's own truth.
#
# For the tests: TOPAZ_PROBE_ROOT is another / for the KVM probe, TOPAZ_LOADER
# another BOOTX64.EFI, TOPAZ_MODEL_OPTIONS more options of the model.
set -eu

usage() {
	cat <<'U'
usage: ./run-qemu.sh [OPTIONS]
  --smp N          CPUs (2)
  --mem SIZE       memory, as QEMU takes it (1G)
  --rc FILE        \topaz.rc of the boot volume (default: built in, runs all)
  --payload FILE   run this static ELF64 instead, as \topaz\payload.elf
  --profile NAME   processor that the model plays; none: no Intel PT at all
  --kvm            insist on KVM passthrough
  --console        connect the serial line to this terminal, unfiltered
  --gdb            wait for gdb on port 1234
  --serial FILE    keep the serial log there
  --truth DIR      keep the model's truth, trace and code files there
  --icount         one CPU, deterministic
  --timeout S      give up after S seconds (120)
  --qemu PATH      use this QEMU
  --no-install     install nothing: list missing packages, status 2
  --help           this text
status: 0 right, 1 the kernel or the set-up reported a failure, 2 usage or
        missing packages, 3 hang (timeout)
U
}

say() { echo "topaz: $*"; }
die() { say "$*" >&2; exit 1; }
bad_usage() { echo "run-qemu.sh: $* (see --help)" >&2; exit 2; }

top=$(cd "$(dirname "$0")" && pwd)
build=${O:-$top/build}
smp=2 mem=1G rc= payload= profile=skylake kvm=0 console=0 gdb=0 serial=
truth= icount=0 limit=120 qemu= install=1

while [ $# -gt 0 ]; do
	case $1 in
	--smp|--mem|--rc|--payload|--profile|--serial|--truth|--timeout|--qemu)
		[ $# -ge 2 ] || bad_usage "$1 needs a value" ;;
	esac
	case $1 in
	--smp) smp=$2; shift ;;
	--mem) mem=$2; shift ;;
	--rc) rc=$2; shift ;;
	--payload) payload=$2; shift ;;
	--profile) profile=$2; shift ;;
	--serial) serial=$2; shift ;;
	--truth) truth=$2; shift ;;
	--timeout) limit=$2; shift ;;
	--qemu) qemu=$2; shift ;;
	--kvm) kvm=1 ;;
	--console) console=1 ;;
	--gdb) gdb=1 ;;
	--icount) icount=1 ;;
	--no-install) install=0 ;;
	--help|-h) usage; exit 0 ;;
	*) bad_usage "unknown option $1" ;;
	esac
	shift
done
for n in "$smp" "$limit"; do
	case $n in
	''|*[!0-9]*|0) bad_usage "not a positive number: $n" ;;
	esac
done
[ $icount = 0 ] || smp=1
for file in "$rc" "$payload"; do
	[ -z "$file" ] || [ -r "$file" ] || die "$file cannot be read"
done

# ---- packages ----
packages="gcc binutils make nasm gnu-efi ovmf mtools zlib1g-dev libc6-dev
	linux-libc-dev"
set_up() {
	# shellcheck disable=SC2086 # a list of words
	if [ $install = 1 ]; then
		"$top/tools/install-packages" $packages
	else
		"$top/tools/install-packages" --list-only $packages
	fi
}

# ---- which machine ----
kvm_qemu=${qemu:-$(command -v qemu-system-x86_64 || :)}
probe() { "$top/tools/probe-kvm" --root "${TOPAZ_PROBE_ROOT-}" "$@"; }
if reason=$(probe); then
	if [ -z "$kvm_qemu" ]; then
		packages="$packages qemu-system-x86"
		set_up >&2
		kvm_qemu=$(command -v qemu-system-x86_64)
	fi
	if reason=$(probe --qemu "$kvm_qemu"); then
		machine=kvm
	else
		machine=model
	fi
else
	machine=model
fi
if [ $kvm = 1 ] && [ $machine != kvm ]; then
	die "machine: KVM passthrough was asked for, but $reason"
fi
if [ $machine = kvm ]; then
	say "machine: KVM with Intel PT passthrough ($reason)"
elif [ "$profile" = none ]; then
	say "machine: QEMU's emulator without Intel PT (--profile none)"
else
	say "machine: the PT hardware model, profile $profile, in QEMU's emulator" \
		"(no KVM passthrough: $reason)"
fi

set_up || exit $?

# ---- build ----
mkdir -p "$build"
if ! make -s -C "$top" O="$build" run-files > "$build/make.log" 2>&1; then
	tail -n 20 "$build/make.log" >&2
	die "the build failed; all of it is in $build/make.log"
fi

if [ $machine = kvm ]; then
	qemu=$kvm_qemu
elif [ "$profile" = none ] && [ -n "$qemu" ]; then
	:
elif [ -n "$qemu" ]; then
	"$top/tests/ptmodel/probe-abi" "$qemu" "$build/ptmodel.so" || exit 1
else
	qemu=$(command -v qemu-system-x86_64 || :)
	if [ -z "$qemu" ] || ! "$top/tests/ptmodel/probe-abi" "$qemu" \
			"$build/ptmodel.so" > /dev/null 2>&1; then
		qemu=$build/qemu/qemu-system-x86_64
		[ -x "$qemu" ] ||
			say "fetching a QEMU with TCG plugin ABI 7 into $build/qemu"
		"$top/tests/ptmodel/get-qemu" "$build/qemu" >&2 || exit 1
	fi
fi
[ -x "$qemu" ] || die "$qemu is not a program"

# ---- firmware ----
firmware=
for file in /usr/share/OVMF/OVMF_CODE_4M.fd /usr/share/OVMF/OVMF_CODE.fd \
		/usr/share/edk2/x64/OVMF_CODE.4m.fd; do
	[ -r "$file" ] && firmware=$file && break
done
[ -n "$firmware" ] || die "no OVMF firmware found (package ovmf)"

# ---- boot volume ----
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -n "$truth" ] || truth=$work/truth
mkdir -p "$truth" || die "$truth cannot be made"
rm -f "$truth"/cpu*.edges "$truth"/cpu*.pt "$truth"/cpu*.insns \
	"$truth"/cpu*.truth \
	"$truth/code.img"
if [ -n "$payload" ] && [ -z "$rc" ]; then
	rc=$work/topaz.rc
	printf 'run payload.elf\nselftest\ndump\n' > "$rc"
fi
set -- --file "payload.elf=${payload:-$build/payload.elf}" \
	--file "input.txt=$build/input.txt"
[ -z "$rc" ] || set -- "$@" --rc "$rc"
loader=${TOPAZ_LOADER:-$build/BOOTX64.EFI}
"$top/boot/mkimage.sh" "$work/esp.img" "$loader" "$@" > \
	"$work/mkimage.log" 2>&1 || {
	cat "$work/mkimage.log" >&2
	die "the boot volume could not be made"
}
# What is machine readable goes to the second port, and nothing else does.
echo dump=com2 > "$work/cmdline"
mcopy -i "$work/esp.img" "$work/cmdline" ::/topaz.cmdline

# ---- run ----
set -- -nodefaults -no-reboot -display none -monitor none -machine q35 \
	-smp "$smp" -m "$mem" \
	-drive "if=pflash,unit=0,format=raw,readonly=on,file=$firmware" \
	-drive "if=none,id=esp,format=raw,snapshot=on,file=$work/esp.img" \
	-device virtio-blk-pci,drive=esp,bootindex=0 \
	-device isa-debug-exit,iobase=0xf4,iosize=0x04
if [ $machine = kvm ]; then
	set -- "$@" -accel kvm -cpu host,+intel-pt,enforce
else
	set -- "$@" -cpu max,vendor=GenuineIntel
	if [ $icount = 1 ]; then
		set -- "$@" -accel tcg -icount shift=2,sleep=off -seed 1 \
			-rtc base=2020-01-01,clock=vm
	else
		set -- "$@" -accel tcg,thread=multi
	fi
	if [ "$profile" != none ]; then
		plugin=$build/ptmodel.so,profile=$profile,truth=$truth
		plugin=$plugin,trace=$truth
		plugin=$plugin${TOPAZ_MODEL_OPTIONS:+,$TOPAZ_MODEL_OPTIONS}
		set -- "$@" -plugin "$plugin"
	fi
fi
[ $gdb = 0 ] || set -- "$@" -s -S
log=${serial:-$work/serial.log}
: > "$log" || die "$log cannot be written"
dump=$truth/dump.txt
if [ $console = 1 ]; then
	set -- "$@" -chardev "stdio,id=com1,mux=off,signal=off,logfile=$log"
else
	set -- "$@" -chardev "file,id=com1,path=$log"
fi
set -- "$@" -serial chardev:com1 -serial "file:$dump"

# The firmware talks ANSI on the same line; what is shown begins at ours.
show() {
	tail -n +1 -s 0.2 --pid="$1" -f "$log" 2>/dev/null |
		sed -u -e 's/\x1b\[[0-9;?=]*[A-Za-z]//g' -e 's/\r//g' |
		sed -u -n '/topaz/,$p'
}

if [ $console = 1 ]; then
	timeout --foreground -k 5 "$limit" "$qemu" "$@" && status=0 || status=$?
else
	timeout -k 5 "$limit" "$qemu" "$@" 2> "$work/qemu.err" < /dev/null &
	pid=$!
	trap 'kill $pid 2>/dev/null || :; rm -rf "$work"' EXIT
	trap 'exit 130' INT TERM
	show $pid
	wait $pid && status=0 || status=$?
fi

case $status in
33) ;;
35) say "FAIL: the kernel reported a failure"; exit 1 ;;
124|137) say "FAIL: hang: no end after $limit s"; exit 3 ;;
0) say "FAIL: the machine was reset before the run ended"; exit 1 ;;
*)	cat "$work/qemu.err" >&2 2>/dev/null || :
	say "FAIL: QEMU ended with status $status"
	exit 1 ;;
esac
if [ $machine = model ] && [ "$profile" != none ]; then
	"$top/tools/check-truth" "$dump" "$truth" | sed 's/^/topaz: /' \
		> "$work/verdict" || :
	cat "$work/verdict"
	grep -q ': all equal the model' "$work/verdict" ||
		{ say "FAIL: the result is not the model's truth"; exit 1; }
fi
say "PASS: the run was right"
