# SPDX-License-Identifier: MIT
#
# Sourced by boot tests, after tap.sh: one machine of any kind, without the PT
# hardware model.
#
#   vm NAME [OPTION VALUE]... [-- QEMU ARGUMENT...]
#     --machine M   q35 (default), pc, with ",property=value" as QEMU takes it
#     --cpu C       max
#     --smp N       1; "N,sockets=..." too
#     --mem SIZE    256M
#     --drive KIND  virtio (default), ahci, ide (machine pc), nvme, usb, scsi,
#                   cd, none
#     --image FILE  what the drive holds ($vm_image: set it once)
#     --firmware F  OVMF code volume ($vm_firmware)
#     --vars F      OVMF variables; without: none are kept
#     --serial S    file (default: the log), none, or what QEMU takes
#     --timeout S   60
#
# Afterwards: $status (35: the kernel ended with a failure, 33: right, 124: hang,
# 0: reset or power off), $log: what came by the serial line, without the
# firmware's escape sequences. The image is not written to.
#
#   vm_normal NAME   the last vm reached the kernel's normal result. Without PT
#                    that is one line and status 35.
# shellcheck shell=sh
# shellcheck disable=SC2154 # $build and $work are tap.sh's

vm_normal_text="CPUID reports no Intel PT"
vm_normal_status=35

vm_qemu=$build/qemu/qemu-system-x86_64
[ -x "$vm_qemu" ] || vm_qemu=$(command -v qemu-system-x86_64 || :)
vm_firmware=
for file in /usr/share/OVMF/OVMF_CODE_4M.fd /usr/share/OVMF/OVMF_CODE.fd \
		/usr/share/edk2/x64/OVMF_CODE.4m.fd; do
	[ -z "$vm_firmware" ] && [ -r "$file" ] && vm_firmware=$file
done
vm_image=

# vm_skip NAME: the test cannot run here; says why.
vm_skip() {
	if [ ! -x "$vm_qemu" ]; then
		skip "$1" "no qemu-system-x86_64"
	elif [ -z "$vm_firmware" ]; then
		skip "$1" "no OVMF firmware"
	else
		return 1
	fi
}

# vm_has DEVICE: this QEMU knows the device.
vm_has() {
	"$vm_qemu" -device "$1,help" > /dev/null 2>&1
}

# Arguments of a drive of KIND, words without blanks.
vm_drive() {
	case $1 in
	virtio) echo "-device virtio-blk-pci,drive=boot,bootindex=0" ;;
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
	none)	;;
	*)	echo "vm: unknown drive $1" >&2; return 1 ;;
	esac
}

vm() {
	vm_name=$1 vm_machine=q35 vm_cpu=max vm_smp=1 vm_mem=256M
	vm_kind=virtio vm_file=$vm_image vm_code=$vm_firmware vm_vars=
	vm_serial=file vm_limit=60
	shift
	while [ $# -gt 0 ]; do
		case $1 in
		--machine) vm_machine=$2 ;;
		--cpu) vm_cpu=$2 ;;
		--smp) vm_smp=$2 ;;
		--mem) vm_mem=$2 ;;
		--drive) vm_kind=$2 ;;
		--image) vm_file=$2 ;;
		--firmware) vm_code=$2 ;;
		--vars) vm_vars=$2 ;;
		--serial) vm_serial=$2 ;;
		--timeout) vm_limit=$2 ;;
		--) shift; break ;;
		*) echo "vm: unknown option $1" >&2; return 2 ;;
		esac
		shift 2
	done
	log=$work/$vm_name.log
	: > "$log.raw"
	[ "$vm_serial" != file ] || vm_serial=file:$log.raw
	if [ "$vm_kind" != none ]; then
		# shellcheck disable=SC2046 # a list of words
		set -- $(vm_drive "$vm_kind") "$@" -drive \
			"if=none,id=boot,format=raw,snapshot=on,file=$vm_file"
	fi
	[ -z "$vm_vars" ] || set -- "$@" -drive \
		"if=pflash,unit=1,format=raw,snapshot=on,file=$vm_vars"
	status=0
	timeout -k 5 "$vm_limit" "$vm_qemu" -nodefaults -no-reboot \
		-display none -monitor none -accel tcg,thread=multi \
		-machine "$vm_machine" -cpu "$vm_cpu" -smp "$vm_smp" \
		-m "$vm_mem" -serial "$vm_serial" -device \
		isa-debug-exit,iobase=0xf4,iosize=0x04 -drive \
		"if=pflash,unit=0,format=raw,readonly=on,file=$vm_code" \
		"$@" > "$work/$vm_name.qemu" 2>&1 < /dev/null || status=$?
	sed -e 's/\x1b\[[0-9;?=]*[A-Za-z]//g' -e 's/\r//g' "$log.raw" > "$log"
}

vm_normal() {
	vm_expect "$1" $vm_normal_status "$vm_normal_text"
}

# vm_expect NAME STATUS TEXT: the last vm ended so and said so.
vm_expect() {
	if [ "$status" = "$2" ] && says "$log" "$3"; then
		ok "$1"
		return
	fi
	not_ok "$1"
	echo "# status $status, expected $2; looked for: $3"
	tail -n 20 "$log" "$work/$vm_name.qemu" | tr -cd '\n\t -~' |
		sed 's/^/# /'
}
