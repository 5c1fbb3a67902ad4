/* unicorn PROGRAM [ARGUMENT…]: runs a static RISC-V program under the Unicorn engine, the peer that
 * other tools embed. It offers what the freestanding workloads need: a stack with the arguments,
 * and the system calls write (to standard output) and exit. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unicorn/unicorn.h>

enum { PAGE = 4096, STACK = 0x100000, WRITE = 64, EXIT = 93 };
static const uint64_t stack_top = 0x7f000000;

static void require(uc_err error, const char *what)
{
    if (error != UC_ERR_OK) {
        fprintf(stderr, "unicorn: %s: %s\n", what, uc_strerror(error));
        exit(2);
    }
}

/* Reads the whole file. */
static char *read_file(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return NULL;
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size);
    size_t found = bytes ? fread(bytes, 1, *size, file) : 0;
    fclose(file);
    return found == *size ? bytes : NULL;
}

/* Maps the pages of all segments, which may share one, and fills them. */
static uint64_t load(uc_engine *engine, const char *bytes)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(bytes + header->e_phoff);
    uint64_t low = UINT64_MAX, high = 0;

    for (int i = 0; i < header->e_phnum; i++) {
        const Elf64_Phdr *segment = &segments[i];
        if (segment->p_type != PT_LOAD)
            continue;
        low = segment->p_vaddr < low ? segment->p_vaddr : low;
        high =
            segment->p_vaddr + segment->p_memsz > high ? segment->p_vaddr + segment->p_memsz : high;
    }
    low &= ~(uint64_t)(PAGE - 1);
    high = (high + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    require(uc_mem_map(engine, low, high - low, UC_PROT_ALL), "map the program");
    for (int i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD)
            require(uc_mem_write(engine, segments[i].p_vaddr, bytes + segments[i].p_offset,
                                 segments[i].p_filesz),
                    "load a segment");
    return header->e_entry;
}

/* Lays out argc and argv as the kernel does; the environment and the auxiliary vector are empty. */
static void push_arguments(uc_engine *engine, int argc, char **argv)
{
    uint64_t strings = stack_top - STACK / 2, sp = strings - 0x1000, at = sp;
    uint64_t count = (uint64_t)argc;

    require(uc_mem_map(engine, stack_top - STACK, STACK, UC_PROT_READ | UC_PROT_WRITE),
            "map the stack");
    require(uc_mem_write(engine, at, &count, 8), "write argc");
    for (int i = 0; i < argc; i++) {
        require(uc_mem_write(engine, at += 8, &strings, 8), "write argv");
        require(uc_mem_write(engine, strings, argv[i], strlen(argv[i]) + 1), "write an argument");
        strings += strlen(argv[i]) + 1;
    }
    require(uc_reg_write(engine, UC_RISCV_REG_SP, &sp), "set sp");
}

/* Serves the program's system calls; exit stores its status in `status`. */
static void system_call(uc_engine *engine, uint32_t cause, void *status)
{
    uint64_t number, first, second, third;

    uc_reg_read(engine, UC_RISCV_REG_A7, &number);
    uc_reg_read(engine, UC_RISCV_REG_A0, &first);
    uc_reg_read(engine, UC_RISCV_REG_A1, &second);
    uc_reg_read(engine, UC_RISCV_REG_A2, &third);
    char text[256];
    if (number == WRITE && third <= sizeof text &&
        uc_mem_read(engine, second, text, third) == UC_ERR_OK) {
        uint64_t written = fwrite(text, 1, third, stdout);
        uc_reg_write(engine, UC_RISCV_REG_A0, &written);
        return;
    }
    if (number != EXIT)
        fprintf(stderr, "unicorn: trap %u, system call %llu\n", cause, (unsigned long long)number);
    *(int *)status = number == EXIT ? (int)first : 2;
    uc_emu_stop(engine);
}

int main(int argc, char **argv)
{
    size_t size = 0;
    char *bytes = argc > 1 ? read_file(argv[1], &size) : NULL;

    if (!bytes || size < sizeof(Elf64_Ehdr)) {
        fprintf(stderr, "usage: unicorn PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    uc_engine *engine;
    uc_hook hook;
    int status = 2;
    uint64_t floating_point_on = 3 << 13;
    require(uc_open(UC_ARCH_RISCV, UC_MODE_RISCV64, &engine), "open");
    uint64_t entry = load(engine, bytes);
    push_arguments(engine, argc - 1, argv + 1);
    require(uc_reg_write(engine, UC_RISCV_REG_MSTATUS, &floating_point_on),
            "switch floating point on");
    require(uc_hook_add(engine, &hook, UC_HOOK_INTR, (void *)system_call, &status, (uint64_t)1,
                        (uint64_t)0),
            "hook system calls");
    require(uc_emu_start(engine, entry, UINT64_MAX, 0, 0), "run");
    uc_close(engine);
    return status;
}
