# SPDX-License-Identifier: MIT
#
# Topaz: one Makefile, explicit lists, everything built lands in $(O).
#
# Three programs, three flag sets that never leak into each other: the UEFI
# loader, the freestanding kernel, host programs (tests and tools).

MAKEFLAGS += -rR
.DELETE_ON_ERROR:
.SUFFIXES:
.DEFAULT_GOAL := all

O ?= build
V ?= 0
# 1: poison, red zones and a leak report in the kernel's memory (mm/README.md).
DEBUG ?= 0
CC ?= gcc
CC := $(if $(filter default,$(origin CC)),gcc,$(CC))
LD := ld
NASM := nasm
# Absolute addresses are right in a static kernel; newer versions warn of them.
NASM_FLAGS := -f elf64 -Wall -Wno-unknown-warning -Wno-reloc -Werror
OBJCOPY := objcopy
STRIP := strip

export LC_ALL := C
export SOURCE_DATE_EPOCH ?= 1735689600

# Quiet by default: a line per file; V=1 shows the commands.
ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-7s %s\n'
endif

WARN := -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla \
	-Wshadow
ifdef CI
WARN += -Werror
endif
MAPDIR := -ffile-prefix-map=$(CURDIR)=.
DEPFLAGS = -MMD -MP

# ---------------------------------------------------------------- lib
LIB_SRC := lib/string.c lib/printk.c lib/sort.c lib/crc32.c lib/err.c \
	   lib/symtab.c lib/tree.c lib/errlog.c lib/shell.c \
	   lib/shell_cmds.c lib/cmdline.c

# ---------------------------------------------------------------- arch/x86
ARCH_SRC := arch/x86/cpu.c arch/x86/traps.c arch/x86/extable.c \
	    arch/x86/user.c arch/x86/paging.c arch/x86/page_check.c \
	    arch/x86/paging_show.c arch/x86/madt.c arch/x86/acpi.c \
	    arch/x86/acpi_map.c arch/x86/srat.c arch/x86/numa.c \
	    arch/x86/fadt.c arch/x86/aml_s5.c arch/x86/power.c \
	    arch/x86/efi_reset.c arch/x86/watchdog.c \
	    arch/x86/watchdog_option.c \
	    arch/x86/apic.c arch/x86/smp.c arch/x86/smp_call.c \
	    arch/x86/smp_start.c \
	    arch/x86/tsc.c arch/x86/tsc_cal.c arch/x86/timers.c \
	    arch/x86/tsc_sync.c arch/x86/tsc_cpus.c \
	    arch/x86/serial.c arch/x86/uart.c \
	    arch/x86/uart_io.c arch/x86/serial_table.c arch/x86/serial_option.c \
	    arch/x86/serial_find.c arch/x86/serial_pci.c arch/x86/pci.c \
	    arch/x86/pci_access.c arch/x86/device_map.c \
	    arch/x86/fb.c arch/x86/fb_mode.c arch/x86/fb_text.c \
	    arch/x86/fb_draw.c arch/x86/font.c \
	    arch/x86/console.c arch/x86/panic.c arch/x86/machine.c
ARCH_ASM := arch/x86/entry.asm arch/x86/trampoline.asm arch/x86/efi_call.asm

# ---------------------------------------------------------------- mm
MM_SRC := mm/page.c mm/region.c mm/zone.c mm/node.c mm/pcp.c mm/fault.c \
	  mm/page_debug.c mm/slab.c mm/slab_debug.c mm/console.c mm/bench.c

# ---------------------------------------------------------------- pt
PT_SRC := pt/caps.c pt/caps_print.c pt/topa.c pt/buffer.c pt/markers.c \
	  pt/rtit.c pt/output.c pt/pmi.c pt/event.c pt/init.c

# ---------------------------------------------------------------- pt/decode
DECODE_SRC := pt/decode/branch.c pt/decode/insn.c pt/decode/insn_class.c \
	      pt/decode/insn_table.c pt/decode/packet.c pt/decode/flow.c pt/decode/walk.c \
	      pt/decode/block.c pt/decode/edges.c

# ---------------------------------------------------------------- trace
TRACE_SRC := trace/tracing_map.c trace/map_array.c trace/map_sort.c \
	     trace/branch_map.c trace/report.c trace/dump.c trace/account.c

# ---------------------------------------------------------------- run
RUN_SRC := run/session.c run/round.c run/capture.c run/options.c run/crash.c \
	   run/workload.c run/modules.c run/payload.c run/payload_start.c \
	   run/elfload.c run/user_vm.c run/syscall.c run/wl_quicksort.c \
	   run/wl_fibonacci.c run/wl_interpreter.c run/wl_tree.c \
	   run/wl_sha256.c run/wl_user.c
RUN_ASM := run/user_image.asm

# ---------------------------------------------------------------- boot (kernel side)
BOOT_SRC := boot/main.c boot/memory.c boot/machine_tree.c

KERNEL_SRC := $(LIB_SRC) $(ARCH_SRC) $(MM_SRC) $(PT_SRC) $(DECODE_SRC) \
	      $(TRACE_SRC) $(RUN_SRC) $(BOOT_SRC)
