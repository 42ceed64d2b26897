#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A boot volume: the loader and what it reads, on a medium of any kind.
#
# usage: mkimage.sh OUT LOADER [OPTION VALUE]...
#   --rc FILE          becomes \topaz.rc
#   --cmdline FILE     becomes \topaz.cmdline
#   --file NAME=FILE   becomes \topaz\NAME
#   --as KIND          fat: a FAT32 volume and nothing else (default)
#                      disk: GPT with one EFI system partition, for dd
#                      cd: ISO 9660 with an El Torito EFI image
#
# LOADER becomes \EFI\BOOT\BOOTX64.EFI. Needs mtools, for a disk sfdisk, for a
# CD xorriso; no root, no loop device. The same input gives the same bytes: all
# numbers are fixed and times come from SOURCE_DATE_EPOCH.
set -eu
export LC_ALL=C TZ=UTC SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-1735689600}"
export MTOOLS_SKIP_CHECK=1
PATH=$PATH:/usr/sbin:/sbin

serial=54504c5a
disk_id=54504c5a-0000-4000-8000-000000000001
partition_id=54504c5a-0000-4000-8000-000000000002
esp_type=C12A7328-F81F-11D2-BA4B-00A0C93EC93B
partition_start=2048
cd_max=65535		# sectors that the catalog of a CD can say

die() { echo "mkimage.sh: $*" >&2; exit 1; }
usage() { echo "usage: mkimage.sh OUT LOADER [OPTION VALUE]..." >&2; exit 2; }

[ $# -ge 2 ] || usage
out=$1
loader=$2
shift 2
[ $(($# % 2)) = 0 ] || usage

# Sectors of 512 bytes: the files, a slack for each, room for the FATs.
kind=fat
bytes=$(wc -c < "$loader")
option=
for arg in "$@"; do
	case $option in
	'') option=$arg; continue ;;
	--as) kind=$arg ;;
	--rc|--cmdline|--file) bytes=$((bytes + $(wc -c < "${arg#*=}") + 8192)) ;;
	*) usage ;;
	esac
	option=
done
sectors=$(((bytes / 512 + 256) * 17 / 16))
case $kind in
fat|disk)
	sectors=$((sectors + 4096))
	[ $sectors -ge 69632 ] || sectors=69632 ;;	# what FAT32 needs
cd)
	[ $sectors -le $cd_max ] ||
		die "$bytes bytes are too much for a CD's boot image" ;;
*)
	usage ;;
esac

# ---- the volume ----
volume=$out
start=0
total=$sectors
if [ "$kind" = cd ]; then
	stage=$(mktemp -d)
	trap 'rm -rf "$stage"' EXIT
	volume=$stage/efi.img
elif [ "$kind" = disk ]; then
	start=$partition_start
	total=$((start + sectors + 2048))	# the second table is at the end
fi
rm -f "$out"
truncate -s $((total * 512)) "$volume"
if [ "$kind" = disk ]; then
	sfdisk -q --no-reread --no-tell-kernel "$volume" <<-E
	label: gpt
	label-id: $disk_id
	start=$start,size=$sectors,type=$esp_type,name=TOPAZ,uuid=$partition_id
	E
fi
at=$volume@@$((start * 512))
fat32=
[ "$kind" = cd ] || fat32=-F
# shellcheck disable=SC2086 # one word or none
mformat -i "$at" $fat32 -T $sectors -h 16 -s 63 -H $start -N $serial -v TOPAZ ::
mmd -i "$at" ::/EFI ::/EFI/BOOT ::/topaz
mcopy -i "$at" "$loader" ::/EFI/BOOT/BOOTX64.EFI
while [ $# -gt 0 ]; do
	case $1 in
	--rc|--cmdline) mcopy -i "$at" "$2" "::/topaz.${1#--}" ;;
	--file) mcopy -i "$at" "${2#*=}" "::/topaz/${2%%=*}" ;;
	esac
	shift 2
done
[ "$kind" = cd ] || exit 0

# ---- the CD ----
touch -d "@$SOURCE_DATE_EPOCH" "$volume" "$stage"
xorriso -as mkisofs -quiet -V TOPAZ -uid 0 -gid 0 -dir-mode 0555 \
	-file-mode 0444 -e efi.img -no-emul-boot -o "$out" "$stage" \
	> "$stage.log" 2>&1 || {
	cat "$stage.log" >&2
	rm -f "$stage.log"
	die "xorriso failed"
}
rm -f "$stage.log"
