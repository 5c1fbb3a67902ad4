/* See report.h. */
#include "emu/report/report.h"
#include "emu/report/backtrace.h"
#include "emu/report/illegal.h"
#include "emu/trap.h"
#include "emu/user/thread.h"
#include "emu/workers/workers.h"
#include "isa_ids.h"
#include "lib/digits.h"
#include "lib/disasm.h"
#include "lib/source.h"
#include "lib/trace/thread_name.h"
#include <inttypes.h>

struct report {
    const struct machine *machine;
    const struct program *program;
    struct source *source;
    struct text text;
};

/* Appends `0x10074 <main+0x10> at file.c:12`. The line of a return address is that of the call. */
static void append_place(struct report *report, uint64_t address, bool is_return)
{
    const struct elf_symbol *symbol = backtrace_function(report->machine, report->program, address);
    struct text line = TEXT_INIT;

    text_format(&report->text, "0x%" PRIx64, address);
    if (symbol) {
        text_append(&report->text, " <");
        disasm_name(&report->text, symbol->name);
        if (address != symbol->raw.st_value)
            text_format(&report->text, "+0x%" PRIx64, address - symbol->raw.st_value);
        text_append(&report->text, ">");
    }
    if (source_append(report->source, &line, is_return ? address - 1 : address)) {
        text_append(&report->text, " at ");
        text_append_visible(&report->text, line.bytes);
    }
    text_free(&line);
}

/* Describes the page of the address. */
static const char *page_text(const struct machine *machine, uint64_t address)
{
    if (address < MEMORY_PAGE)
        return "the null page";
    if (address >= MEMORY_LIMIT)
        return "beyond the address space";
    unsigned page = machine->memory.pages[address >> MEMORY_PAGE_BITS];
    if (!page)
        return "not mapped";
    if (page & PAGE_LATER)
        return "after the end of the mapped file";
    bool read = page & PAGE_READ, write = page & PAGE_WRITE, execute = page & PAGE_EXECUTE;
    return !read     ? "mapped without access"
           : write   ? (execute ? "mapped" : "not executable")
           : execute ? "read-only code"
                     : "read-only";
}

/* Describes the address of a tensor operand. The operand may have to be in the other memory, its
 * page may be read-only, and its elements may need a larger alignment than the address has. */
static void append_tensor_address(struct report *report, uint64_t address)
{
    static const char *const alignments[] = {
        [1] = ", odd", [2] = ", a multiple of 2", [4] = ", a multiple of 4"};
    const struct machine *machine = report->machine;
    unsigned page = address < MEMORY_LIMIT ? machine->memory.pages[address >> MEMORY_PAGE_BITS] : 0;

    text_format(&report->text, ", address 0x%" PRIx64 ": ", address);
    if (address - machine->config.scratchpad_base < machine->config.scratchpad_size)
        text_append(&report->text, "in the scratchpad");
    else if (page & PAGE_WRITE)
        text_append(&report->text, "in main memory");
    else
        text_format(&report->text, "%s%s", page & PAGE_READ ? "in main memory, " : "",
                    page_text(machine, address));
    if (address % sizeof(uint64_t))
        text_append(&report->text, alignments[address & -address]);
}

static void append_cause(struct report *report)
{
    const struct machine *machine = report->machine;
    const struct fault *fault = &machine->fault;

    text_format(&report->text, "temu: %s: %s (cause %d", report->program->name,
                fault_text(fault->cause), fault->cause);
    switch (fault->cause) {
    case CAUSE_FETCH_ACCESS:
    case CAUSE_LOAD_ACCESS:
    case CAUSE_STORE_ACCESS:
        text_format(&report->text, ", address 0x%" PRIx64 ": %s", fault->value,
                    page_text(machine, fault->value));
        break;
    case CAUSE_ILLEGAL_INSTRUCTION:
    case CAUSE_USER_ECALL:
    case CAUSE_MACHINE_ECALL:
        break;
    case CAUSE_TENSOR_ACCESS:
        append_tensor_address(report, fault->value);
        break;
    case CAUSE_TENSOR_CONFIGURATION:
        text_format(&report->text, ", value 0x%" PRIx64, fault->value);
        break;
    default:
        if (fault_explain(fault->cause)) /* says what the value is */
            break;
        text_format(&report->text, ", address 0x%" PRIx64, fault->value);
    }
    text_format(&report->text, "): SIG%s\n",
                sigabbrev_np(memory_fault_signal(&machine->memory, &machine->fault)));
}

