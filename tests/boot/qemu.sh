# SPDX-License-Identifier: MIT
#
# Sourced by boot tests, after tap.sh: machines of any kind, without the PT
# hardware model.
#
#   vm NAME [OPTION VALUE]... [-- QEMU ARGUMENT...]
#     --machine M   q35 (default), pc, with ",property=value" as QEMU takes it
#     --cpu C       max
#     --accel A     tcg,thread=multi
#     --smp N       1; "N,sockets=..." too
#     --mem SIZE    256M
#     --drive KIND  virtio (default), ahci, ide (machine pc), nvme, usb, scsi,
#                   cd, vvfat (a folder), none
#     --rc FILE     \topaz.rc of the volume ($vm_rc, else none)
#     --cmdline O   boot options, words without a blank in them
#     --exit no     no isa-debug-exit: the end of a real machine
#     --file N=FILE \topaz\N of the volume; may be repeated
#     --loader FILE instead of $vm_loader
#     --image FILE  what the drive holds; without: made from the above
#     --firmware F  OVMF code volume ($vm_firmware)
#     --vars F      OVMF variables; without: none are kept
#     --serial S    file (default: the log), none, or what QEMU takes
#     --qemu Q      host, fetched, or a path ($VM_QEMU, else the fetched one)
#     --until TEXT  end the machine when the serial line has said so
#     --timeout S   60
#
# Afterwards $status: 35: the kernel ended with a failure, 33: right, 124: hang,
# 0: reset or power off, 143: said the text of --until; $log: what came by the
# serial line, without the firmware's escape sequences. An image is not written
# to.
#
#   vm_normal NAME   the last vm reached the kernel's normal result
#   vm_alone NAME    the same without a volume, so with the built-in rc file
#   vm_expect NAME STATUS TEXT
#
# Side by side, as many as there are CPUs (VM_JOBS):
#   vm_start NAME ... as vm, in the background; waits for a free place
#   vm_wait           until all have ended
#   vm_use NAME       what vm_normal and vm_expect look at
# shellcheck shell=sh
# shellcheck disable=SC2154 # $top, $build and $work are tap.sh's

# What a machine without Intel PT says at the end of a run with $vm_rc, and at
# the end of one with the rc file that is built in.
vm_rc=$top/tests/boot/machine.rc
vm_normal_status=33
vm_normal_text="topaz: PASS"
vm_alone_status=35
vm_alone_text="CPUID reports no Intel PT"

# The smaller volume starts a fifth faster. No variables: nothing is kept.
vm_firmware=
for file in /usr/share/OVMF/OVMF_CODE.fd /usr/share/OVMF/OVMF_CODE_4M.fd \
		/usr/share/edk2/x64/OVMF_CODE.4m.fd; do
	[ -n "$vm_firmware" ] || [ ! -r "$file" ] || vm_firmware=$file
done
vm_loader=${TOPAZ_LOADER:-$build/BOOTX64.EFI}
vm_jobs=${VM_JOBS:-$(nproc)}
vm_running=0

# vm_qemu KIND: the program, or nothing.
vm_qemu() {
	case ${1:-${VM_QEMU:-any}} in
	host) command -v qemu-system-x86_64 || : ;;
	fetched) [ ! -x "$build/qemu/qemu-system-x86_64" ] ||
			echo "$build/qemu/qemu-system-x86_64" ;;
	any)	if [ -x "$build/qemu/qemu-system-x86_64" ]; then
			vm_qemu fetched
		else
			vm_qemu host
		fi ;;
	*) echo "$1" ;;
	esac
}

# vm_missing [KIND]: why there can be no machine; nothing: there can.
vm_missing() {
	if [ -z "$(vm_qemu "${1-}")" ]; then
		echo "no QEMU (${1:-${VM_QEMU:-any}})"
	elif [ -z "$vm_firmware" ]; then
		echo "no OVMF firmware"
	fi
}

# vm_has DEVICE [KIND]: this QEMU knows the device.
vm_has() {
	"$(vm_qemu "${2-}")" -device "$1,help" > /dev/null 2>&1
}

# Arguments of a drive of KIND, words without blanks.
vm_drive() {
	case $1 in
	virtio|vvfat)
		echo "-device virtio-blk-pci,drive=boot,bootindex=0" ;;
	ahci)	echo "-device ich9-ahci,id=vmahci" \
			"-device ide-hd,bus=vmahci.0,drive=boot,bootindex=0" ;;
	ide)	echo "-device ide-hd,drive=boot,bootindex=0" ;;
	nvme)	echo "-device nvme,serial=topaz,drive=boot,bootindex=0" ;;
	usb)	echo "-device qemu-xhci,id=vmusb" \
			"-device usb-storage,bus=vmusb.0,drive=boot,bootindex=0" ;;
	scsi)	echo "-device virtio-scsi-pci,id=vmscsi" \
			"-device scsi-hd,bus=vmscsi.0,drive=boot,bootindex=0" ;;
	cd)	echo "-device ich9-ahci,id=vmahci" \
			"-device ide-cd,bus=vmahci.0,drive=boot,bootindex=0" ;;
	*)	echo "vm: unknown drive $1" >&2; return 1 ;;
	esac
}

# The folder of a vvfat drive: $1, with the mkimage.sh options that follow.
vm_folder() {
	mkdir -p "$1/EFI/BOOT" "$1/topaz"
	cp "$vm_efi" "$1/EFI/BOOT/BOOTX64.EFI"
	vm_dir=$1
	shift
	while [ $# -gt 0 ]; do
		case $1 in
		--rc|--cmdline) cp "$2" "$vm_dir/topaz.${1#--}" ;;
		--file) cp "${2#*=}" "$vm_dir/topaz/${2%%=*}" ;;
		esac
		shift 2
	done
}

