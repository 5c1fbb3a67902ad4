# The toolchain: `make` builds the tools into build/, `make demo` runs a kernel, `make check` runs all tests.
# SANITIZE=1 builds with the address and undefined-behavior sanitizers, into a directory of its own.
# SHARED=1 links against the shared libraries of the host, where it has archives too (SHARED= against the archives).
# ISA_EXTRA=file.yaml… adds instructions from outside the tree (docs/adding-an-instruction.md).

PREFIX   ?= /usr/local
CC       ?= cc
comma    := ,
SANITIZE ?=
# What the build runs itself is compiled by HOSTCC when CC compiles for another machine (docs/testing.md).
HOSTCC   ?= cc
MACHINE  := $(shell $(CC) -dumpmachine)
CPU      := $(firstword $(subst -, ,$(MACHINE)))
CROSS    := $(if $(filter $(CPU)-%,$(shell $(HOSTCC) -dumpmachine)),,$(MACHINE)-)
# How tools for the other machine are run.
RUN      ?= $(if $(CROSS),$(shell command -v qemu-$(CPU)))
PKG_CONFIG ?= $(if $(CROSS),PKG_CONFIG_LIBDIR=/usr/lib/$(MACHINE)/pkgconfig )pkg-config
BUILD    ?= build$(if $(SANITIZE),/sanitize)
GEN      := $(BUILD)/gen

PACKAGES      := gcc make flex bison pkg-config libyaml-dev libelf-dev libdw-dev libzstd-dev libbz2-dev liblzma-dev zlib1g-dev \
                 libprotobuf-c-dev protobuf-c-compiler
TEST_PACKAGES := 'llvm-14|llvm-22' 'llvm-14-tools|llvm-22-tools' 'clang-14|clang-22' llvm-22 libcmocka-dev libmpfr-dev python3 python3-yaml binutils-riscv64-linux-gnu \
                 gcc-riscv64-linux-gnu g++-riscv64-linux-gnu libc6-dev-riscv64-cross qemu-user qemu-system-misc \
                 gdb-multiarch zstd binutils-source protobuf-compiler valgrind lcov
AARCH64_PACKAGES := gcc-aarch64-linux-gnu $(addsuffix :arm64,libelf-dev libdw-dev libyaml-dev libzstd-dev libbz2-dev liblzma-dev zlib1g-dev \
                    libprotobuf-c-dev libcmocka-dev libmpfr-dev)
LINT_PACKAGES := git clang-format-14 hunspell hunspell-en-us
SOAK_PACKAGES := csmith libcsmith-dev golang-go
BENCH_PACKAGES := llvm-14 lld-14 mold libopenblas-dev libunicorn-dev debian-archive-keyring tcl xz-utils bzip2

