; SPDX-License-Identifier: MIT
;
; Into the firmware's ResetSystem and, should it not end there, out again.

bits 64
default rel

section .bss
alignb 8
kernel_cr3:     resq 1
kernel_rsp:     resq 1

section .text

; void efi_call_reset(u64 fn, u64 cr3, u64 stack_top, u64 type)
;
; Calls fn(type, 0, 0, NULL) in the Microsoft convention on the loader's tables
; and stack. Interrupts are on meanwhile, so that the timer can end it: UEFI
; allows that for runtime services.
; Context: interrupts off; on any stack of the kernel. Returns with interrupts
; off, when fn does or efi_call_abandon() is called.
global efi_call_reset
efi_call_reset:
        push    rbx
        push    rbp
        push    r12
        push    r13
        push    r14
        push    r15
        mov     [kernel_rsp], rsp
        mov     rax, cr3
        mov     [kernel_cr3], rax
        mov     cr3, rsi
        lea     rsp, [rdx - 32]         ; shadow space; stays 16-byte aligned
        xor     ebp, ebp
        mov     rax, rdi
        xor     edx, edx                ; RCX is the type already
        xor     r8d, r8d
        xor     r9d, r9d
        sti
        call    rax

; void efi_call_abandon(void)
;
; From an exception or interrupt handler while fn runs: goes back to the caller
; of efi_call_reset(). The frame of the handler is left behind.
global efi_call_abandon
efi_call_abandon:
        cli
        cld
        mov     rax, [kernel_cr3]
        mov     cr3, rax
        mov     rsp, [kernel_rsp]
        pop     r15
        pop     r14
        pop     r13
        pop     r12
        pop     rbp
        pop     rbx
        ret

section .note.GNU-stack noalloc noexec nowrite progbits
