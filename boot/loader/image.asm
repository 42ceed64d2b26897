; SPDX-License-Identifier: MIT
;
; The kernel, carried inside the loader: no file is needed to come up.

section .rodata
global kernel_image, kernel_image_end
align 4096
kernel_image:
        incbin  KERNEL
kernel_image_end:

section .note.GNU-stack noalloc noexec nowrite progbits
