; SPDX-License-Identifier: MIT
;
; Start of an application processor: real mode to long mode.
;
; ap_start..ap_end is copied to a page below 1 MiB and entered in real mode with
; CS = page >> 4, so every address in it is relative to ap_start. The
; parameters behind it are written by arch/x86/smp.c.

bits 64
default rel
%include "asm-offsets.inc"
%define R(x) ((x) - ap_start)

extern ap_main

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
        mov     rdi, [rbx + R(ap_params) + AP_CPU]
        mov     rsi, [rbx + R(ap_params) + AP_KERNEL_CR3]
        mov     rsp, [rbx + R(ap_params) + AP_STACK]
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

; From the trampoline, at its linked address, on the loader's tables.
; In: RDI = struct cpu, RSI = the kernel's CR3, RSP = top of the thread stack.
global ap_entry
ap_entry:
        mov     cr3, rsi
        xor     ebp, ebp
        call    ap_main
        ud2

section .note.GNU-stack noalloc noexec nowrite progbits