KERNEL_OBJ := $(KERNEL_SRC:%.c=$(O)/kernel/%.o) \
	      $(ARCH_ASM:%.asm=$(O)/kernel/%.asm.o) \
	      $(RUN_ASM:%.asm=$(O)/kernel/%.asm.o)

KERNEL_CFLAGS := -std=gnu11 -O2 -g -ffreestanding -fno-pic -fno-pie \
	-mcmodel=kernel -mno-red-zone -mgeneral-regs-only \
	-fstack-protector-strong -mstack-protector-guard=global \
	-fcf-protection=none -fno-asynchronous-unwind-tables \
	-fno-omit-frame-pointer -fno-optimize-sibling-calls \
	-fno-strict-aliasing -fno-common $(WARN) $(MAPDIR) \
	-DTOPAZ_DEBUG=$(DEBUG) -I. -Iarch/x86/include -I$(O)/include
KERNEL_LDFLAGS := -nostdlib -static -z max-page-size=0x1000 -z noexecstack \
	--fatal-warnings --build-id=none -T linker.ld

# All that was built with another DEBUG is built anew.
DEBUG_STAMP := $(O)/debug-$(DEBUG)
$(DEBUG_STAMP):
	@mkdir -p $(@D)
	@rm -f $(O)/debug-*
	@touch $@

$(O)/kernel/%.o: %.c Makefile $(DEBUG_STAMP)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(KERNEL_CFLAGS) $(DEPFLAGS) -c $< -o $@

# Offsets that NASM shares with C: never typed twice.
OFFSETS := $(O)/include/asm-offsets.inc
$(OFFSETS): arch/x86/asm-offsets.c Makefile
	@mkdir -p $(@D) $(O)/kernel/arch/x86
	$(say) GEN $@
	$(Q)$(CC) $(KERNEL_CFLAGS) -MMD -MP -MT $@ -MF $@.d -S $< -o $@.s
	$(Q)sed -n 's/^->//p' $@.s > $@
-include $(wildcard $(OFFSETS).d)

# The consoles' font: drawn as text.
FONT := $(O)/include/font.inc
$(FONT): tools/font.awk arch/x86/font.txt
	@mkdir -p $(@D)
	$(say) GEN $@
	$(Q)awk -f $^ > $@
$(O)/kernel/arch/x86/font.o: $(FONT)

$(O)/kernel/%.asm.o: %.asm $(OFFSETS) Makefile
	@mkdir -p $(@D)
	$(say) NASM $<
	$(Q)$(NASM) $(NASM_FLAGS) -g -F dwarf -I$(O)/include/ \
		-MD $(@:.o=.d) -MP $< -o $@

# readelf -r must be empty: a static kernel has no relocation left to apply.
$(O)/kernel.elf: $(KERNEL_OBJ) linker.ld
	$(say) LD $@
	$(Q)$(LD) $(KERNEL_LDFLAGS) $(KERNEL_OBJ) -o $@
	$(Q)! readelf -rW $@ | grep -q R_X86_64 || \
		{ echo "$@: relocations left" >&2; exit 1; }

# What ships: no DWARF (it holds the build directory), symbols kept.
$(O)/kernel.stripped: $(O)/kernel.elf
	$(say) STRIP $@
	$(Q)$(STRIP) --strip-debug -o $@ $<

# ---------------------------------------------------------------- loader
# GNU-EFI's headers and library; its headers are not warning-clean, so they come
# in as system headers. Start code, linker script and the PE file are our own.
EFI_LIBDIR ?= /usr/lib
EFI_INCLUDE ?= /usr/include/efi
EFI_CFLAGS := -std=gnu11 -O2 -ffreestanding -fpic -fshort-wchar -mno-red-zone \
	-fno-stack-protector -fcf-protection=none -maccumulate-outgoing-args \
	-fno-asynchronous-unwind-tables -DGNU_EFI_USE_MS_ABI $(WARN) \
	$(MAPDIR) -isystem $(EFI_INCLUDE) -isystem $(EFI_INCLUDE)/x86_64 -I.
EFI_SRC := boot/loader/main.c boot/loader/say.c boot/loader/pages.c \
	boot/loader/elf.c boot/loader/files.c boot/loader/leave.c \
	boot/loader/exit.c boot/loader/memmap.c boot/loader/paging.c \
	boot/loader/machine.c boot/loader/gop.c boot/loader/options.c \
	boot/loader/cmdline.c lib/sort.c
EFI_ASM := boot/loader/image.asm boot/loader/sbat.asm boot/loader/switch.asm
EFI_OBJ := $(EFI_SRC:%.c=$(O)/efi/%.o) $(EFI_ASM:%.asm=$(O)/efi/%.asm.o)
EFI_LDFLAGS := -shared -nostdlib -Bsymbolic --no-undefined \
	-z noexecstack -z text --fatal-warnings \
	--build-id=none --hash-style=sysv -T boot/loader/loader.ld
EFI_OFFSETS := $(O)/include/loader-offsets.inc

$(O)/efi/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(say) EFICC $<
	$(Q)$(CC) $(EFI_CFLAGS) $(DEPFLAGS) -c $< -o $@