/* ---- the instruction and its registers ---- */

static void append_register(const struct machine *machine, struct text *text,
                            const struct isa_register_file *file, unsigned number)
{
    char item[80 + 16 * ISA_WORDS_LIMIT];

    if (number >= file->count || (file->zero && number == 0))
        return;
    int length = snprintf(item, sizeof item, "  %s 0x", file->names[number]);
    const uint64_t *words = hart_register(&machine->hart, file, number);
    *put_words(item + length, words, file->words) = '\0';
    if (!text->length || !strstr(text->bytes, item))
        text_append(text, item);
}

static void append_operand(const struct machine *machine, struct text *text,
                           const struct isa_operand *operand, uint64_t word)
{
    const struct isa_operand_type *type = operand->type;
    int64_t value = isa_extract(operand, word);

    if (type->kind == ISA_REGISTER && type->access & ISA_READ)
        append_register(machine, text, type->file, value);
    else if (type->kind == ISA_REGISTER_OR_IMMEDIATE && !isa_ri_is_immediate(type, value))
        append_register(machine, text, type->file, isa_ri_value(type, value));
    else if (type->kind == ISA_REGISTER_GROUP && type->access & ISA_READ)
        for (unsigned i = 0; i < type->group_count; i++)
            append_register(machine, text, type->file, value + i);
}

/* Appends why the machine refuses the instruction, whose base has the word. */
static void append_reason(struct report *report, const struct isa_instruction *instruction,
                          const struct isa_instruction *base, uint64_t word)
{
    struct text reason = TEXT_INIT;

    illegal_append(&reason, report->machine, instruction, base, word);
    if (reason.length)
        text_format(&report->text, "               %s\n", reason.bytes);
    text_free(&reason);
}

static void append_instruction(struct report *report)
{
    uint64_t pc = report->machine->hart.pc;
    const struct disasm disasm = {.symbols = &report->program->symbols};
    uint64_t word;
    int length;

    if (!backtrace_fetch(&report->machine->memory, pc, &word, &length))
        return;
    text_format(&report->text, "  instruction  %0*" PRIx64 "  ", length * 2, word);
    size_t start = report->text.length;
    disasm_instruction(&disasm, &report->text, pc, word, length);
    for (char *tab; (tab = strchr(report->text.bytes + start, '\t')) != NULL;)
        *tab = ' ';
    text_append(&report->text, "\n");
    const struct isa_instruction *instruction = isa_decode(word, length);
    if (!instruction) {
        char buffer[160];
        text_format(&report->text, "               %s\n",
                    isa_explain(word, length, buffer, sizeof buffer));
        return;
    }
    const struct isa_instruction *base = isa_expand(instruction, &word);
    if (report->machine->fault.cause == CAUSE_ILLEGAL_INSTRUCTION)
        append_reason(report, instruction, base, word);
    struct text registers = TEXT_INIT;
    instruction = base;
    for (unsigned i = 0; i < instruction->operand_count; i++)
        append_operand(report->machine, &registers, &instruction->operands[i], word);
    if (registers.length)
        text_format(&report->text, "  registers  %s\n", registers.bytes);
    text_free(&registers);
}

/* Appends the range of the scratchpad, because the address of a tensor operand alone does not
 * explain the fault. */
