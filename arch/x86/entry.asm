; SPDX-License-Identifier: MIT
;
; Ways into the kernel: from the loader, by exceptions and interrupts, by
; SYSCALL; and the way into and out of ring 3.

bits 64
default rel
%include "asm-offsets.inc"

; What the processor pushed, from the vector on.
FRAME_RIP       equ 16
FRAME_RFLAGS    equ 32
FRAME_RSP       equ 40
FIRST_IRQ       equ 32

extern kernel_main
extern trap_dispatch
extern syscall_dispatch

section .stacks nobits alloc write align=4096
global boot_stacks
; Guard page and stack, NR_STACKS times: the guard pages are unmapped by
; paging_init().
boot_stacks:
        resb    STACK_SPAN * NR_STACKS

section .text

; void kernel_entry(struct boot_info *bi)
;
; From the loader: boot/boot_info.h says in what state. Leaves its stack for the
; boot CPU's own. Does not return.
global kernel_entry
kernel_entry:
        lea     rsp, [boot_stacks + STACK_SPAN]
        xor     ebp, ebp
        call    kernel_main
        ud2

; Saves and restores of the registers that the processor does not: struct
; pt_regs from r15 to rdi.
%macro push_regs 0
        push    rdi
        push    rsi
        push    rdx
        push    rcx
        push    rax
        push    r8
        push    r9
        push    r10
        push    r11
        push    rbx
        push    rbp
        push    r12
        push    r13
        push    r14
        push    r15
%endmacro

%macro pop_regs 0
        pop     r15
        pop     r14
        pop     r13
        pop     r12
        pop     rbp
        pop     rbx
        pop     r11
        pop     r10
        pop     r9
        pop     r8
        pop     rax
        pop     rcx
        pop     rdx
        pop     rsi
        pop     rdi
%endmacro

; Stubs: one for each vector, to have the same frame for all. Vectors 8, 10-14,
; 17, 21, 29, 30 come with an error code.
%macro trap_stub 1
trap_%1:
%if %1 == 8 || (%1 >= 10 && %1 <= 14) || %1 == 17 || %1 == 21 || %1 == 29 || %1 == 30
%else
        push    0
%endif
        push    %1
%if %1 == 1 || %1 == 2 || %1 == 8 || %1 == 18
        jmp     trap_paranoid
%else
        jmp     trap_common
%endif
%endmacro

%assign v 0
%rep 256
        trap_stub v
%assign v v + 1
%endrep

; In: vector and error code pushed. GS is the user's exactly when CS was.
trap_common:
        test    byte [rsp + REGS_CS_FROM_VECTOR], 3
        jz      .kernel_gs
        swapgs
.kernel_gs:
        push_regs
        cld
        mov     rdi, rsp
        mov     rbp, rsp
        and     rsp, -16
        call    trap_dispatch
        mov     rsp, rbp
        pop_regs
        test    byte [rsp + REGS_CS_FROM_VECTOR], 3
        jz      .to_kernel
        swapgs
.iret:
        add     rsp, 16
        iretq
.to_kernel:
        cmp     qword [rsp], FIRST_IRQ
        jae     .iret
; A fault of kernel code that was fixed up. It may have happened in the NMI
; handler, and IRET would let the next NMI in, onto the same stack (SDM
; "Handling Multiple NMIs"). So: POPF and RET, from below the interrupted stack
; pointer. That overwrites the upper part of this frame, which is read before.
        push    rax
        push    rbx
        push    rcx
        push    rdx
        mov     rax, [rsp + 32 + FRAME_RSP]
        mov     rbx, [rsp + 32 + FRAME_RIP]
        mov     rcx, [rsp + 32 + FRAME_RFLAGS]
        mov     rdx, [rsp + 24]         ; the interrupted RAX
        mov     [rax - 8], rbx
        mov     [rax - 16], rcx
        mov     [rax - 24], rdx
        pop     rdx
        pop     rcx
        pop     rbx
        lea     rsp, [rax - 24]
        pop     rax
        popfq
        ret

; For what comes between any two instructions, also around SWAPGS: the GS base
; itself says whose it is. Kernel addresses are negative.
trap_paranoid:
        push_regs
        cld
        mov     ecx, 0xc0000101         ; MSR_GS_BASE
        rdmsr
        xor     ebx, ebx
        test    edx, edx
        js      .kernel_gs
        swapgs
        inc     ebx
.kernel_gs:
        mov     rdi, rsp
        mov     rbp, rsp
        and     rsp, -16
        call    trap_dispatch
        mov     rsp, rbp
        test    ebx, ebx
        jz      .done
        swapgs
.done:
        pop_regs
        add     rsp, 16
        iretq

; SYSCALL: RCX = user RIP, R11 = user RFLAGS, interrupts off by the mask.
; Builds struct pt_regs on the kernel stack and calls syscall_dispatch(regs).
global syscall_entry
syscall_entry:
        swapgs
        mov     [gs:CPU_USER_RSP], rsp
        mov     rsp, [gs:CPU_KERNEL_RSP]
        push    USER_DS
        push    qword [gs:CPU_USER_RSP]
        push    r11
        push    USER_CS
        push    rcx
        push    0                       ; error
        push    -1                      ; vector
        push_regs
        mov     rdi, rsp
        mov     rbp, rsp
        and     rsp, -16
        sti
        call    syscall_dispatch
        cli
        mov     rsp, rbp
        pop_regs
        add     rsp, 16
        pop     rcx                     ; user RIP
        add     rsp, 8
        pop     r11                     ; user RFLAGS
        pop     rsp
        swapgs
        o64 sysret

; int user_enter(u64 rip, u64 rsp, u64 arg)
;
; Enters ring 3; returns when user_leave() is called on this CPU. The stack
; below is what SYSCALL and interrupts from ring 3 use meanwhile.
; Context: thread, kernel GS.
global user_enter
user_enter:
        push    rbx
        push    rbp
        push    r12
        push    r13
        push    r14
        push    r15
        cli
        mov     [gs:CPU_RUN_RSP], rsp
        mov     rax, rsp
        and     rax, -16
        mov     [gs:CPU_KERNEL_RSP], rax
        mov     [gs:CPU_TSS_RSP0], rax
        push    USER_DS
        push    rsi
        push    0x202                   ; IF
        push    USER_CS
        push    rdi
        mov     rdi, rdx
        xor     eax, eax
        xor     ebx, ebx
        xor     ecx, ecx
        xor     edx, edx
        xor     esi, esi
        xor     ebp, ebp
        xor     r8d, r8d
        xor     r9d, r9d
        xor     r10d, r10d
        xor     r11d, r11d
        xor     r12d, r12d
        xor     r13d, r13d
        xor     r14d, r14d
        xor     r15d, r15d
        swapgs
        iretq

; void user_leave(int status)
;
; user_enter() of this CPU returns status. From a system call or a fault of
; ring 3: kernel GS, any stack above run_rsp's. Does not return.
global user_leave
user_leave:
        cli
        mov     rsp, [gs:CPU_RUN_RSP]
        mov     eax, edi
        pop     r15
        pop     r14
        pop     r13
        pop     r12
        pop     rbp
        pop     rbx
        sti
        ret

section .rodata
global trap_stubs
align 8
trap_stubs:
%assign v 0
%rep 256
        dq      trap_ %+ v
%assign v v + 1
%endrep

section .note.GNU-stack noalloc noexec nowrite progbits