$(EFI_OFFSETS): boot/loader/offsets.c boot/loader/loader.h Makefile
	@mkdir -p $(@D) $(O)/efi/boot/loader
	$(say) GEN $@
	$(Q)$(CC) $(EFI_CFLAGS) -S $< -o $(O)/efi/boot/loader/offsets.s
	$(Q)sed -n 's/^->//p' $(O)/efi/boot/loader/offsets.s > $@

$(O)/efi/%.asm.o: %.asm $(EFI_OFFSETS) $(O)/kernel.stripped Makefile
	@mkdir -p $(@D)
	$(say) NASM $<
	$(Q)$(NASM) $(NASM_FLAGS) -I$(O)/include/ \
		-DKERNEL="'$(O)/kernel.stripped'" $< -o $@

$(O)/loader.elf: $(EFI_OBJ) boot/loader/loader.ld
	$(say) LD $@
	$(Q)$(LD) $(EFI_LDFLAGS) $(EFI_OBJ) -o $@ -L$(EFI_LIBDIR) -lefi -lgnuefi

PE_SRC := tools/pe_check.c
$(O)/tools/pemake $(O)/tools/pecheck: $(O)/tools/%: tools/%.c $(PE_SRC) \
		tools/pe.h Makefile
	@mkdir -p $(@D)
	$(say) HOSTCC $@
	$(Q)$(CC) $(TOOL_CFLAGS) $< $(PE_SRC) -o $@

# pemake checks what it made; pecheck is for files that others made or signed.
$(O)/BOOTX64.EFI: $(O)/loader.elf $(O)/tools/pemake
	$(say) EFI $@
	$(Q)$(O)/tools/pemake $< $@

# ---------------------------------------------------------------- boot media
# For real machines: RC=FILE becomes \topaz.rc, each of FILES="NAME=PATH ..." a
# file of \topaz; SIGN_KEY= and SIGN_CERT= sign for Secure Boot with your keys.
SIGNED := $(if $(SIGN_KEY)$(SIGN_CERT),$(O)/signed/BOOTX64.EFI)
MEDIUM_LOADER := $(or $(SIGNED),$(O)/BOOTX64.EFI)
MEDIUM_FILES := $(if $(RC),--rc $(RC)) $(FILES:%=--file %)
MEDIUM_IS = boot/mkimage.sh $@ $(MEDIUM_LOADER) $(MEDIUM_FILES) --as

.PHONY: medium-always
$(O)/topaz.img: $(MEDIUM_LOADER) boot/mkimage.sh medium-always
	$(say) IMAGE $@
	$(Q)$(MEDIUM_IS) disk

$(O)/topaz.iso: $(MEDIUM_LOADER) boot/mkimage.sh medium-always
	$(say) IMAGE $@
	$(Q)$(MEDIUM_IS) cd

$(O)/signed/BOOTX64.EFI: $(O)/BOOTX64.EFI $(O)/tools/pecheck medium-always
	@[ -r "$(SIGN_KEY)" ] && [ -r "$(SIGN_CERT)" ] || { \
		echo "SIGN_KEY and SIGN_CERT must both be files" >&2; exit 1; }
	$(Q)tools/install-packages sbsigntool
	@mkdir -p $(@D)
	$(say) SIGN $@
	$(Q)sbsign --key $(SIGN_KEY) --cert $(SIGN_CERT) --output $@ $< 2>$@.log \
		|| { cat $@.log >&2; exit 1; }
	$(Q)$(O)/tools/pecheck $@

# ---------------------------------------------------------------- payloads
# Ring-3 programs: static ELF files with symbols, W^X segments, no libc. Calls
# stay calls, so that a program can count them.
USER_CFLAGS := -std=gnu11 -O2 -ffreestanding -fno-pic -fno-pie -msse2 \
	-fno-stack-protector -fcf-protection=none \
	-fno-asynchronous-unwind-tables -fno-optimize-sibling-calls \
	-fno-tree-loop-distribute-patterns $(WARN) $(MAPDIR) -I.
USER_LDFLAGS := -static -nostdlib -z noexecstack -z separate-code \
	-z max-page-size=0x1000 --fatal-warnings --build-id=none --strip-debug

$(O)/user/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(say) USERCC $<
	$(Q)$(CC) $(USER_CFLAGS) $(DEPFLAGS) -c $< -o $@

# The workload "user" goes into the kernel image; a payload may lie elsewhere.
USER_OBJ := $(O)/user/run/user/primes.o
$(O)/include/user.elf: $(USER_OBJ)
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(LD) $(USER_LDFLAGS) -Ttext-segment=0x8000000 $^ -o $@
$(O)/kernel/run/user_image.asm.o: $(O)/include/user.elf

# The example payload: Debian's own libz.a (package zlib1g-dev).
LIBZ := $(shell $(CC) -print-file-name=libz.a)
PAYLOAD_OBJ := $(O)/user/run/payload/zpayload.o $(O)/user/run/payload/text.o \
	$(O)/user/run/payload/libc.o $(O)/user/lib/string.o