static void append_scratchpad(struct report *report)
{
    const struct machine *machine = report->machine;
    uint64_t base = machine->config.scratchpad_base;

    if (machine->fault.cause == CAUSE_TENSOR_ACCESS)
        text_format(&report->text, "  scratchpad   0x%" PRIx64 " to 0x%" PRIx64 "\n", base,
                    base + machine->config.scratchpad_size - 1);
}

/* Appends the sentence that explains the fault, with the value and settings in it. */
static void append_explanation(struct report *report)
{
    const struct fault *fault = &report->machine->fault;
    const char *at = fault_explain(fault->reason);

    if (!at)
        return;
    text_append(&report->text, "  value        ");
    for (; *at; at++) {
        size_t length = *at == '{' ? strcspn(at + 1, "}") : 0;
        if (!length)
            text_append_char(&report->text, *at);
        else if (strncmp(at + 1, "value}", 6) == 0)
            text_format(&report->text, "%" PRId64, (int64_t)fault->value);
        else if (strncmp(at + 1, "address}", 8) == 0)
            text_format(&report->text, "0x%" PRIx64, fault->value);
        else
            config_append(&report->machine->config, &report->text, at + 1, length);
        at += length ? length + 1 : 0;
    }
    text_append(&report->text, "\n");
}

/* Returns the end of the last section of code that ends at or before the address; 0: none. */
static uint64_t code_end(const struct elf_file *file, uint64_t address)
{
    uint64_t last = 0;

    for (size_t i = 0; i < file->section_count; i++) {
        const Elf64_Shdr *section = &file->sections[i].header;
        uint64_t end = section->sh_addr + section->sh_size;
        if (!(section->sh_flags & SHF_EXECINSTR))
            continue;
        if (address >= section->sh_addr && address < end)
            return 0;
        if (end <= address && end > last)
            last = end;
    }
    return last;
}

/* Appends `0x10078 <main+0x14>`, where the symbol is that of the last byte before the address. */
static void append_end(struct report *report, uint64_t end)
{
    const struct elf_symbol *symbol = symbolizer_find(&report->program->symbols, end - 1);

    text_format(&report->text, "0x%" PRIx64, end);
    if (!symbol)
        return;
    text_append(&report->text, " <");
    text_append_visible(&report->text, symbol->name);
    text_format(&report->text, "+0x%" PRIx64 ">", end - symbol->raw.st_value);
}

/* Explains a fault right after the code, where there are zeros, data, or nothing. */
static void append_end_of_code(struct report *report)
{
    const struct machine *machine = report->machine;
    uint64_t pc = machine->hart.pc, end = code_end(&report->program->file, pc);
    enum cause cause = machine->fault.cause;

    if (!end || pc - end >= MEMORY_PAGE ||
        (cause != CAUSE_FETCH_ACCESS && cause != CAUSE_ILLEGAL_INSTRUCTION))
        return;
    text_append(&report->text, "  the program ran past the end of its code at ");
    append_end(report, end);
    text_append(&report->text, "\n");
}

static void append_backtrace(struct report *report)
{
    struct backtrace_frame frames[BACKTRACE_FRAMES];
    unsigned count = backtrace(report->machine, report->program, frames);

    text_append(&report->text, "  backtrace\n");
    for (unsigned i = 0; i < count; i++) {
        text_format(&report->text, "    #%u  ", i);
        if (frames[i].is_trampoline)
            text_format(&report->text, "0x%" PRIx64 " <signal handler called>", frames[i].address);
        else
            append_place(report, frames[i].address, frames[i].is_return);
        text_append(&report->text, "\n");
    }
}

static void append_running_thread(struct report *report)
{
    const struct machine *machine = report->machine;
    const struct user *user = &machine->user;
    struct text *text = &report->text;
    char name[THREAD_NAME_SIZE];

    if (!machine->workers && user->thread_count <= 1)
        return;
    text_append(text, "  thread       ");
    text_append(text, machine->workers
                          ? workers_name(machine, (unsigned)workers_self(machine))
                          : thread_name(name, false, user_thread_number(user->thread)));
    if (user->thread_count > 1)
        text_format(text, ", tid %" PRIu32 " (%s)", user->thread->id, user->thread->name);
    text_append(text, "\n");
}

