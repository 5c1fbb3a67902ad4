/* The start of a static position-independent program on a C library that has none: Debian's
 * glibc 2.36 for riscv64. It relocates the program and tells the library where it is. */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#define HIDDEN __attribute__((visibility("hidden")))

extern const Elf64_Dyn _DYNAMIC[] HIDDEN;
extern const Elf64_Ehdr __ehdr_start HIDDEN;
extern uintptr_t *_dl_ns[] __attribute__((weak)); /* the first map begins with the load address */
extern int main(int, char **, char **);
extern int __libc_start_main(int (*)(int, char **, char **), int, char **, void (*)(void),
                             void (*)(void), void (*)(void), void *);

__asm__(".globl _start\n_start: mv a1, a0\n mv a0, sp\n and sp, sp, -16\n tail begin\n");

__attribute__((used, noreturn)) void begin(long *stack, void (*finish)(void))
{
    uintptr_t base = (uintptr_t)&__ehdr_start;
    const Elf64_Rela *rela = NULL;
    const Elf64_Sym *symbols = NULL;
    size_t count = 0;

    for (const Elf64_Dyn *d = _DYNAMIC; d->d_tag; d++) {
        if (d->d_tag == DT_RELA)
            rela = (const void *)(base + d->d_un.d_ptr);
        if (d->d_tag == DT_RELASZ)
            count = d->d_un.d_val / sizeof *rela;
        if (d->d_tag == DT_SYMTAB)
            symbols = (const void *)(base + d->d_un.d_ptr);
    }
    for (int indirect = 0; indirect < 2; indirect++)
        for (size_t i = 0; i < count; i++) {
            uint64_t *place = (uint64_t *)(base + rela[i].r_offset);
            const Elf64_Sym *symbol = &symbols[ELF64_R_SYM(rela[i].r_info)];
            uint64_t value =
                symbol->st_value + (symbol->st_shndx == SHN_ABS || !symbol->st_shndx ? 0 : base);
            unsigned type = ELF64_R_TYPE(rela[i].r_info);
            if (type == R_RISCV_IRELATIVE && indirect)
                *place = ((uint64_t(*)(void))(base + rela[i].r_addend))();
            else if (type == R_RISCV_RELATIVE && !indirect)
                *place = base + rela[i].r_addend;
            else if ((type == R_RISCV_64 || type == R_RISCV_JUMP_SLOT) && !indirect)
                *place = value + rela[i].r_addend;
            else if (type == R_RISCV_TLS_TPREL64 && !indirect)
                *place = symbol->st_value + rela[i].r_addend;
            else if (type == R_RISCV_TLS_DTPMOD64 && !indirect)
                *place = 1;
            else if (type == R_RISCV_TLS_DTPREL64 && !indirect)
                *place = symbol->st_value + rela[i].r_addend - 0x800;
        }
    *_dl_ns[0] = base;
    __libc_start_main(main, (int)stack[0], (char **)(stack + 1), NULL, NULL, finish, stack);
    __builtin_trap();
}