$(O)/payload.elf: $(PAYLOAD_OBJ)
	@[ -e "$(LIBZ)" ] || { \
		echo "$@: no libz.a found (package zlib1g-dev)" >&2; exit 1; }
	$(say) LD $@
	$(Q)$(LD) $(USER_LDFLAGS) -Ttext-segment=0x400000 $^ $(LIBZ) -o $@

# Its input: the first MiB of the C headers, in the order of their names.
INPUT_SIZE := 1048576
INPUT_FILES := $(sort $(wildcard /usr/include/*.h /usr/include/linux/*.h))
$(O)/input.txt: Makefile
	@mkdir -p $(@D)
	$(say) TEXT $@
	$(Q)cat $(INPUT_FILES) /dev/null | head -c $(INPUT_SIZE) > $@
	$(Q)[ $$(wc -c < $@) = $(INPUT_SIZE) ] || { \
		echo "$@: /usr/include/*.h and /usr/include/linux/*.h hold less than 1 MiB (packages libc6-dev, linux-libc-dev)" >&2; \
		exit 1; }

# ---------------------------------------------------------------- ptmodel
# Includes nothing of the kernel: -Itests/ptmodel only by its own paths.
PTMODEL_CFLAGS := -std=gnu11 -g -O2 -D_GNU_SOURCE $(WARN) -I.
PTMODEL_ENGINE := tests/ptmodel/cpu.c tests/ptmodel/msr.c \
	tests/ptmodel/output.c tests/ptmodel/topa.c tests/ptmodel/hold.c \
	tests/ptmodel/packet.c tests/ptmodel/time.c tests/ptmodel/enable.c \
	tests/ptmodel/flow.c tests/ptmodel/event.c tests/ptmodel/happen.c \
	tests/ptmodel/overflow.c tests/ptmodel/inject.c \
	tests/ptmodel/profile.c
PTMODEL_SRC := $(PTMODEL_ENGINE) tests/ptmodel/apic.c \
	tests/ptmodel/classify.c tests/ptmodel/code_image.c \
	tests/ptmodel/code_view.c \
	tests/ptmodel/follow.c tests/ptmodel/operand.c tests/ptmodel/options.c \
	tests/ptmodel/port.c tests/ptmodel/ptwrite.c tests/ptmodel/qemu.c \
	tests/ptmodel/reset.c tests/ptmodel/segment.c tests/ptmodel/system.c \
	tests/ptmodel/translate.c tests/ptmodel/truth.c \
	tests/ptmodel/truth_log.c tests/ptmodel/truth_format.c \
	tests/ptmodel/vcpu.c

$(O)/ptmodel.so: $(PTMODEL_SRC) $(wildcard tests/ptmodel/*.h) Makefile
	@mkdir -p $(@D)
	$(say) HOSTCC $@
	$(Q)$(CC) $(PTMODEL_CFLAGS) -shared -fPIC -fvisibility=hidden \
		$(PTMODEL_SRC) -o $@

$(O)/ptmodel/check_ipt: tests/ptmodel/check_ipt.c Makefile
	@mkdir -p $(@D)
	$(say) HOSTCC $@
	$(Q)$(CC) $(PTMODEL_CFLAGS) $< -o $@ -lipt

PTMODEL_READ := tests/ptmodel/truth_read.c tests/ptmodel/truth_format.c \
	tests/ptmodel/edges.c
$(O)/ptmodel/truth_dump: tests/ptmodel/truth_dump.c $(PTMODEL_READ) \
		$(wildcard tests/ptmodel/*.h) Makefile
	@mkdir -p $(@D)
	$(say) HOSTCC $@
	$(Q)$(CC) $(PTMODEL_CFLAGS) $< $(PTMODEL_READ) -o $@

# What bench-ptmodel runs: a bare guest, and a plugin to compare with.
PTMODEL_BENCH := $(O)/bench/ptmodel_loop.bin $(O)/bench/ptmodel_peer.so
$(O)/bench/ptmodel_loop.bin: tests/bench/ptmodel_loop.asm Makefile
	@mkdir -p $(@D)
	$(say) NASM $<
	$(Q)$(NASM) -f bin -Wall -Werror -o $@ $<

$(O)/bench/ptmodel_peer.so: tests/bench/ptmodel_peer.c tests/ptmodel/qpl.h \
		Makefile
	@mkdir -p $(@D)
	$(say) HOSTCC $@
	$(Q)$(CC) $(PTMODEL_CFLAGS) -shared -fPIC -fvisibility=hidden $< -o $@

# ---------------------------------------------------------------- tools
# The kernel's own decoder as a host program.
TOOL_CFLAGS := -std=gnu11 -g -O2 $(WARN) -I.
PTFLOW_SRC := tools/ptflow.c tools/code_file.c lib/err.c $(DECODE_SRC)
$(O)/tools/ptflow: $(PTFLOW_SRC) $(wildcard pt/decode/*.h tools/*.h) Makefile
	@mkdir -p $(@D)
	$(say) HOSTCC $@
	$(Q)$(CC) $(TOOL_CFLAGS) $(PTFLOW_SRC) -o $@

# ---------------------------------------------------------------- host tests
# One program per file tests/unit/test_NAME.c: UNIT_NAME lists the sources of
# the project that it links besides, unchanged.
HOST_CFLAGS := -std=gnu11 -g -O1 -fno-omit-frame-pointer $(WARN) -pthread \
	-fsanitize=address,undefined -fno-sanitize-recover=all \
	-Itests/include -I. -Iarch/x86/include -I$(O)/include
HOST_MM := $(filter-out mm/console.c mm/bench.c,$(MM_SRC)) \
	tests/unit/host_memory.c

UNIT :=

# pt/decode
DECODE_INSN := pt/decode/insn.c pt/decode/insn_class.c pt/decode/insn_table.c
UNIT += insn_zydis
UNIT_insn_zydis := $(DECODE_INSN)
UNIT_LIBS_insn_zydis := -lZydis
UNIT += packet flow flow_broken
UNIT_packet := pt/decode/packet.c
UNIT_flow := $(filter-out pt/decode/branch.c,$(DECODE_SRC)) lib/err.c
UNIT_flow_broken := $(UNIT_flow)

# lib, mm, arch/x86
UNIT_PRINT := lib/printk.c lib/symtab.c lib/sort.c
UNIT += printk string lib symtab madt acpi acpi_map srat slit smp_start \
	shell page slab
UNIT_page := $(HOST_MM) $(UNIT_PRINT)
UNIT_slab := $(UNIT_page)
UNIT += mm_model mm_ranges mm_faults mm_nested mm_threads mm_console
UNIT_mm_model := $(UNIT_page)
UNIT_mm_ranges := $(UNIT_page)
UNIT_mm_faults := $(UNIT_page)
UNIT_mm_nested := $(UNIT_page)
UNIT_CFLAGS_mm_nested := -O2 -fno-sanitize=address,undefined
UNIT_mm_threads := $(UNIT_page)
UNIT_CFLAGS_mm_threads := -fno-sanitize=address -fsanitize=thread
UNIT_mm_console := $(UNIT_page) mm/console.c mm/bench.c lib/tree.c \
	lib/shell.c lib/shell_cmds.c lib/errlog.c lib/err.c \
	tests/unit/host_string.c
# The debug build of mm: the same tests, and those of what it adds.
UNIT_DEBUG := page slab mm_model mm_faults
UNIT += mm_debug $(UNIT_DEBUG:%=%_debug)
UNIT_mm_debug := $(UNIT_page)
UNIT_CFLAGS_mm_debug := -DTOPAZ_DEBUG=1
define unit_debug
UNIT_MAIN_$(1)_debug := tests/unit/test_$(1).c
UNIT_$(1)_debug := $(UNIT_page)
UNIT_CFLAGS_$(1)_debug := -DTOPAZ_DEBUG=1
endef
$(foreach t,$(UNIT_DEBUG),$(eval $(call unit_debug,$(t))))
UNIT_shell := lib/tree.c lib/errlog.c lib/shell.c lib/shell_cmds.c lib/err.c \
	tests/unit/host_string.c $(UNIT_PRINT)
UNIT_symtab := $(UNIT_PRINT)
UNIT_madt := arch/x86/madt.c arch/x86/acpi.c $(UNIT_PRINT) lib/err.c
UNIT_acpi := $(UNIT_PRINT)
UNIT_acpi_map := arch/x86/madt.c arch/x86/srat.c lib/err.c $(UNIT_PRINT)
UNIT_smp_start := $(UNIT_PRINT)
# The real nr_cpus() is what it tests.
UNIT_CFLAGS_smp_start := -include arch/x86/include/asm/percpu.h
UNIT_srat := arch/x86/srat.c arch/x86/acpi.c lib/err.c $(UNIT_PRINT)
UNIT_slit := $(UNIT_srat)
UNIT += options console uart serial_table serial pci serial_pci
UNIT += smp_call page_check
UNIT_smp_call := arch/x86/smp_call.c
UNIT_page_check := arch/x86/page_check.c tests/unit/host_memory.c \
	$(filter mm/%.c,$(HOST_MM)) $(UNIT_PRINT)
UNIT_pci := arch/x86/pci.c arch/x86/acpi.c lib/err.c $(UNIT_PRINT)
UNIT_serial_pci := arch/x86/serial_pci.c $(UNIT_pci)
UNIT_serial := arch/x86/serial.c arch/x86/serial_option.c arch/x86/uart.c \
	arch/x86/console.c tests/unit/host_string.c $(UNIT_PRINT)
UNIT_options := lib/cmdline.c $(UNIT_PRINT)
UNIT_console := arch/x86/console.c $(UNIT_PRINT)
UNIT_uart := arch/x86/uart.c arch/x86/uart_io.c
SERIAL_TABLE := arch/x86/serial_table.c arch/x86/acpi.c lib/err.c \
	tests/unit/host_string.c $(UNIT_PRINT)
UNIT_serial_table := $(SERIAL_TABLE)
UNIT += fadt s5 tsc tsc_sync watchdog power
UNIT_power := arch/x86/power.c arch/x86/aml_s5.c lib/cmdline.c $(UNIT_PRINT)
UNIT_watchdog := arch/x86/watchdog.c $(UNIT_PRINT)
UNIT_fadt := arch/x86/fadt.c arch/x86/acpi.c $(UNIT_PRINT) lib/err.c
UNIT_s5 := arch/x86/aml_s5.c
UNIT_tsc_sync := arch/x86/tsc_sync.c
UNIT_tsc := arch/x86/tsc_cal.c $(UNIT_PRINT)
UNIT_lib := lib/sort.c lib/err.c
UNIT_LIBS_lib := -lz
UNIT_printk := $(UNIT_PRINT)
UNIT_FB := arch/x86/fb_mode.c arch/x86/fb_text.c arch/x86/fb_draw.c \
	arch/x86/font.c
UNIT += fb_mode fb_text fb_draw
UNIT_fb_mode := arch/x86/fb_mode.c
UNIT_fb_text := arch/x86/fb_text.c
UNIT_fb_draw := $(UNIT_FB)
UNIT_CFLAGS_fb_draw := -O2
$(O)/unit/test_fb_draw: $(FONT)

# trace, run
HOST_MAP := trace/tracing_map.c trace/map_array.c trace/map_sort.c \
	$(HOST_MM) lib/printk.c lib/symtab.c lib/sort.c
UNIT += tracing_map tracing_map_life tracing_map_threads map_sort branch_map \
	elfload elfload_memory
UNIT_tracing_map := $(HOST_MAP)
UNIT_tracing_map_life := $(HOST_MAP)
UNIT_map_sort := $(HOST_MAP)
# ThreadSanitizer excludes AddressSanitizer.
UNIT_tracing_map_threads := $(HOST_MAP)
UNIT_CFLAGS_tracing_map_threads := -fno-sanitize=address -fsanitize=thread
UNIT_branch_map := trace/branch_map.c trace/report.c trace/dump.c \
	trace/account.c pt/decode/branch.c lib/crc32.c $(HOST_MAP)
UNIT_elfload := run/elfload.c
UNIT_elfload_memory := run/elfload.c

# pt, the hardware model
HOST_PT := $(PT_SRC) tests/unit/host_pt.c $(PTMODEL_ENGINE) $(HOST_MM) \
	lib/printk.c lib/symtab.c lib/sort.c lib/tree.c lib/err.c
UNIT += pt_event topa pt_caps ptm_engine ptm_classify ptm_operand ptm_short
UNIT += ptm_rows ptm_packets ptm_errata ptm_ipt ptm_faults
UNIT_ptm_short := $(PTMODEL_ENGINE)
UNIT += ptm_truth
UNIT_ptm_truth := tests/ptmodel/truth_log.c tests/ptmodel/truth_read.c \
	tests/ptmodel/truth_format.c tests/ptmodel/code_view.c
UNIT_ptm_operand := tests/ptmodel/operand.c
UNIT_LIBS_ptm_operand := -lZydis
UNIT_ptm_classify := tests/ptmodel/classify.c
UNIT_LIBS_ptm_classify := -lZydis
UNIT_ptm_engine := $(PTMODEL_ENGINE)
PTM_MACHINE := tests/unit/ptm_machine.c $(PTMODEL_ENGINE)
UNIT_ptm_faults := $(PTM_MACHINE)
UNIT_ptm_rows := $(PTM_MACHINE)
UNIT_ptm_packets := $(PTM_MACHINE)
UNIT_ptm_errata := $(PTM_MACHINE)
UNIT_ptm_ipt := $(PTM_MACHINE)
UNIT_LIBS_ptm_ipt := -lipt
UNIT_pt_event := $(HOST_PT)
UNIT_topa := $(HOST_PT)
UNIT_pt_caps := $(HOST_PT)

# boot, session
UNIT += cmdline
UNIT_cmdline := boot/loader/cmdline.c
UNIT += memmap exit pe
UNIT_pe := $(PE_SRC)
UNIT_memmap := boot/loader/memmap.c lib/sort.c
UNIT_exit := boot/loader/exit.c
UNIT += memory_map round
UNIT_round := run/round.c $(HOST_MM) lib/printk.c lib/symtab.c lib/sort.c
UNIT_memory_map := boot/memory.c $(HOST_MM) lib/printk.c lib/symtab.c \
	lib/sort.c

# -MMD would keep the dependencies of the last source alone.
unit_main = $(or $(UNIT_MAIN_$(1)),tests/unit/test_$(1).c)
define unit_rule
$(O)/unit/test_$(1): $(call unit_main,$(1)) $(UNIT_$(1)) Makefile
	@mkdir -p $$(@D)
	$$(say) HOSTCC $$@
	$$(Q)$$(CC) $$(HOST_CFLAGS) $$(UNIT_CFLAGS_$(1)) -MM -MP -MT $$@ \
		$(call unit_main,$(1)) $(UNIT_$(1)) > $$@.d
	$$(Q)$$(CC) $$(HOST_CFLAGS) $$(UNIT_CFLAGS_$(1)) \
		$(call unit_main,$(1)) $(UNIT_$(1)) -o $$@ \
		-lcmocka $$(UNIT_LIBS_$(1))
endef
$(foreach t,$(UNIT),$(eval $(call unit_rule,$(t))))
UNIT_PROGS := $(UNIT:%=$(O)/unit/test_%)

# ---------------------------------------------------------------- benchmarks
# mm as the kernel has it: its flags, less the include paths. A host program
# lies in the low 2 GiB, where -mcmodel=kernel is right too.
BENCH_CFLAGS = $(filter-out -I%,$(KERNEL_CFLAGS)) -Itests/bench/include \
	-Itests/include -I. -Iarch/x86/include
BENCH_MM := $(filter-out tests/%,$(HOST_MM)) $(UNIT_PRINT)
BENCH_MM_OBJ := $(BENCH_MM:%.c=$(O)/bench/%.o)

$(O)/bench/%.o: %.c Makefile $(DEBUG_STAMP)
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) $(BENCH_CFLAGS) $(DEPFLAGS) -c $< -o $@

$(O)/bench/bench_mm: tests/bench/bench_mm.c tests/unit/host_memory.c \
		$(BENCH_MM_OBJ)
	$(say) HOSTCC $@
	$(Q)$(CC) -std=gnu11 -g -O2 $(WARN) -fno-pie -no-pie \
		-Itests/bench/include -Itests/include -I. -Iarch/x86/include \
		$^ -o $@

# ---------------------------------------------------------------- targets
.PHONY: all image iso run-files run test test-unit test-boot bench-mm \
	bench-ptmodel packages-test fuzz \
	check-layers check-headers clean help

all: $(O)/BOOTX64.EFI ## the loader with the kernel inside: BOOTX64.EFI

image: ## topaz.img: a disk for real machines, for dd; RC= FILES= SIGN_KEY=
	$(Q)tools/install-packages mtools fdisk
	$(Q)$(MAKE) --no-print-directory $(O)/topaz.img

iso: ## topaz.iso: the same as a CD
	$(Q)tools/install-packages mtools xorriso
	$(Q)$(MAKE) --no-print-directory $(O)/topaz.iso

# All that ./run-qemu.sh needs.
RUN_FILES := $(O)/BOOTX64.EFI $(O)/ptmodel.so $(O)/payload.elf $(O)/input.txt
run-files: $(RUN_FILES)

run: ## build and boot in QEMU: ./run-qemu.sh
	$(Q)O=$(abspath $(O)) ./run-qemu.sh

bench-ptmodel: $(O)/ptmodel.so $(PTMODEL_BENCH) ## cost of the hardware model's tracing
	$(Q)O=$(abspath $(O)) tests/bench/run-bench-ptmodel

bench-mm: $(RUN_FILES) $(O)/bench/bench_mm ## instructions of a page's allocate and free
	$(Q)O=$(abspath $(O)) tests/bench/run-bench-mm

check-layers: ## no include points up
	$(Q)tests/check-layers

check-headers: ## every header compiles alone, SPDX line, guard
	$(Q)tests/check-headers

TEST_PACKAGES := gcc binutils make nasm gnu-efi ovmf qemu-system-x86 mtools \
	fdisk libcmocka-dev libipt-dev libzydis-dev zlib1g-dev libc6-dev \
	linux-libc-dev xorriso
packages-test:
	$(Q)tools/install-packages $(TEST_PACKAGES)

# UEFI programs that make the firmware worse before the loader starts.
EFI_TESTS := $(O)/tests/la57.efi $(O)/tests/high.efi $(O)/tests/nolow.efi \
	$(O)/tests/stubborn.efi $(O)/tests/badacpi.efi
EFI_TEST_OBJ := $(O)/efi/tests/boot/next.o $(O)/efi/boot/loader/sbat.asm.o
$(O)/tests/la57.efi: $(O)/efi/tests/boot/la57_enter.asm.o
$(EFI_TESTS): $(O)/tests/%.efi: $(O)/efi/tests/boot/%.o $(EFI_TEST_OBJ) \
		boot/loader/loader.ld $(O)/tools/pemake
	@mkdir -p $(@D)
	$(say) EFI $@
	$(Q)$(LD) $(EFI_LDFLAGS) $(filter %.o,$^) -o $@.elf -L$(EFI_LIBDIR) \
		-lefi -lgnuefi
	$(Q)$(O)/tools/pemake $@.elf $@

$(O)/tests/%: tests/boot/%.c Makefile
	@mkdir -p $(@D)
	$(say) HOSTCC $@
	$(Q)$(CC) -std=gnu11 -g -O1 $(WARN) -I. $< -o $@ -lz

$(O)/tests/fb_text: tests/boot/fb_text.c arch/x86/font.c $(FONT) Makefile
	@mkdir -p $(@D)
	$(say) HOSTCC $@
	$(Q)$(CC) -std=gnu11 -g -O2 $(WARN) -I. -I$(O)/include $< \
		arch/x86/font.c -o $@

TEST_PROGS := $(UNIT_PROGS) $(O)/ptmodel/check_ipt \
	$(O)/tools/ptflow $(O)/tools/pecheck $(O)/tests/check_deflate \
	$(O)/tests/fb_text $(EFI_TESTS)
TESTS_STATIC := layers=tests/check-layers headers=tests/check-headers
TESTS_UNIT := $(foreach t,$(UNIT),$(t)=$(O)/unit/test_$(t))
B := O=$(abspath $(O)) tests/boot/
TESTS_BOOT := "scripts=$(B)test-scripts" \
	"probe-kvm=$(B)test-probe-kvm" "truth-1=$(B)test-truth 1" \
	"truth-2=$(B)test-truth 2" \
	"truth-broadwell=$(B)test-truth 1 broadwell" "truth-4=$(B)test-truth 4" \
	"insns=$(B)test-insns" "icount=$(B)test-icount" \
	"deflate=$(B)test-deflate" "bad-input=$(B)test-bad-input" \
	"panic=$(B)test-panic" "machines=$(B)test-machines" "debug=$(B)test-debug" \
	"image=$(B)test-image" "acpi=$(B)test-acpi" \
	"consoles=$(B)test-consoles" "fb=$(B)test-fb" \
	"time=$(B)test-time" "power=$(B)test-power" "watchdog=$(B)test-watchdog"

test: ## everything; ends with N passed, N failed, N skipped
	$(Q)$(MAKE) --no-print-directory packages-test
	$(Q)$(MAKE) --no-print-directory $(RUN_FILES) $(TEST_PROGS)
	$(Q)tests/run-tests $(O)/log $(TESTS_STATIC) $(TESTS_UNIT) $(TESTS_BOOT)

test-unit: $(UNIT_PROGS) ## host tests only
	$(Q)tests/run-tests $(O)/log $(TESTS_STATIC) $(TESTS_UNIT)

test-boot: $(RUN_FILES) $(TEST_PROGS) ## tests in QEMU only
	$(Q)tests/run-tests $(O)/log $(TESTS_BOOT)

# clang's libFuzzer; what a run finds stays in $(O)/fuzz.
FUZZ_TIME ?= 60
FUZZ := flow insn memmap acpi spcr s5
FUZZ_CFLAGS := -std=gnu11 -g -O1 -fno-omit-frame-pointer $(WARN) \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -I.

$(O)/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(DECODE_SRC) $(wildcard pt/decode/*.h) \
		lib/err.c Makefile
	@mkdir -p $(@D)
	$(say) CLANG $@
	$(Q)clang $(FUZZ_CFLAGS) $< $(DECODE_SRC) lib/err.c -o $@

$(O)/fuzz/fuzz_memmap: tests/fuzz/fuzz_memmap.c boot/loader/memmap.c \
		lib/sort.c tests/unit/efi_map.h boot/loader/memmap.h Makefile
	@mkdir -p $(@D)
	$(say) CLANG $@
	$(Q)clang $(FUZZ_CFLAGS) $(filter %.c,$^) -o $@

$(O)/fuzz/fuzz_spcr: tests/fuzz/fuzz_spcr.c $(SERIAL_TABLE) Makefile
	@mkdir -p $(@D)
	$(say) CLANG $@
	$(Q)clang $(FUZZ_CFLAGS) -Itests/include -Iarch/x86/include \
		$(filter %.c,$^) -o $@

$(O)/fuzz/fuzz_acpi: tests/fuzz/fuzz_acpi.c arch/x86/madt.c arch/x86/srat.c \
		$(UNIT_PRINT) lib/err.c arch/x86/acpi.c arch/x86/acpi.h \
		arch/x86/srat.h tests/unit/acpi_memory.h Makefile
	@mkdir -p $(@D)
	$(say) CLANG $@
	$(Q)clang $(FUZZ_CFLAGS) -Itests/include -Iarch/x86/include \
		$(filter-out arch/x86/acpi.c,$(filter %.c,$^)) -o $@

$(O)/fuzz/fuzz_s5: tests/fuzz/fuzz_s5.c arch/x86/aml_s5.c arch/x86/aml_s5.h \
		Makefile
	@mkdir -p $(@D)
	$(say) CLANG $@
	$(Q)clang $(FUZZ_CFLAGS) $< arch/x86/aml_s5.c -o $@

fuzz: ## libFuzzer on decoder and parsers; FUZZ_TIME=60 seconds each
	$(Q)tools/install-packages clang libclang-rt-dev
	$(Q)$(MAKE) --no-print-directory $(FUZZ:%=$(O)/fuzz/fuzz_%)
	$(Q)set -e; for f in $(FUZZ); do \
		mkdir -p $(O)/fuzz/corpus-$$f; \
		echo "  FUZZ    $$f"; \
		$(O)/fuzz/fuzz_$$f -max_total_time=$(FUZZ_TIME) -timeout=5 \
			-max_len=1024 -verbosity=0 -print_final_stats=1 \
			-artifact_prefix=$(O)/fuzz/ $(O)/fuzz/corpus-$$f; \
	done

clean: ## remove everything that was built
	$(Q)rm -rf $(O)

help: ## this list
	@sed -n 's/^\([a-zA-Z0-9_-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | \
		expand -t 18 | sort

DEPS := $(KERNEL_OBJ:.o=.d) $(EFI_OBJ:.o=.d) $(USER_OBJ:.o=.d) \
	$(EFI_TESTS:$(O)/tests/%.efi=$(O)/efi/tests/boot/%.d) \
	$(PAYLOAD_OBJ:.o=.d) $(UNIT_PROGS:=.d) $(BENCH_MM_OBJ:.o=.d)
-include $(wildcard $(DEPS))
