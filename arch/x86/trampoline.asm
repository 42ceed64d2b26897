; SPDX-License-Identifier: MIT
;
; Start of an application processor: real mode to long mode.
;
; ap_start..ap_end is copied to a page below 1 MiB and entered in real mode with
; CS = page >> 4, so every address in it is relative to ap_start. The
; parameters behind it are written by arch/x86/smp.c, once: any number of CPUs
; may come through here at the same time, or much later.

bits 64
default rel
%include "asm-offsets.inc"
%define R(x) ((x) - ap_start)

IA32_APIC_BASE          equ 0x1b
APICBASE_EXTD           equ 1 << 10
IA32_X2APIC_APICID      equ 0x802
XAPIC_ID                equ 0x20

extern ap_main
extern ap_slots
extern nr_ap_slots
extern lapic_x2apic
extern lapic_mmio

section .rodata
global ap_start, ap_end, ap_params
align 16
ap_start:
bits 16
        cli
        cld
        mov     ax, cs
        mov     ds, ax
        xor     ebx, ebx
        mov     bx, ax
        shl     ebx, 4                  ; linear address of this page
        lea     eax, [ebx + R(ap_gdt)]
        mov     [R(ap_gdtr) + 2], eax
        lea     eax, [ebx + R(.long_mode)]
        mov     [R(.far_ip)], eax
        o32 lgdt [R(ap_gdtr)]
        mov     eax, 0x20               ; CR4.PAE
        mov     cr4, eax
        mov     eax, [R(ap_params) + AP_BOOT_CR3]
        mov     cr3, eax
        mov     ecx, 0xc0000080         ; EFER: LME and NXE, before paging
        rdmsr
        or      eax, 0x900
        wrmsr
        mov     eax, 0x80010033         ; CR0: PG WP NE ET MP PE in one step
        mov     cr0, eax
        o32 jmp far [R(.far_ip)]
align 4
.far_ip:
        dd      0
        dw      8
bits 64
.long_mode:
        mov     ebx, ebx
        xor     eax, eax
        mov     ds, eax
        mov     es, eax
        mov     ss, eax
        mov     fs, eax
        mov     gs, eax
        mov     rsi, [rbx + R(ap_params) + AP_KERNEL_CR3]
        mov     rax, [rbx + R(ap_params) + AP_ENTRY]
        jmp     rax
align 16
ap_gdt: dq      0, 0x00af9b000000ffff, 0x00cf93000000ffff
ap_gdtr:
        dw      ap_gdtr - ap_gdt - 1
        dd      0
align 8
ap_params:
        times AP_PARAMS_SIZE db 0
ap_end:

section .text

; From the trampoline, at its linked address, on the loader's tables, without a
; stack. In: RSI = the kernel's CR3.
;
; The CPU looks for the slot with its APIC ID and takes it, when that is still
; waited for; else it sleeps for good.
global ap_entry
ap_entry:
        mov     cr3, rsi
        mov     ecx, IA32_APIC_BASE
        rdmsr
        test    eax, APICBASE_EXTD
        jnz     .x2apic
        cmp     byte [lapic_x2apic], 0
        je      .xapic
        or      eax, APICBASE_EXTD
        wrmsr
.x2apic:
        mov     ecx, IA32_X2APIC_APICID
        rdmsr
        jmp     .find
.xapic:
        mov     rbx, [lapic_mmio]
        mov     eax, [rbx + XAPIC_ID]
        shr     eax, 24
.find:
        mov     edx, eax
        lea     rdi, [ap_slots]
        mov     ecx, [nr_ap_slots]
.next:
        dec     ecx
        js      .park
        cmp     [rdi + AP_SLOT_ID], edx
        je      .found
        add     rdi, AP_SLOT_SIZE
        jmp     .next
.found:
        mov     eax, AP_WAITED
        mov     edx, AP_HERE
        lock cmpxchg [rdi + AP_SLOT_STATE], edx
        jne     .park
        mov     rsp, [rdi + AP_SLOT_STACK]
        xor     ebp, ebp
        call    ap_main
.park:
        cli
        hlt
        jmp     .park

section .note.GNU-stack noalloc noexec nowrite progbits
