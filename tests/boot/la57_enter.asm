; SPDX-License-Identifier: MIT
;
; Into 5-level paging and back to the caller.

%define CR0_PG          31
%define CR4_LA57        12
%define CODE64          0x08
%define CODE32          0x10
%define DATA            0x18

default rel
section .text

; void la57_enter(void *low, u64 root)
;
; In: low: a page below 4 GiB that may run; root: tables of 5 levels below
; 4 GiB in which all is where it is now; the stack lies below 4 GiB.
global la57_enter
la57_enter:
        push    rbx
        push    rbp
        push    r12
        push    r13
        push    r14
        push    r15
        pushfq
        cli
        mov     rbx, rdi
        mov     ebp, esi
        lea     rsi, [low]
        mov     ecx, low_end - low
        rep movsb
        sub     rsp, 16
        sgdt    [rsp]
        mov     eax, cs
        push    rax
        lea     rax, [.back]
        push    rax
        mov     ecx, ss
        jmp     rbx
.back:
        add     rsp, 16
        mov     ds, ecx
        mov     es, ecx
        mov     ss, ecx
        popfq
        pop     r15
        pop     r14
        pop     r13
        pop     r12
        pop     rbp
        pop     rbx
        ret

; In: EBX: here, EBP: root, the stack: where to go back, then the old GDT.
low:
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
        mov     edx, cr4
        bts     edx, CR4_LA57
        mov     cr4, edx
        mov     cr3, ebp
        bts     eax, CR0_PG
        mov     cr0, eax
        lea     eax, [ebx + .code64 - low]
        push    CODE64
        push    eax
        retf
bits 64
.code64:
        mov     esp, esp                ; upper halves were not kept
        mov     ecx, ecx
        ; The caller's segments are those of its GDT, which comes first.
        lgdt    [rsp + 16]
        retfq

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