# Makes what the drive holds at $vm_file.
vm_medium() {
	vm_made=$work/$vm_name.medium
	vm_file=$vm_made
	case $vm_kind in
	vvfat)	vm_folder "$vm_made" "$@"
		vm_file=fat:$vm_made ;;
	cd)	"$top/boot/mkimage.sh" "$vm_made" "$vm_efi" "$@" --as cd ;;
	*)	"$top/boot/mkimage.sh" "$vm_made" "$vm_efi" "$@" --as disk ;;
	esac
}

# One machine, with the arguments of vm; ends with its status.
vm_run() {
	vm_name=$1 vm_machine=q35 vm_cpu=max vm_smp=1 vm_mem=256M
	vm_accel=tcg,thread=multi
	vm_kind=virtio vm_file='' vm_made='' vm_content='' vm_efi=$vm_loader
	vm_script=$vm_rc
	vm_code=$vm_firmware vm_vars='' vm_serial=file vm_which='' vm_until=''
	vm_limit=60 vm_options='' vm_exit=yes
	shift
	while [ $# -gt 0 ]; do
		case $1 in
		--machine) vm_machine=$2 ;;
		--cpu) vm_cpu=$2 ;;
		--accel) vm_accel=$2 ;;
		--smp) vm_smp=$2 ;;
		--mem) vm_mem=$2 ;;
		--drive) vm_kind=$2 ;;
		--rc) vm_script=$2 ;;
		--cmdline) vm_options=$2 ;;
		--exit) vm_exit=$2 ;;
		--file) vm_content="$vm_content $1 $2" ;;
		--loader) vm_efi=$2 ;;
		--image) vm_file=$2 ;;
		--firmware) vm_code=$2 ;;
		--vars) vm_vars=$2 ;;
		--serial) vm_serial=$2 ;;
		--qemu) vm_which=$2 ;;
		--until) vm_until=$2 ;;
		--timeout) vm_limit=$2 ;;
		--) shift; break ;;
		*) echo "vm: unknown option $1" >&2; return 2 ;;
		esac
		shift 2
	done
	[ -z "$vm_script" ] || vm_content="$vm_content --rc $vm_script"
	if [ -n "$vm_options" ]; then
		printf '%s\n' "$vm_options" > "$work/$vm_name.options"
		vm_content="$vm_content --cmdline $work/$vm_name.options"
	fi
	[ "$vm_exit" = no ] ||
		set -- "$@" -device isa-debug-exit,iobase=0xf4,iosize=0x04
	vm_raw=$work/$vm_name.raw
	: > "$vm_raw"
	[ "$vm_serial" != file ] || vm_serial=file:$vm_raw
	if [ "$vm_kind" != none ]; then
		# shellcheck disable=SC2086 # a list of words
		[ -n "$vm_file" ] || vm_medium $vm_content || return 2
		# shellcheck disable=SC2046 # a list of words
		set -- $(vm_drive "$vm_kind") "$@" -drive \
			"if=none,id=boot,format=raw,snapshot=on,file=$vm_file"
	fi
	[ -z "$vm_vars" ] || set -- "$@" -drive \
		"if=pflash,unit=1,format=raw,snapshot=on,file=$vm_vars"
	set -- -nodefaults -no-reboot -display none -monitor none \
		-accel "$vm_accel" -machine "$vm_machine" \
		-cpu "$vm_cpu" -smp "$vm_smp" -m "$vm_mem" \
		-serial "$vm_serial" -drive \
		"if=pflash,unit=0,format=raw,readonly=on,file=$vm_code" "$@"
	timeout -k 5 "$vm_limit" "$(vm_qemu "$vm_which")" "$@" < /dev/null &
	vm_pid=$!
	vm_said=
	while [ -n "$vm_until" ] && [ -z "$vm_said" ] &&
			kill -0 $vm_pid 2> /dev/null; do
		if grep -qaF -- "$vm_until" "$vm_raw"; then
			vm_said=yes
			kill $vm_pid 2> /dev/null || :
		fi
		sleep 0.2
	done
	vm_status=0
	wait $vm_pid || vm_status=$?
	[ -z "$vm_said" ] || vm_status=143	# QEMU itself says 0
	[ -z "$vm_made" ] || rm -rf "$vm_made"
	return $vm_status
}

vm_start() {
	[ $vm_running -lt "$vm_jobs" ] || vm_wait
	vm_running=$((vm_running + 1))
	{
		vm_status=0
		vm_run "$@" > "$work/$1.qemu" 2>&1 || vm_status=$?
		echo $vm_status > "$work/$1.status"
	} &
}

vm_wait() {
	wait
	vm_running=0
}

vm_use() {
	status=$(cat "$work/$1.status" 2> /dev/null || echo 2)
	log=$work/$1.log
	vm_used=$1
	sed -e 's/\x1b\[[0-9;?=]*[A-Za-z]//g' -e 's/\r//g' "$work/$1.raw" \
		> "$log" 2> /dev/null || :
}

vm() {
	vm_start "$@"
	vm_wait
	vm_use "$1"
}

vm_normal() {
	vm_expect "$1" $vm_normal_status "$vm_normal_text"
}

vm_alone() {
	vm_expect "$1" $vm_alone_status "$vm_alone_text"
}

vm_expect() {
	expect_in "$@" "$log" "$work/$vm_used.qemu"
}
