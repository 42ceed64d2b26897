; SPDX-License-Identifier: MIT
;
; A bare guest for bench-ptmodel: 10^9 instructions in a tight loop of TBs of
; four, 32-bit code without paging, started by multiboot (-kernel). With the
; command line "trace" Intel PT traces it, to one ToPA region of 128 MiB.
;
; Ends through isa-debug-exit at port F4H: QEMU's status is 1 when all is well,
; 3 when fewer bytes were traced than the loop's branches need.
bits 32
org 0x100000

MAGIC           equ 0x1badb002
FLAGS           equ 0x00010000          ; the addresses below count
LOOPS           equ 125000000           ; of 8 instructions and 2 branches
MIN_BYTES       equ LOOPS * 2 / 6       ; a TNT byte has 6 branches at most

TABLE           equ 0x200000
REGION          equ 0x8000000
REGION_SIZE     equ 15 << 6             ; 128 MiB
END             equ 1

RTIT_OUTPUT_BASE equ 0x560
RTIT_OUTPUT_MASK equ 0x561
RTIT_CTL        equ 0x570
RTIT_STATUS     equ 0x571
CTL             equ 0x2100 | 4 | 1      ; BranchEn, ToPA, OS, TraceEn

header:
        dd      MAGIC, FLAGS, -(MAGIC + FLAGS)
        dd      header, 0x100000, 0, 0, start

; wrmsr_low MSR, VALUE: the high half is 0
%macro wrmsr_low 2
        mov     ecx, %1
        mov     eax, %2
        xor     edx, edx
        wrmsr
%endmacro

start:
        mov     esi, [ebx + 16]         ; the command line
        xor     ebp, ebp
.find:  mov     eax, [esi]
        inc     esi
        test    al, al
        jz      .found
        cmp     eax, 'trac'
        jne     .find
        mov     ebp, 1
.found: test    ebp, ebp
        jz      .run
        mov     dword [TABLE], REGION | REGION_SIZE
        mov     dword [TABLE + 4], 0
        mov     dword [TABLE + 8], TABLE | END
        mov     dword [TABLE + 12], 0
        wrmsr_low RTIT_OUTPUT_BASE, TABLE
        wrmsr_low RTIT_OUTPUT_MASK, 0x7f
        wrmsr_low RTIT_STATUS, 0
        wrmsr_low RTIT_CTL, CTL
.run:   mov     ecx, LOOPS
        mov     eax, 1
.loop:  imul    eax, eax, 1664525
        add     eax, 1013904223
        test    eax, 0x10000
        jz      .even
        xor     edi, eax
        inc     edx
        dec     ecx
        jnz     .loop
        jmp     .done
.even:  add     edi, 3
        inc     edx
        dec     ecx
        jnz     .loop
.done:  test    ebp, ebp
        jz      .good
        wrmsr_low RTIT_CTL, 0
        mov     ecx, RTIT_OUTPUT_MASK
        rdmsr
        cmp     edx, MIN_BYTES          ; OutputOffset
        mov     al, 1
        jb      .exit
.good:  xor     eax, eax
.exit:  out     0xf4, al
.hang:  hlt
        jmp     .hang
