; SPDX-License-Identifier: MIT
;
; The ring-3 program of the workload "user", as a file inside the kernel image.
; Data only: run/wl_user.c hands it to the payload loader.

section .rodata align=16

; const u8 user_image[], user_image_end[]: first byte and the one after the last
global user_image
global user_image_end
user_image:
        incbin  "user.elf"
user_image_end:
        db      0

section .note.GNU-stack noalloc noexec nowrite progbits
