; SPDX-License-Identifier: MIT
;
; From the firmware's tables to the kernel's.

%include "loader-offsets.inc"

%define EFER            0xc0000080
%define CR0_WP          16
%define CR0_PG          31
%define CR4_LA57        12
; Left on, these refuse a step below or outlive it: global pages, process
; contexts, shadow stacks.
%define CR4_OFF         (1 << 7 | 1 << 17 | 1 << 23)

%define LOW_SIZE        4096
%define CODE64          0x08
%define CODE32          0x10
%define DATA            0x18

default rel
section .text

; void switch_to_kernel(const struct switch_args *args)
;
; In: boot services are gone. This code lies at the same address in the
; firmware's tables and in those of args; the firmware's stack and args may not.
; Does not return.
global switch_to_kernel
switch_to_kernel:
        cli
        cld
        mov     ecx, EFER
        rdmsr
        or      eax, [rdi + SWITCH_EFER]
        wrmsr
        mov     rax, cr4
        and     rax, ~CR4_OFF
        mov     cr4, rax
        mov     rdx, [rdi + SWITCH_CR3_5]
        test    rdx, rdx
        jnz     .five
        mov     rdx, [rdi + SWITCH_CR3]
        mov     r9, [rdi + SWITCH_STACK]
        mov     r10, [rdi + SWITCH_ENTRY]
        mov     rdi, [rdi + SWITCH_BI]
        mov     cr3, rdx
        mov     rax, cr0
        bts     rax, CR0_WP
        mov     cr0, rax
        mov     rsp, r9
        xor     ebp, ebp
        push    rbp
        jmp     r10

; Levels change only with paging off, so in 32-bit code, so below 4 GiB. That
; code runs on tables of our own: the firmware's may not let a new page run.
.five:
        mov     rbx, rdi
        mov     r8, [rbx + SWITCH_LOW]
        mov     rdi, r8
        lea     rsi, [low]
        mov     ecx, low_end - low
        rep movsb
        mov     rsi, rbx
        mov     ecx, SWITCH_SIZE
        rep movsb
        mov     cr3, rdx
        lea     rsp, [r8 + LOW_SIZE]
        jmp     r8

; Copied to a page below 4 GiB, struct switch_args behind it.
; In: 64-bit mode, 5 levels, RSP: end of the page.
low:
        lea     rbx, [low]
        lea     rax, [gdt]
        mov     [gdtr + 2], rax
        lgdt    [gdtr]
        push    CODE32
        lea     rax, [.code32]
        push    rax
        retfq

bits 32
.code32:
        mov     eax, DATA
        mov     ds, eax
        mov     es, eax
        mov     ss, eax
        mov     eax, cr0
        btr     eax, CR0_PG
        mov     cr0, eax
        mov     eax, cr4
        btr     eax, CR4_LA57
        mov     cr4, eax
        mov     eax, [ebx + low_end - low + SWITCH_CR3]
        mov     cr3, eax
        mov     eax, cr0
        bts     eax, CR0_PG             ; EFER.LME is still set
        bts     eax, CR0_WP
        mov     cr0, eax
        lea     eax, [ebx + .code64 - low]
        push    CODE64
        push    eax
        retf

bits 64
.code64:
        mov     ebx, ebx                ; its upper half was not kept
        lea     rbx, [rbx + low_end - low]
        mov     rdi, [rbx + SWITCH_BI]
        mov     rsp, [rbx + SWITCH_STACK]
        xor     ebp, ebp
        push    rbp
        jmp     [rbx + SWITCH_ENTRY]

align 8
gdt:
        dq      0
        dq      0x00af9b000000ffff      ; CODE64
        dq      0x00cf9b000000ffff      ; CODE32
        dq      0x00cf93000000ffff      ; DATA
gdtr:
        dw      gdtr - gdt - 1
        dq      0
low_end:

section .note.GNU-stack noalloc noexec nowrite progbits