CFLAGS   ?= -O2 -g
CPPFLAGS += -I. -I$(GEN) -D_GNU_SOURCE
WARNINGS := -Wall -Wextra -Werror
# No contraction of a*b+c: the tensor arithmetic is defined to the bit. Nobody reads errno after a square root.
CODE     := -std=gnu11 -ffp-contract=off -fno-math-errno -fno-strict-aliasing \
            $(if $(SANITIZE),-fsanitize=address$(comma)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
# At a fixed address, so that the tables of isagen, 10,000 pointers, are constants: nothing to relocate at a start.
CODE     += -fno-pie
COMPILE   = $(CC) $(CPPFLAGS) $(CODE) $(WARNINGS) $(CFLAGS) -MMD -MP
# Code and constants in one segment: each one takes the time of a mapping and of page faults at every start.
LINK      = $(CC) $(CODE) $(STATIC) -no-pie -Wl,--as-needed,-z,noseparate-code $(CFLAGS) $(LDFLAGS)

# libelf.a of elfutils 0.192, which Debian 13 has, needs an archive that is not in its package.
LIBELF_KINDS := $(shell $(shell $(CC) -print-prog-name=nm) $(shell $(CC) -print-file-name=libelf.a) 2>/dev/null | sed -n 's/.* \([TU]\) eu_search_tree_init$$/\1/p')
SHARED   ?= $(if $(filter T,$(LIBELF_KINDS)),,$(firstword $(LIBELF_KINDS)))
# What the linker needs for packages of pkg-config, as archives as far as the host has them, and the C library, too: loading libraries
# takes as long as a short run of temu.
STATIC   := $(if $(SHARED)$(SANITIZE),,$(if $(filter /%,$(shell $(CC) -print-file-name=libc.a)),-static))
library   = $(if $(and $(if $(SHARED),,not),$(filter /%,$(shell $(CC) -print-file-name=lib$(1).a))),-l:lib$(1).a,-l$(1))
libraries = $(foreach flag,$(shell $(PKG_CONFIG) --static --libs $(1)),$(if $(filter -l%,$(flag)),$(call library,$(flag:-l%=%)),$(flag)))

# `make V=1` shows whole commands, `make -s` none.
say = $(if $(V),,@$(if $(findstring s,$(firstword -$(MAKEFLAGS))),,echo '  $(1)	$(2)'; ))

TOOLS := tasm tld tobjdump temu tdiff ttrace
VERSION := $(shell sed -n 's/^.define TOOL_VERSION "\(.*\)"/\1/p' lib/options.h)

# common.yaml first: its order is that of the ids of everything shared. The rest in a fixed order.
ISA_YAML := isa/common.yaml $(addprefix isa/,$(addsuffix .yaml,machine architecture rv64i rv64m rv64a rv64f rv64d rv64c zicsr csr-names machine-mode supervisor zifencei \
            zicntr zihpm zihintpause zihintntl zawrs zicond zimop zicbom zicbop zicboz zmmul zaamo zalrsc zba zbb zbc zbs zbkb zfhmin zfh zfa zca zcb zcmop \
            xmat xtrav xhist xsparse xbarrel superinstructions)) $(ISA_EXTRA)
# The bodies of each file of the description are two files of C.
BODIES_C := $(foreach name,$(basename $(notdir $(ISA_YAML))),$(GEN)/whole_$(name).c $(GEN)/direct_$(name).c)
VSCODE := $(addprefix $(GEN)/,package.json language-configuration.json tensor.tmLanguage.json)
GENERATED := $(GEN)/isa_tables.c $(GEN)/isa_ids.h $(GEN)/standard_ids.h $(GEN)/instruction_ids.h $(BODIES_C) $(GEN)/csrs.inc $(GEN)/settings.inc $(GEN)/units.h $(GEN)/units.inc $(GEN)/traps.inc $(GEN)/definitions.inc $(GEN)/definition_table.inc $(GEN)/timing.inc $(GEN)/values.inc $(GEN)/state_reads.inc $(GEN)/fast.h $(GEN)/examples.s $(GEN)/isa.md $(GEN)/tensor.vim $(GEN)/tensor_detect.vim \
             $(VSCODE) \
             $(GEN)/target.xml $(GEN)/gdb_target.inc $(GEN)/unit_state.inc $(GEN)/accesses.inc $(GEN)/tensor.h $(GEN)/float_formats.h $(GEN)/float_layouts.inc

# What a command that failed has begun to write is not taken for its result.
.DELETE_ON_ERROR:
.PHONY: all deps demo check install uninstall clean manual
all: $(addprefix $(BUILD)/,$(TOOLS) isagen tsweep) $(GEN)/isa.md $(GEN)/examples.riscv completions
	@:

# ---- sources: a tool is one folder with its rooms ----
sources   = $(wildcard $(1)/*.c $(1)/*/*.c)
LIB_C    := $(call sources,lib)
# What isagen itself needs of lib/: all that does not need its output or reads programs.
BOOT_C   := $(filter-out $(addprefix lib/,archive.c bundle.c isa.c isa_note.c architecture.c debug_info.c disasm.c elf_file.c element_text.c source.c float_format.c float_text.c),$(wildcard lib/*.c))
ISAGEN_C := $(call sources,isa)
TOBJDUMP_C := $(wildcard asm/tobjdump/*.c)
TASM_C   := $(filter-out $(TOBJDUMP_C),$(call sources,asm))
TLD_C    := $(call sources,ld)
TDIFF_C  := $(wildcard emu/tdiff/*.c)
TTRACE_C := $(wildcard emu/ttrace/*.c)
# Native code: there are stencils for x86-64 and for aarch64 (emu/native/stencils/).
STENCILS := $(if $(filter x86_64,$(CPU)),x86)$(if $(filter aarch64,$(CPU)),arm)
NATIVE_C := $(if $(STENCILS),$(filter-out %/absent.c %/host_x86.c %/host_arm.c,$(wildcard emu/native/*.c)) emu/native/host_$(STENCILS).c,emu/native/absent.c)
TEMU_C   := $(filter-out $(TDIFF_C) $(TTRACE_C) $(filter-out $(NATIVE_C),$(wildcard emu/native/*.c)),$(call sources,emu))

objects   = $(patsubst %.c,$(BUILD)/%.o,$(1))
LIB_O    := $(call objects,$(LIB_C)) $(GEN)/isa_tables.o
TASM_O   := $(call objects,$(TASM_C)) $(GEN)/parser.o $(GEN)/lexer.o
TLD_O    := $(call objects,$(TLD_C)) $(GEN)/script_parser.o $(GEN)/script_scanner.o
# The bodies once more, in their turn and recorded forms.
FORMS_C  := $(filter-out %/direct_superinstructions.c,$(filter $(GEN)/direct_%,$(BODIES_C)))
FORMS_O  := $(foreach form,turn recorded,$(patsubst $(GEN)/direct_%.c,$(GEN)/$(form)_%.o,$(FORMS_C)))
EXECUTORS_O := $(call objects,$(wildcard emu/execute/*.c))
TEMU_O   := $(call objects,$(TEMU_C)) $(BODIES_C:.c=.o) $(FORMS_O) $(GEN)/perfetto.pb-c.o
LIB      := $(BUILD)/lib.a

# Made anew each time, so that no member of a file that has gone stays.
$(LIB): $(LIB_O)
	$(call say,AR,$@)rm -f $@ && ar rcsD $@ $^
$(BUILD)/isagen: $(call objects,$(ISAGEN_C) $(BOOT_C))
	$(call say,LINK,$@)$(LINK) -o $@ $^ $(call libraries,yaml-0.1)
$(BUILD)/tasm: $(TASM_O) $(LIB)
	$(call say,LINK,$@)$(LINK) -o $@ $^ -lm
$(BUILD)/tld: $(TLD_O) $(LIB)
	$(call say,LINK,$@)$(LINK) -o $@ $^ $(call libraries,libdw libelf zlib libzstd)
$(BUILD)/tobjdump: $(call objects,$(TOBJDUMP_C)) $(LIB)
	$(call say,LINK,$@)$(LINK) -o $@ $^ $(call libraries,libdw libelf yaml-0.1)
$(BUILD)/temu: $(TEMU_O) $(LIB_O)
	$(call say,LINK,$@)$(LINK) -o $@ $^ $(call libraries,libdw libelf yaml-0.1 libzstd libprotobuf-c) -lm
$(BUILD)/tdiff: $(call objects,$(TDIFF_C) $(wildcard emu/trace/*.c)) $(LIB)
	$(call say,LINK,$@)$(LINK) -o $@ $^ $(call libraries,libdw libelf libzstd) -lm

# A script beside temu.
$(BUILD)/tsweep: emu/sweep/tsweep
	$(call say,COPY,$@)install -m 755 $< $@

# The writers of temu's formats are those of temu.
$(BUILD)/ttrace: $(call objects,$(TTRACE_C) $(wildcard emu/trace/*.c emu/picture/*.c)) $(GEN)/perfetto.pb-c.o $(LIB)
	$(call say,LINK,$@)$(LINK) -o $@ $^ $(call libraries,libdw libelf yaml-0.1 libzstd zlib libprotobuf-c) -lm

# The tools that the build runs.
HOST_BUILD := $(BUILD)$(if $(CROSS),/host)
ifneq ($(CROSS),)
$(HOST_BUILD)/isagen $(HOST_BUILD)/gather &: FORCE
	@$(MAKE) --no-print-directory CC='$(HOSTCC)' BUILD=$(HOST_BUILD) RUN= $(HOST_BUILD)/isagen $(HOST_BUILD)/gather
endif

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(COMPILE) -c -o $@ $<
$(GEN)/%.o: $(GEN)/%.c
	$(call say,CC,$<)$(COMPILE) -c -o $@ $<
$(GEN)/turn_%.o: $(GEN)/direct_%.c
	$(call say,CC,$@)$(COMPILE) '-DBODY_FORM="emu/body/turn.h"' -c -o $@ $<
$(GEN)/recorded_%.o: $(GEN)/direct_%.c
	$(call say,CC,$@)$(COMPILE) '-DBODY_FORM="emu/body/recorded.h"' -c -o $@ $<

# One function for each instruction, which tensor instructions, tobjdump and --reference call: what these cost is the time after an edit.
$(addprefix $(BUILD)/,lib/timing/time.o lib/timing/value.o emu/reference/reference.o): private CFLAGS := $(CFLAGS:-O2=-Og)
# Following variables through the longest functions would take a quarter of the time of their compilation.
$(addprefix $(BUILD)/,lib/timing/time.o lib/timing/value.o emu/reference/reference.o emu/units/matrix_path.o) $(BODIES_C:.c=.o) $(FORMS_O): private CODE += -fno-var-tracking
# Everything but isagen is compiled against the generated headers.
$(filter-out $(call objects,$(ISAGEN_C) $(BOOT_C)),$(LIB_O) $(TASM_O) $(TEMU_O) $(TLD_O) $(call objects,$(TOBJDUMP_C) $(TDIFF_C) $(TTRACE_C))): | $(GENERATED)

# isagen leaves a file alone whose contents would not change, so an edit of the YAML compiles only what depends on it.
$(GENERATED): $(GEN)/isagen.done
	@:
$(GEN)/isagen.done: $(HOST_BUILD)/isagen $(ISA_YAML) $(GEN)/isagen.list
	$(call say,ISAGEN,$(GEN))$(HOST_BUILD)/isagen -o $(GEN) $(ISA_YAML)
	@touch $@
$(GEN)/isagen.list: FORCE
	@mkdir -p $(GEN)
	@echo $(ISA_YAML) | cmp -s - $@ || echo $(ISA_YAML) >$@
.PHONY: FORCE

$(GEN)/parser.c $(GEN)/parser.h &: asm/parser.y
	@mkdir -p $(GEN)
	$(call say,BISON,$<)bison -Werror --defines=$(GEN)/parser.h -o $(GEN)/parser.c $<
$(GEN)/lexer.c $(GEN)/lexer.h &: asm/lexer.l
	@mkdir -p $(GEN)
	$(call say,FLEX,$<)flex --header-file=$(GEN)/lexer.h -o $(GEN)/lexer.c $<
$(GEN)/script_parser.c $(GEN)/script_parser.h &: ld/script/script.y
	@mkdir -p $(GEN)
	$(call say,BISON,$<)bison -Werror --defines=$(GEN)/script_parser.h -o $(GEN)/script_parser.c $<
$(GEN)/script_scanner.c $(GEN)/script_scanner.h &: ld/script/script.l
	@mkdir -p $(GEN)
	$(call say,FLEX,$<)flex --header-file=$(GEN)/script_scanner.h -o $(GEN)/script_scanner.c $<
$(GEN)/perfetto.pb-c.c $(GEN)/perfetto.pb-c.h &: emu/picture/perfetto.proto
	@mkdir -p $(GEN)
	$(call say,PROTOC,$<)protoc-c --proto_path=emu/picture --c_out=$(GEN) $<
$(BUILD)/emu/picture/perfetto.o: | $(GEN)/perfetto.pb-c.h
# The machines that have a name, as C strings: "NAME", "TEXT".
MACHINES := $(sort $(wildcard emu/machines/*.yaml))
$(GEN)/machines.inc: $(MACHINES)
	@mkdir -p $(GEN)
	$(call say,MACHINES,$@)for file in $(MACHINES); do \
	    echo "{\"$$(basename $$file .yaml)\","; sed 's/["\\]/\\&/g; s/.*/"&\\n"/' $$file; echo '},'; done >$@
$(BUILD)/lib/machine/config_read.o: | $(GEN)/machines.inc
# The page of `ttrace view`, as a C string.
$(GEN)/view_page.inc: emu/ttrace/view.html
	@mkdir -p $(GEN)
	$(call say,PAGE,$@)sed 's/["\\]/\\&/g; s/.*/"&\\n"/' $< >$@
$(BUILD)/emu/ttrace/view.o: $(GEN)/view_page.inc
# Stencils: the bodies as machine code with holes (emu/native/stencils/). They are compiled for registers of their own, by gcc. Those of vectors
# that are variables (form_x86.h, form_arm.h) are among the fixed ones, since gcc would also have intermediate results there.
STENCIL_CC    ?= $(CROSS)gcc
STENCIL_FLAGS := -std=gnu11 -O2 -w -ffp-contract=off -fno-math-errno -fno-strict-aliasing -fno-pic -fno-pie -fomit-frame-pointer \
                 -fno-asynchronous-unwind-tables -fno-stack-protector -ffunction-sections -falign-functions=1 -falign-jumps=1 \
                 -falign-loops=1 -falign-labels=1 -fno-jump-tables -fno-tree-vectorize -fno-delete-null-pointer-checks \
                 -fno-tree-pta -fno-ipa-sra -fno-tree-pre -fno-gcse -fno-tree-dominator-opts -fno-tree-loop-optimize
STENCIL_FLAGS_x86 := -mcmodel=kernel -mno-red-zone -fcf-protection=none -freorder-blocks-and-partition \
                 $(addprefix -ffixed-,rbx rsi rdi r11 r14 r15 xmm4 xmm5 xmm6 xmm7 xmm8 xmm9 xmm10 xmm11 xmm12 xmm13 xmm14 xmm15)
STENCIL_FLAGS_arm := -mbranch-protection=none -mno-outline-atomics -freorder-blocks-and-partition \
                 $(addprefix -ffixed-,$(addprefix x,5 6 7 8 9 10 11 12 13 14 15 17 18 27 28) \
                 $(addprefix v,8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28))
STENCIL_NAMES := $(basename $(notdir $(ISA_YAML))) glue
# On x86-64, extensions that few programs use have native code only on hosts with what is new (FMA, BMI).
STENCILS_O    := $(foreach name,$(filter-out $(if $(filter x86,$(STENCILS)),zfa zfh zfhmin),$(STENCIL_NAMES)),$(GEN)/stencils_$(name).o)
# A second library for these hosts. It has the stencils for any host where new ones are no better.
STENCIL_NEW   := -march=x86-64-v3
STENCILS_NEW_O := $(foreach name,$(filter-out rv64a rv64m xtrav zawrs zba zicond zicbop zihintpause zimop,$(STENCIL_NAMES)),$(GEN)/stencils_new_$(name).o)
# $(call compile_stencils,REQUIRED,FLAGS): compiles the file if it has what is required, or else makes an empty object.
compile_stencils = $(call say,STENCILS,$<)$(if $(shell grep -lE '$(1)' $<),$(STENCIL_CC) $(CPPFLAGS) $(STENCIL_FLAGS) $(STENCIL_FLAGS_$(STENCILS)) \
    $(2) '-DBODY_FORM="emu/native/stencils/form.h"' -MMD -MP -c -o $@ $<,cp $(GEN)/no_stencils.o $@ && rm -f $(@:.o=.d))
$(GEN)/no_stencils.o: | $(GENERATED)
	$(call say,STENCILS,$@)$(STENCIL_CC) -c -x c -o $@ /dev/null
$(GEN)/stencils_glue.o: emu/native/stencils/glue.c
	$(call compile_stencils,.,)
$(GEN)/stencils_new_glue.o: emu/native/stencils/glue.c
	$(call compile_stencils,.,$(STENCIL_NEW))
$(GEN)/stencils_new_%.o: $(GEN)/direct_%.c
	$(call compile_stencils,^STENCILS,$(STENCIL_NEW))
$(GEN)/stencils_%.o: $(GEN)/direct_%.c
	$(call compile_stencils,^STENCILS,)
# Once more with other constants for immediates. Many files have no stencils that know one.
$(GEN)/stencils_second_%.o: $(GEN)/direct_%.c
	$(call compile_stencils,STENCILS_OF_SMALL,-DSECOND_CONSTANTS)
$(GEN)/stencils_second_glue.o: emu/native/stencils/glue.c
	$(call compile_stencils,STENCILS_OF_SMALL,-DSECOND_CONSTANTS)
SECOND_O     := $(STENCILS_O:$(GEN)/stencils_%=$(GEN)/stencils_second_%)
# Which of them are compiled, and how, is said here, and old objects do not fit new tables.
$(STENCILS_O) $(STENCILS_NEW_O) $(SECOND_O): Makefile | $(GENERATED) $(GEN)/no_stencils.o
ifeq ($(CROSS),)
$(BUILD)/gather: $(call objects,$(addprefix emu/native/stencils/,gather.c object.c tables.c library.c x86.c arm.c))
	$(call say,LINK,$@)$(LINK) -o $@ $^ $(call libraries,libelf)
endif
# The list of the files of the description, since it may become shorter.
$(GEN)/stencils.inc: $(GEN)/isagen.list
# A build without optimization, which is to be ready soon, makes do with one library.
ifneq ($(filter -O0,$(CFLAGS)),)
$(BUILD)/emu/native/copy.o: private CODE += -DONE_LIBRARY
LIBRARIES := $(STENCILS_O) -- $(SECOND_O)
else
LIBRARIES := $(STENCILS_O) -- $(SECOND_O) -- $(STENCILS_NEW_O)
endif
ifeq ($(filter x86,$(STENCILS)),)
LIBRARIES := $(STENCILS_O)
endif
$(GEN)/stencils.inc: $(HOST_BUILD)/gather $(filter-out --,$(LIBRARIES))
	$(call say,GATHER,$@)$< $@ $(LIBRARIES)
$(BUILD)/emu/native/copy.o: $(GEN)/stencils.inc
# Bodies and what calls them are compiled in one way, also in a build directory that was begun with another level of optimization.
$(BODIES_C:.c=.o) $(FORMS_O) $(EXECUTORS_O) $(BUILD)/emu/native/copy.o $(GEN)/stencils.inc: $(BUILD)/optimization
$(BUILD)/optimization: FORCE
	@mkdir -p $(@D)
	@echo '$(filter -O%,$(CFLAGS))' | cmp -s - $@ || echo '$(filter -O%,$(CFLAGS))' >$@
# A call at the end of a body is a jump where the compiler makes it one (emu/execute/dispatch.h).
ifneq ($(filter -O2 -O3 -Os,$(CFLAGS)),)
$(BODIES_C:.c=.o) $(FORMS_O) $(EXECUTORS_O): private CODE += -DTAIL_CALLS
# Bodies need not save registers of the host for each other; dispatch_call saves them once. (clang has no such option.)
ifneq ($(and $(filter x86_64,$(CPU)),$(shell $(CC) -fcall-used-rbx -E -x c /dev/null 2>/dev/null)),)
$(filter $(GEN)/direct_%,$(BODIES_C:.c=.o)) $(FORMS_O): private CODE += $(addprefix -fcall-used-,rbx r12 r13 r14 r15)
$(BUILD)/emu/execute/dispatch.o: private CODE += -DALL_REGISTERS
endif
endif
$(TASM_O): | $(GEN)/parser.h $(GEN)/lexer.h
$(TLD_O): | $(GEN)/script_parser.h $(GEN)/script_scanner.h
# flex's own code compares signed with unsigned and leaves functions unused.
$(GEN)/lexer.o $(GEN)/script_scanner.o: WARNINGS += -Wno-sign-compare -Wno-unused-function -Wno-unused-parameter

# The examples of the ISA description are instructions that tasm takes.
$(GEN)/examples.riscv: $(GEN)/examples.s $(BUILD)/tasm
	$(call say,TASM,$@)$(RUN) $(BUILD)/tasm -o $@ $<

# What shells complete, made by the tools from their tables of options.
COMPLETED   := $(TOOLS) isagen
COMPLETIONS := $(addprefix $(GEN)/completions/,$(COMPLETED:=.bash) $(COMPLETED:=.fish) $(addprefix _,$(COMPLETED)))
.PHONY: completions
completions: $(COMPLETIONS)
$(GEN)/completions/%.bash: $(BUILD)/%
	@mkdir -p $(@D)
	$(call say,COMPLETION,$@)$(RUN) $< --completion=bash >$@
$(GEN)/completions/%.fish: $(BUILD)/%
	@mkdir -p $(@D)
	$(call say,COMPLETION,$@)$(RUN) $< --completion=fish >$@
$(GEN)/completions/_%: $(BUILD)/%
	@mkdir -p $(@D)
	$(call say,COMPLETION,$@)$(RUN) $< --completion=zsh >$@

# The manual as man page and as HTML; pandoc is asked for only here, and `make install` uses it where it is.
PANDOC ?= pandoc
MANUAL := $(GEN)/tensor-isa.7 $(GEN)/isa.html
manual:
	@tests/deps $(PACKAGES) pandoc
	@$(MAKE) --no-print-directory $(MANUAL)
$(GEN)/tensor-isa.7: $(GEN)/isa.md
	$(call say,PANDOC,$@)(printf '# NAME\n\ntensor-isa - instruction set reference\n\n'; cat $<) | \
	    $(PANDOC) -f gfm -t man -s -M title=TENSOR-ISA -M section=7 -M adjusting=l -M hyphenate=false -o $@
$(GEN)/isa.html: $(GEN)/isa.md
	$(call say,PANDOC,$@)$(PANDOC) -f gfm -t html -s -M pagetitle='Instruction set reference' -o $@ $<

-include $(shell find $(BUILD) \( -path '*/tests/lit' -o -path '$(BUILD)/deb' \) -prune -o -type f -name '*.d' -print 2>/dev/null)

# ---- tests ----
UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/*_test.c))
# A unit test is linked with what it needs of all that has no main and no command line. It is compiled without optimization where compiling takes longer
# than running. The functions of emu/float/host.h are inline, and their test has them as temu has them.
UNIT_O     := $(filter-out $(BUILD)/emu/temu.o,$(TEMU_O)) $(LIB_O)
UNIT_A     := $(BUILD)/tests/unit.a
OPTIMIZED_TESTS := $(addprefix $(BUILD)/tests/,float_host_test histogram_test isa_test softfloat_test)
# A thin archive: it has the names of the objects only.
$(UNIT_A): $(UNIT_O)
	@mkdir -p $(@D)
	$(call say,AR,$@)rm -f $@ && ar qcsDT $@ $^
$(filter-out $(OPTIMIZED_TESTS),$(UNIT_TESTS)): private CFLAGS := $(CFLAGS:-O2=-O0)
$(BUILD)/tests/%: tests/unit/%.c $(UNIT_A)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(COMPILE) -frounding-math -no-pie -o $@ $< $(UNIT_A) -lcmocka -lelf -ldw -lyaml -lzstd -lprotobuf-c -lmpfr -lgmp -lm

# The generated round trip of tests/roundtrip.
ROUNDTRIP_C := $(wildcard tests/roundtrip/*.c)
$(BUILD)/tests/roundtrip: $(ROUNDTRIP_C) tests/roundtrip/roundtrip.h $(LIB)
	@mkdir -p $(@D)
	$(call say,CC,tests/roundtrip)$(COMPILE) -no-pie -o $@ $(ROUNDTRIP_C) $(LIB) -lelf

# Definitions and fast functions side by side: tests/definitions.
$(BUILD)/tests/definitions: tests/definitions/definitions.c $(UNIT_A)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(COMPILE) -no-pie -o $@ $< $(UNIT_A) -lelf -ldw -lyaml -lzstd -lprotobuf-c -lm

# Programs that several tests run, of Debian's C library.
GUESTS    := $(BUILD)/tests/guests
GUEST_CC   = riscv64-linux-gnu-gcc -march=rv64gc -mabi=lp64d -static -pthread -D_GNU_SOURCE -w -MMD -MP
$(GUESTS)/posix: tests/temu/threads.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(GUEST_CC) -O2 -I tests/temu/Inputs -o $@ $<
$(GUESTS)/cxx: tests/temu/Inputs/threads.cc
	@mkdir -p $(@D)
	$(call say,CC,$<)$(GUEST_CC) -x c++ -std=c++17 -O2 -o $@ $< -lstdc++
$(GUESTS)/openmp: tests/temu/Inputs/threads_openmp.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(GUEST_CC) -O2 -fopenmp -o $@ $<
$(GUESTS)/jumps: tests/temu/Inputs/profile_jumps.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(GUEST_CC) -O1 -fno-inline -g -o $@ $<
$(GUESTS)/threads: tests/temu/Inputs/profile_threads.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(GUEST_CC) -O2 -o $@ $<
.PHONY: guests
guests: $(addprefix $(GUESTS)/,posix cxx openmp jumps threads)
	@:

# All tests: lit runs the text tests, the unit tests and the programs among them. `make check TESTS=tests/tasm` runs a part.
TESTS ?= tests
check: deps-test
	@$(MAKE) --no-print-directory all unit-tests bench-workloads guests $(BUILD)/tests/bin/not
	@ISA_YAML="$(abspath $(ISA_YAML))" tests/run "$(BUILD)" $(TESTS)

# A part of the tests with temu for aarch64, under qemu-user: the tools that are not tested are those of this host (docs/testing.md).
AARCH64       := $(BUILD)/aarch64
AARCH64_TESTS ?= $(addprefix tests/temu/,show_native.s simple_code.s native_calls.s native_csrs.s native_halves.s native_floats.s rare_arithmetic.s random_arithmetic.c idioms.s rotations.s words.s arrivals.s high_constants.s soak.test tiers.test tier_limits.s dump_state.test self_modifying.s changed_pages.s code_written_again.s turned_branches.s faults.s unchecked.c stencil_fields.test) tests/threads/native_rounds.test tests/timing/native.s tests/timing/barrel_waits.s \
                 $(addprefix tests/unit/,executor_test.c random_program_test.c float_host_test.c softfloat_test.c)
.PHONY: check-aarch64
check-aarch64:
	@dpkg --print-foreign-architectures | grep -qx arm64 || \
	    { echo "error: the libraries of arm64 cannot be installed; as root: dpkg --add-architecture arm64"; exit 1; }
	@tests/deps $(PACKAGES) $(TEST_PACKAGES) $(AARCH64_PACKAGES)
	@$(MAKE) --no-print-directory all
	@$(MAKE) --no-print-directory CC=aarch64-linux-gnu-gcc BUILD=$(AARCH64) $(AARCH64)/temu unit-tests
	@tests/emulated $(BUILD) $(AARCH64) qemu-aarch64
	@ISA_YAML="$(abspath $(ISA_YAML))" tests/run "$(AARCH64)/check" $(AARCH64_TESTS)

# `not` of the tests.
$(BUILD)/tests/bin/not: tests/tools/not.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(COMPILE) -no-pie $(STATIC) -o $@ $<

.PHONY: unit-tests
unit-tests: $(UNIT_TESTS) $(BUILD)/tests/roundtrip $(BUILD)/tests/definitions
	@:

# The tiers of temu on random programs, for hours if need be: `make soak PROGRAMS=500 SEED=1`.
PROGRAMS ?= 500
SEED     ?= 1
# Then the tests with random or many cases, with more of them than `make check` takes.
SOAK_TESTS = tests/fuzz tests/temu/sparse_networks.test tests/tdiff/calibrate.test $(shell grep -rlF '%soak{' --exclude=lit.cfg.py tests)
.PHONY: soak
soak: deps-test
	@tests/deps $(SOAK_PACKAGES)
	@$(MAKE) --no-print-directory all unit-tests bench-workloads guests $(BUILD)/tests/bin/not
	@tests/tools/soak.py "$(BUILD)/temu" "$(BUILD)/soak" --unit "$(BUILD)/tests" --tests "$(BUILD)/tests/lit" --csmith $(PROGRAMS) --rewriting $(PROGRAMS) --barrels $(PROGRAMS) --seed $(SEED)
	@SOAK=1 ISA_YAML="$(abspath $(ISA_YAML))" tests/run "$(BUILD)" $(SOAK_TESTS)

# How the sources are written. What is not installed is said and skipped; `make lint DEMAND=1` installs it and fails without it.
.PHONY: lint
lint:
	@$(if $(DEMAND),tests/deps $(LINT_PACKAGES))
	@$(MAKE) --no-print-directory all
	@DEMAND=$(DEMAND) tests/lint $(BUILD)

# A first look: assembles, links, disassembles, runs and traces a kernel.
demo: deps
	@$(MAKE) --no-print-directory all
	@PATH="$(abspath $(BUILD)):$$PATH" BUILD="$(BUILD)" sh docs/demo.sh

# ---- speed: ours and the peers, side by side. `make bench BENCH=sieve,fib ROUNDS=3` measures a part, `make bench OPTIONS=--help` tells more ----
BENCH   ?=
ROUNDS  ?=
OPTIONS ?=
SPEED   := $(BUILD)/bench
# Nothing is fused that the source does not fuse: all have to print the same. No loop becomes a call of memset, which is not there.
BENCH_CODE   := -O2 -ffp-contract=off -fno-math-errno $(WARNINGS)
BENCH_GCC     = riscv64-linux-gnu-gcc -march=rv64gc -mabi=lp64d -static -fno-tree-loop-distribute-patterns $(BENCH_CODE)
HOST_TUNED   := $(if $(filter aarch64,$(shell uname -m)),-mcpu=native,-march=native)
has_library   = $(shell pkg-config --exists $(1) 2>/dev/null && echo yes)
BENCH_UNITS  := $(patsubst bench/units/%.c,%,$(wildcard bench/units/*.c))
BENCH_NAMES  := $(filter-out start,$(patsubst bench/workloads/%.c,%,$(wildcard bench/workloads/*.c))) $(BENCH_UNITS)
BENCH_FILES  := launch peak threads.riscv threads.native barrel.riscv barrel-one.riscv $(addsuffix .riscv,$(BENCH_NAMES)) $(addsuffix .native,$(BENCH_NAMES)) \
                $(if $(call has_library,openblas),matrix.openblas) $(if $(call has_library,unicorn),unicorn)

.PHONY: bench bench-workloads bench-programs deps-bench
bench: deps-bench
	@$(MAKE) --no-print-directory all bench-programs
	@python3 bench/bench.py --build $(BUILD) $(addprefix --only=,$(BENCH)) $(addprefix --rounds=,$(ROUNDS)) $(OPTIONS)
# A peer that cannot be installed is left out.
deps-bench: deps-test
	@tests/deps $(BENCH_PACKAGES) || echo 'Measuring without some of the peers.'
bench-workloads: $(addprefix $(SPEED)/,$(BENCH_FILES))
	@:
# Programs of others, from Debian's source packages: what cannot be fetched or built is named and left out.
bench-programs: bench-workloads
	@python3 bench/programs.py --build $(BUILD)

$(SPEED)/%.riscv: bench/workloads/%.c $(wildcard bench/workloads/*)
	@mkdir -p $(@D)
	$(call say,BENCH,$@)$(BENCH_GCC) $(BENCH_ALONE) -o $@ $< bench/workloads/start.c
$(SPEED)/%.native: bench/workloads/%.c $(wildcard bench/workloads/*)
	@mkdir -p $(@D)
	$(call say,BENCH,$@)$(CC) $(BENCH_CODE) -o $@ $< bench/workloads/start.c -lm
# Workloads bring their own start, so that they run without an operating system; but one uses the C library.
BENCH_ALONE := -nostdlib -ffreestanding
$(SPEED)/words.riscv: BENCH_ALONE := -DHOSTED
$(SPEED)/fused.native $(SPEED)/vector.native: BENCH_CODE += $(HOST_TUNED)

# Threads of Linux and of the barrel.
$(SPEED)/threads.riscv: bench/threads/threads.c bench/workloads/workload.h
	@mkdir -p $(@D)
	$(call say,BENCH,$@)$(BENCH_GCC) -pthread -o $@ $<
$(SPEED)/threads.native: bench/threads/threads.c bench/workloads/workload.h
	@mkdir -p $(@D)
	$(call say,BENCH,$@)$(CC) $(BENCH_CODE) -pthread -o $@ $<
$(SPEED)/barrel.o $(SPEED)/barrel-one.o: bench/threads/barrel.s $(BUILD)/tasm
	@mkdir -p $(@D)
	$(call say,BENCH,$@)$(BUILD)/tasm $(if $(findstring one,$@),--defsym ONE=1) -o $@ $<
$(SPEED)/barrel.riscv $(SPEED)/barrel-one.riscv: $(SPEED)/%.riscv: $(SPEED)/%.o $(BUILD)/tld
	$(call say,BENCH,$@)$(BUILD)/tld -o $@ $<
# GNU's tools do not know the units' instructions: ours assemble and link.
$(SPEED)/%.riscv: $(SPEED)/units/%.o $(SPEED)/units/start.o $(SPEED)/units/histogram_loop.o $(BUILD)/tld
	$(call say,BENCH,$@)$(BUILD)/tld --gc-sections -o $@ $(filter %.o,$^)
$(SPEED)/units/%.o: bench/units/%.c $(wildcard bench/units/*.h bench/workloads/*.h) | $(GENERATED)
	@mkdir -p $(@D)
	$(call say,BENCH,$@)$(BENCH_GCC) -ffreestanding -I$(GEN) -c -o $@ $<
$(SPEED)/units/start.o: bench/workloads/start.c bench/workloads/workload.h
	@mkdir -p $(@D)
	$(call say,BENCH,$@)$(BENCH_GCC) -ffreestanding -c -o $@ $<
$(SPEED)/units/%.o: bench/units/%.s $(BUILD)/tasm
	@mkdir -p $(@D)
	$(call say,BENCH,$@)$(BUILD)/tasm -o $@ $<
$(SPEED)/%.native: bench/units/%.c $(wildcard bench/units/*.h bench/workloads/*)
	@mkdir -p $(@D)
	$(call say,BENCH,$@)$(CC) $(BENCH_CODE) -o $@ $< bench/workloads/start.c -lm
$(SPEED)/%.openblas: bench/units/%.c $(wildcard bench/units/*.h bench/workloads/*)
	@mkdir -p $(@D)
	$(call say,BENCH,$@)$(CC) $(BENCH_CODE) -DOPENBLAS $$(pkg-config --cflags openblas) -o $@ $< bench/workloads/start.c $$(pkg-config --libs openblas) -lm

.SECONDARY: $(addprefix $(SPEED)/units/,$(addsuffix .o,$(BENCH_UNITS) histogram_loop))

# Tools of the runner: what starts programs and tells their cost, what an arithmetic unit of the host can do, Unicorn.
$(SPEED)/launch: BENCH_CODE += -static
$(SPEED)/peak: BENCH_CODE += $(HOST_TUNED)
$(SPEED)/unicorn: BENCH_LIBRARIES := -lunicorn
$(SPEED)/%: bench/native/%.c
	@mkdir -p $(@D)
	$(call say,BENCH,$@)$(CC) $(BENCH_CODE) -o $@ $< $(BENCH_LIBRARIES)

# ---- packages: asked for by name, and only when they are missing ----
deps:
	@tests/deps $(PACKAGES)
deps-test:
	@tests/deps $(PACKAGES) $(TEST_PACKAGES)
.PHONY: deps-test

# ---- installation ----
MAN1   := $(patsubst %,docs/man/%.1,$(TOOLS) isagen tsweep)
BINDIR  = $(DESTDIR)$(PREFIX)/bin
INCLUDEDIR = $(DESTDIR)$(PREFIX)/include
SHAREDIR = $(DESTDIR)$(PREFIX)/share
MANDIR  = $(SHAREDIR)/man
DATADIR = $(SHAREDIR)/tensor-toolchain
VIMDIR  = $(SHAREDIR)/vim/vimfiles
BASHDIR = $(SHAREDIR)/bash-completion/completions
ZSHDIR  = $(SHAREDIR)/zsh/site-functions
FISHDIR = $(SHAREDIR)/fish/vendor_completions.d
PCDIR   = $(SHAREDIR)/pkgconfig
# The forms of the manual: made where there is pandoc, else those that `make manual` has left.
MANUAL_INSTALLED = $(if $(shell command -v $(PANDOC)),$(MANUAL),$(wildcard $(MANUAL)))
CALIBRATE := $(sort $(wildcard tests/calibrate/*))
# All that is installed, FILE:PATH for a name of its own and FILE:FOLDER/ otherwise.
INSTALLED = $(foreach tool,$(TOOLS) isagen tsweep,$(BUILD)/$(tool):$(BINDIR)/) $(MAN1:%=%:$(MANDIR)/man1/) \
            $(GEN)/tensor.h:$(INCLUDEDIR)/ include/tensor.inc:$(INCLUDEDIR)/ $(GEN)/tensor-toolchain.pc:$(PCDIR)/ \
            $(GEN)/isa.md:$(DATADIR)/ $(CALIBRATE:%=%:$(DATADIR)/calibrate/) $(GEN)/target.xml:$(DATADIR)/ $(MACHINES:%=%:$(DATADIR)/machines/) \
            $(ISA_YAML:%=%:$(DATADIR)/isa/) $(VSCODE:%=%:$(DATADIR)/vscode/) \
            $(GEN)/tensor.vim:$(VIMDIR)/syntax/ $(GEN)/tensor_detect.vim:$(VIMDIR)/ftdetect/tensor.vim \
            $(foreach tool,$(COMPLETED),$(GEN)/completions/$(tool).bash:$(BASHDIR)/$(tool) \
                $(GEN)/completions/_$(tool):$(ZSHDIR)/ $(GEN)/completions/$(tool).fish:$(FISHDIR)/)
INSTALLED_MANUAL = $(GEN)/tensor-isa.7:$(MANDIR)/man7/ $(GEN)/isa.html:$(DATADIR)/
file_of   = $(firstword $(subst :, ,$(file)))
# Where it goes, with its name.
path_of   = $(lastword $(subst :, ,$(file)))$(if $(filter %/,$(file)),$(notdir $(file_of)))
mode_of   = $(if $(filter $(BINDIR)/,$(lastword $(subst :, ,$(file)))),755,644)
# One line of a recipe.
define install_one
	@install -D -m $(mode_of) $(file_of) $(path_of)

endef

install: all $(MANUAL_INSTALLED) $(GEN)/tensor-toolchain.pc
	$(foreach file,$(INSTALLED) $(filter $(MANUAL_INSTALLED:%=%:%),$(INSTALLED_MANUAL)),$(install_one))
	@$(if $(MANUAL_INSTALLED),:,echo 'Without pandoc, the manual as man page tensor-isa(7) and as HTML is not installed; $(DATADIR)/isa.md is the same text.')

# For pkg-config: where the header for C, tensor.inc, the ISA description and the machines are.
.PHONY: $(GEN)/tensor-toolchain.pc
$(GEN)/tensor-toolchain.pc:
	@printf '%s\n' 'prefix=$(PREFIX)' 'includedir=$${prefix}/include' 'datadir=$${prefix}/share/tensor-toolchain' \
	    'isadir=$${datadir}/isa' 'machinesdir=$${datadir}/machines' '' 'Name: tensor-toolchain' \
	    'Description: Header for the tensor instructions of a RISC-V core' 'Version: $(VERSION)' 'Cflags: -I$${includedir}' >$@

# Folders that only this toolchain uses go too; others stay.
uninstall:
	rm -f $(foreach file,$(INSTALLED) $(INSTALLED_MANUAL),$(path_of))
	-rmdir $(DATADIR)/machines $(DATADIR)/isa $(DATADIR)/vscode $(DATADIR) 2>/dev/null

# ---- a Debian package: in $(BUILD)/deb, from a copy of the files that git knows. Nothing is installed ----
# Who builds it maintains it: `make deb MAINTAINER='Name <name@host>'`.
MAINTAINER ?= $(or $(DEBFULLNAME),$(shell git config user.name),Unknown) <$(or $(DEBEMAIL),$(shell git config user.email),unknown@localhost)>
DEB_PACKAGES := debhelper dpkg-dev pandoc
DEB := $(BUILD)/deb/tensor-toolchain-$(VERSION)
.PHONY: deb
deb:
	@tests/deps $(PACKAGES) $(DEB_PACKAGES)
	rm -rf $(BUILD)/deb && mkdir -p $(DEB)
	git ls-files -z --cached --others --exclude-standard | xargs -0 cp -P --parents -t $(DEB)
	mv $(DEB)/packaging/debian $(DEB)/debian && rmdir $(DEB)/packaging
	printf 'tensor-toolchain (%s) unstable; urgency=medium\n\n  * Version %s.\n\n -- %s  %s\n' $(VERSION) $(VERSION) \
	    '$(MAINTAINER)' "$$(git log -1 --format=%aD)" >$(DEB)/debian/changelog
	sed -i 's/^Maintainer:.*/Maintainer: $(MAINTAINER)/' $(DEB)/debian/control
	cd $(DEB) && dpkg-buildpackage --build=binary --no-sign
	@ls $(BUILD)/deb/*.deb

clean:
	rm -rf build
