#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A boot volume: FAT image with the loader and what it reads.
#
# usage: mkimage.sh OUT LOADER [--rc FILE] [--file NAME=PATH]...
#
# LOADER becomes /EFI/BOOT/BOOTX64.EFI, --rc /topaz.rc, --file /topaz/NAME. The
# same input gives the same bytes (SOURCE_DATE_EPOCH is used by mtools).
set -eu
export LC_ALL=C SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-1735689600}"
export MTOOLS_SKIP_CHECK=1

[ $# -ge 2 ] || { echo "usage: mkimage.sh OUT LOADER [OPTIONS]" >&2; exit 2; }
out=$1
loader=$2
shift 2

# Sectors of 512 bytes: the files, a slack for each, room for the FATs.
bytes=$(wc -c < "$loader")
for arg in "$@"; do
	path=${arg#*=}
	[ -f "$path" ] && bytes=$((bytes + $(wc -c < "$path") + 8192))
done
sectors=$(((bytes / 512 + 4096) * 17 / 16))
[ $sectors -ge 69632 ] || sectors=69632		# what FAT32 needs

rm -f "$out"
truncate -s $((sectors * 512)) "$out"
mformat -i "$out" -F -T $sectors -h 16 -s 63 -N 54504c5a -v TOPAZ ::
mmd -i "$out" ::/EFI ::/EFI/BOOT ::/topaz
mcopy -i "$out" "$loader" ::/EFI/BOOT/BOOTX64.EFI
while [ $# -gt 0 ]; do
	case $1 in
	--rc) mcopy -i "$out" "$2" ::/topaz.rc ;;
	--file) mcopy -i "$out" "${2#*=}" "::/topaz/${2%%=*}" ;;
	*) echo "mkimage.sh: unknown option $1" >&2; exit 2 ;;
	esac
	shift 2
done
