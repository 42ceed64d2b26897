; SPDX-License-Identifier: MIT
;
; What a user's own shim asks for: shim, "SBAT". Component, generation, vendor,
; package, version, address.

section .sbat progbits alloc noexec nowrite align=1
        db      "sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT.md", 10
        db      "topaz,1,Topaz,topaz,1,-", 10

section .note.GNU-stack noalloc noexec nowrite progbits