void report_fault(const struct machine *machine, const struct program *program, FILE *stream)
{
    struct report report = {.machine = machine,
                            .program = program,
                            .source = source_open(&program->image, program->moved)};

    append_cause(&report);
    append_running_thread(&report);
    text_append(&report.text, "  pc           ");
    append_place(&report, machine->hart.pc, false);
    text_append(&report.text, "\n");
    append_instruction(&report);
    append_scratchpad(&report);
    append_explanation(&report);
    append_end_of_code(&report);
    append_backtrace(&report);
    fwrite(report.text.bytes, 1, report.text.length, stream);
    text_free(&report.text);
    source_close(report.source);
}

void report_append_code(const struct machine *machine, const struct program *program,
                        struct text *text, uint64_t address)
{
    struct report report = {.machine = machine,
                            .program = program,
                            .source = source_open(&program->image, program->moved),
                            .text = *text};

    append_place(&report, address, false);
    *text = report.text;
    source_close(report.source);
}

void report_append_place(const struct machine *machine, const struct program *program,
                         struct text *text)
{
    report_append_code(machine, program, text, machine->hart.pc);
}

void report_place(const struct machine *machine, const struct program *program, FILE *stream)
{
    struct text text = TEXT_INIT;

    report_append_place(machine, program, &text);
    fwrite(text.bytes, 1, text.length, stream);
    text_free(&text);
}

/* ---- threads ---- */

/* Appends `tid 3 (name)`. */
static void append_thread_name(struct text *text, const struct user_thread *thread)
{
    text_format(text, "tid %" PRIu32, thread->id);
    if (thread->name[0])
        text_format(text, " (%s)", thread->name);
}

static void append_futex(struct text *text, const struct user_thread *thread)
{
    if (thread->state == THREAD_WAITS && thread->wait.kind == WAIT_FUTEX && thread->wait.address)
        text_format(text, " at 0x%" PRIx64, thread->wait.address);
}

static void append_thread(struct report *report, const struct user_thread *thread)
{
    struct text *text = &report->text;
    char name[THREAD_NAME_SIZE];

    text_format(text, "  %s, ", thread_name(name, false, user_thread_number(thread)));
    append_thread_name(text, thread);
    text_format(text, ": %s", user_thread_activity(thread));
    append_futex(text, thread);
    text_append(text, ", pc ");
    append_place(report, user_thread_pc(report->machine, thread), false);
    text_append(text, "\n");
}

static void append_worker(struct report *report, unsigned thread)
{
    const struct machine *machine = report->machine;
    const struct user_thread *owner = user_worker_thread(&machine->user, thread);
    struct text *text = &report->text;

    text_format(text, "  %s", workers_name(machine, thread));
    if (owner && machine->user.is_threaded) {
        text_append(text, ", ");
        append_thread_name(text, owner);
    }
    text_format(text, ": %s", user_worker_activity(machine, thread));
    if (owner)
        append_futex(text, owner);
    text_append(text, ", pc ");
    append_place(report, workers_pc(report->machine, thread), false);
    text_append(&report->text, "\n");
}

void report_threads(const struct machine *machine, const struct program *program, FILE *stream)
{
    const struct user *user = &machine->user;
    struct report report = {.machine = machine,
                            .program = program,
                            .source = source_open(&program->image, program->moved)};

    for (unsigned i = 0; machine->workers && i <= machine->workers->count; i++)
        if (workers_is_active(machine, i))
            append_worker(&report, i);
    for (unsigned i = 0; !machine->bare.active && !machine->workers && i < user->thread_count; i++)
        append_thread(&report, user->threads[i]);
    fwrite(report.text.bytes, 1, report.text.length, stream);
    text_free(&report.text);
    source_close(report.source);
}
