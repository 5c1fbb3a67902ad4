/* See bundle.h. The separator of statements is also that of the instructions of a bundle, so a
 * brace is at the start or at the end of a statement. */
#include "asm/bundle.h"
#include "asm/tasm.h"
#include "lib/bundle.h"
#include "lib/text.h"

/* Returns the offset of the closing brace of the bundle, if the statement ends with it: a brace
 * that has no partner in the statement; or its length. */
static size_t closing_brace(const struct statement *statement)
{
    const char *text = statement->text;
    size_t open = 0, last = statement->length;

    for (size_t i = 0; i < statement->length; i++) {
        if (text[i] == '{')
            open++;
        else if (text[i] == '}' && open)
            open--;
        else if (text[i] == '}')
            last = i;
    }
    return last + 1 == statement->length ? last : statement->length;
}

static void open_bundle(struct assembler *as, struct statement *statement)
{
    struct bundle *bundle = &as->bundle;
    size_t brace = statement->word_offset;

    *bundle = (struct bundle){
        .is_open = true, .at = *position_keep(as, statement->at), .errors = as->diag->errors};
    bundle->at.column += (unsigned)brace;
    bundle->at.length = 1;
    statement->text[brace] = ' ';
    statement_prepare(as, statement);
}

static void blank_closing_brace(struct assembler *as, struct statement *statement)
{
    size_t brace = closing_brace(statement);

    as->bundle.closes = brace < statement->length;
    if (!as->bundle.closes)
        return;
    statement->text[brace] = ' ';
    statement_prepare(as, statement);
}

bool bundle_begin(struct assembler *as, struct statement *statement)
{
    struct bundle *bundle = &as->bundle;
    bool opens = !statement->word_length && statement->text[statement->word_offset] == '{';

    if (!opens && !bundle->is_open)
        return true;
    if (opens && bundle->is_open) {
        struct position at = statement_place(statement, statement->word_offset, 1);
        diag_error(as->diag, &at, "a bundle in a bundle; expected '}' before it");
        diag_note(as->diag, &bundle->at, "the bundle begins here");
        as->ended = true;
        return false;
    }
    if (opens)
        open_bundle(as, statement);
    blank_closing_brace(as, statement);
    const struct meaning *meaning = statement->word ? statement->word->meaning : NULL;
    if (!meaning || !(meaning->directive || meaning->macro || meaning->text || meaning->condition))
        return true;
    struct position at = statement_place(statement, statement->word_offset, statement->word_length);
    diag_error(as->diag, &at, "'%.*s' in a bundle; expected two instructions",
               (int)statement->word_length, statement->text + statement->word_offset);
    return false;
}

void bundle_note(struct assembler *as, const struct isa_instruction *instruction, uint64_t word)
{
    struct bundle *bundle = &as->bundle;

    if (bundle->count < 2)
        bundle->instructions[bundle->count] =
            (struct bundled){instruction, as->mnemonic, word, *position_keep(as, as->at)};
    bundle->count++;
}

/* Returns the names of the classes of the auxiliary pipeline. */
static const char *auxiliary_classes(struct assembler *as)
{
    const char *names = "";

    for (size_t i = 0; i < isa_class_count; i++)
        if (isa_classes[i].bundle == ISA_BUNDLE_AUXILIARY)
            names =
                arena_format(as->arena, "%s%s%s", names, *names ? ", " : "", isa_classes[i].name);
    return names;
}

static void report(struct assembler *as, enum bundle_obstacle obstacle, const char *name)
{
    const struct bundled *one = &as->bundle.instructions[0], *other = one + 1;
    const char *first = one->name, *second = other->name;
    const struct isa_class *classes[] = {one->instruction->timing, other->instruction->timing};

    switch (obstacle) {
    case BUNDLE_POSSIBLE:
        return;
    case BUNDLE_FIRST:
        diag_error(
            as->diag, &one->at, "'%s' is of class %s, which cannot come first in a bundle; %s",
            first, classes[0]->name,
            classes[0]->bundle == ISA_BUNDLE_LAST ? "put it second" : "write it without a bundle");
        return;
    case BUNDLE_SECOND:
        diag_error(as->diag, &other->at,
                   "'%s' is of class %s, which cannot be in a bundle; write it without one", second,
                   classes[1]->name);
        return;
    case BUNDLE_MAIN:
        diag_error(as->diag, &other->at,
                   "'%s' and '%s' are both of the main pipeline; expected one of the auxiliary "
                   "pipeline (classes %s)",
                   first, second, auxiliary_classes(as));
        return;
    case BUNDLE_AUXILIARY:
        diag_error(as->diag, &other->at,
                   "'%s' and '%s' are both of the auxiliary pipeline; expected one of the main "
                   "pipeline (not of classes %s)",
                   first, second, auxiliary_classes(as));
        return;
    case BUNDLE_READ:
    case BUNDLE_WRITE:
        diag_error(as->diag, &other->at,
                   "'%s' %s %s, which '%s' writes in the same bundle; use another register, or "
                   "write them without a bundle",
                   second, obstacle == BUNDLE_READ ? "reads" : "also writes", name, first);
        return;
    }
}

void bundle_end(struct assembler *as)
{
    struct bundle *bundle = &as->bundle;
    const struct bundled *one = &bundle->instructions[0], *other = one + 1;
    const char *name = NULL;

    if (!bundle->closes)
        return;
    bundle->is_open = bundle->closes = false;
    if (as->diag->errors != bundle->errors)
        return;
    if (bundle->count != 2) {
        diag_error(as->diag, &bundle->at, "%u instruction%s in a bundle; expected two",
                   bundle->count, bundle->count == 1 ? "" : "s");
        return;
    }
    enum bundle_obstacle obstacle =
        bundle_check(one->instruction, one->word, other->instruction, other->word, &name);
    report(as, obstacle, name);
}

void bundle_finish(struct assembler *as)
{
    if (as->bundle.is_open && !as->ended)
        diag_error(as->diag, &as->bundle.at, "the bundle does not end; '}' is missing");
    as->bundle.is_open = false; /* the rest of the assembler makes instructions, too */
}
