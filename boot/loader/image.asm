; SPDX-License-Identifier: MIT
;
; The kernel, carried inside the loader: no file is needed to come up.

section .rodata
global kernel_image, kernel_image_end
align 4096
kernel_image:
        incbin  KERNEL
kernel_image_end:

; What a user's own shim asks for: UEFI shim, "SBAT". Component, generation,
; vendor, package, version, address.
section .sbat progbits alloc noexec nowrite align=1
        db      "sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT.md", 10
        db      "topaz,1,Topaz,topaz,1,-", 10

section .note.GNU-stack noalloc noexec nowrite progbits
