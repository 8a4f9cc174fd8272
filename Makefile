# tdtop: every target; no configure step.
#   make deps run      install what is missing, build, open tdtop on a workload of its own
#   make deps check    install what is missing, build, pass the tests
# MODE=release|asan|tsan picks an object folder, WERROR=1 makes warnings fatal, CC=clang works too.

VERSION := 0.1.0
MODE    ?= release
# `make asan check` is `make MODE=asan check`; `make fuzz` needs clang, which has libFuzzer.
MODE    := $(or $(firstword $(filter asan tsan fuzz,$(MAKECMDGOALS))),$(MODE))
JOBS    := $(shell nproc)
CC      := $(if $(filter default undefined,$(origin CC)),$(if $(filter fuzz,$(MODE)),clang,gcc),$(CC))
prefix  ?= /usr/local
B       := build/$(MODE)

WARN := -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes \
  -Wmissing-prototypes -Wold-style-definition -Wundef -Wvla -Wcast-qual -Wwrite-strings -Wpointer-arith \
  -Wformat=2 -Wimplicit-fallthrough
WARN += $(if $(WERROR),-Werror)

# Nothing unwinds at run time: debuggers have the same tables, compressed and apart.
OPT_release := -O2 -g1 -gno-column-info -gno-statement-frontiers -gz -fno-asynchronous-unwind-tables -D_FORTIFY_SOURCE=2 -fstack-protector-strong
OPT_asan    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
OPT_tsan    := -O1 -g -fsanitize=thread
OPT_fuzz    := -O1 -g -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined -fno-omit-frame-pointer

# setcap is advised, so the program is built as one that others attack: at addresses that are not known before (PIE), with
# tables that are read-only once it runs (full RELRO), and with the CPU's checks of jumps and returns, where it has any.
takes   = $(shell echo 'int x;' | $(CC) $(1) -x c -c -o /dev/null - 2>/dev/null && echo $(1))
HARDEN := -fPIE -fstack-clash-protection $(or $(call takes,-fcf-protection=full),$(call takes,-mbranch-protection=standard))

CPPFLAGS += -Isrc -isystem /usr/include/postgresql -D_GNU_SOURCE -DTDTOP_VERSION='"$(VERSION)"' -MMD -MP
CFLAGS   += $(WARN) $(OPT_$(MODE)) $(HARDEN) -pthread
LDFLAGS  += $(filter -fsanitize=% -gz,$(OPT_$(MODE))) -pthread -pie -Wl,--as-needed,-z,relro,-z,now,-z,noexecstack
# The C library is looked at first, because nearly every name is its: each other one before it costs a lookup that fails.
LDLIBS   += -lc -lncursesw -ltinfo -liberty -ljansson -lsqlite3 -lmd -lm

# `make V=1` shows the commands.
Q     := $(if $(V),,@)
say    = $(if $(V),,@echo "  $(1)")

SRC   := $(shell find src -name "*.c" | LC_ALL=C sort)
OBJ   := $(SRC:src/%.c=$(B)/%.o) $(B)/embed.o
LIB   := $(filter-out $(B)/main.o,$(OBJ))
DATA  := $(wildcard src/model/cpu/*.toml src/model/shared/*.toml src/model/explain/*.toml src/model/guide/*.toml src/model/advice/*.toml themes/*.toml)
UNIT  := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/test_*.c))
# Only where a thread can be started has ThreadSanitizer anything to find: told by the release build, where there is one.
UNIT  := $(if $(filter tsan,$(MODE)),$(or $(patsubst build/release/%,$(B)/%,$(shell nm -A build/release/unit/test_* 2>/dev/null | sed -n 's/: *[0-9a-f]* T thread_start$$//p')),$(UNIT)),$(UNIT))
BENCH := $(patsubst tests/bench/%.c,$(B)/bench/%,$(wildcard tests/bench/bench*.c))
FUZZ  := $(patsubst tests/fuzz/fuzz_%.c,$(B)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
STORE := $(patsubst tests/store/%.c,$(B)/store/%,$(wildcard tests/store/store_*.c))
FORMAT := $(shell find src -name "*.[ch]") $(wildcard tests/unit/*.[ch] tests/bench/*.[ch] tests/store/*.[ch] tests/fuzz/*.[ch] tests/fault/*.c tests/*.c tools/*.c)

.PHONY: all deps run check check-long programs check-unit check-headers lab bench bench-counts bench-counts-update asan tsan fuzz format format-check install clean
.SECONDARY:

all: $(B)/tdtop

$(B)/tdtop: $(OBJ)
	$(call say,LD  $@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(B)/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC  $<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(B)/embed.o: tools/embed.sh tools/explain_index.sh tools/models_index.sh tools/model_whole.awk $(DATA) Makefile
	@mkdir -p $(@D)
	$(call say,GEN $@)
	$(Q)tools/embed.sh $(B)/embed.c embedded_models=src/model/cpu embedded_shared=src/model/shared embedded_explain=src/model/explain embedded_advice=src/model/advice embedded_guide=src/model/guide embedded_themes=themes
	$(Q)tools/explain_index.sh src/model/explain >>$(B)/embed.c
	$(Q)tools/models_index.sh src/model/cpu src/model/shared >>$(B)/embed.c
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $(B)/embed.c

$(B)/libtdtop.a: $(LIB)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(B)/unit/test_perf_shape: LDFLAGS += -Wl,--wrap=perf_open_fd # a made PMU
$(B)/unit/%: tests/unit/%.c $(B)/libtdtop.a
	@mkdir -p $(@D)
	$(call say,CC  $<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(B)/libtdtop.a -lcmocka -lpfm $(LDLIBS)

$(B)/bench/%: tests/bench/%.c $(B)/libtdtop.a
	@mkdir -p $(@D)
	$(call say,CC  $<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(B)/libtdtop.a $(LDLIBS)

$(B)/store/%: tests/store/%.c $(B)/libtdtop.a
	@mkdir -p $(@D)
	$(call say,CC  $<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(B)/libtdtop.a $(LDLIBS)

# libFuzzer brings main(); elsewhere a main() that reads files does.
$(B)/fuzz/%: tests/fuzz/fuzz_%.c tests/fuzz/fuzz.h tests/fuzz/replay.c $(B)/libtdtop.a
	@mkdir -p $(@D)
	$(call say,CC  $<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(if $(filter fuzz,$(MODE)),-fsanitize=fuzzer) -o $@ $< \
	  $(if $(filter fuzz,$(MODE)),,tests/fuzz/replay.c) $(B)/libtdtop.a $(LDLIBS)

$(B)/workload: tools/workload.c
	@mkdir -p $(@D)
	$(call say,CC  $<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< -lm

$(B)/tables: tools/tables.c $(B)/libtdtop.a
	@mkdir -p $(@D)
	$(call say,CC  $<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(B)/libtdtop.a $(LDLIBS)

$(B)/symbols: tests/symbols.c $(B)/libtdtop.a
	@mkdir -p $(@D)
	$(call say,CC  $<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(B)/libtdtop.a $(LDLIBS)

# Manual pages and completions are made of the program's tables and of docs/MODELS.md; a test compares.
docs-made: $(B)/tables
	$(B)/tables | tools/docs.py .

# Debian 12 names. What is there already is not touched; root is asked for only if something is missing.
DEPS := gcc libc6-dev libcapstone-dev libcmocka-dev libdw-dev libelf-dev libiberty-dev libjansson-dev liblzma-dev libmd-dev libmicrohttpd-dev libncurses-dev libpfm4-dev libpq-dev libsqlite3-dev ncurses-term python3 redis-server redis-tools tmux
deps:
	tools/deps.sh $(DEPS)

# On a machine whose PMU can be counted: tdtop on a workload of its own; elsewhere the demo.
run: $(filter deps,$(MAKECMDGOALS))
	@$(MAKE) --no-print-directory -j$(JOBS) MODE=$(MODE) $(B)/tdtop $(B)/workload
	@case "$$($(B)/tdtop models --here)" in \
	software*) exec $(B)/tdtop demo ;; \
	*) exec $(B)/tdtop -- $(B)/workload ;; esac

# Each compiles in parallel by itself, so that `make deps check` stays in order.
check: $(filter deps,$(MAKECMDGOALS))
	@$(MAKE) --no-print-directory -j$(JOBS) MODE=$(MODE) all programs
	@tests/check.sh $(MODE)

# What takes minutes: pictures, many runs, text from outside, models against their sources, code of real programs.
check-long: $(filter deps,$(MAKECMDGOALS))
	@$(MAKE) --no-print-directory -j$(JOBS) all programs
	@tests/check.sh release long

# An allocation that fails: preloaded by a test.
$(B)/no_memory.so: tests/fault/no_memory.c
	@mkdir -p $(@D)
	$(call say,CC  $<)
	$(Q)$(CC) $(WARN) -O2 -fPIC -shared -o $@ $<

programs: $(UNIT) $(STORE) $(if $(filter asan,$(MODE)),$(FUZZ)) $(if $(filter release,$(MODE)),$(BENCH) $(B)/no_memory.so) $(B)/workload $(B)/tables $(B)/symbols $(B)/bench/threads

check-unit: $(UNIT)
	@tests/unit.sh $(UNIT)

check-headers:
	@tests/headers.sh "$(CC)" "$(WARN)"

asan tsan: $(if $(filter-out asan tsan,$(MAKECMDGOALS)),,all)
	@echo "objects and programs are in $(B)/"

# Each reader for FUZZ_SECONDS (60), two at a time; what breaks one is kept in tests/fuzz/cases.
fuzz: all $(FUZZ)
	@tests/fuzz/run.sh $(B)

lab: all programs
	@TDTOP=$(B)/tdtop tests/lab/check.sh

# Side by side with perf stat, htop, btop, sqlite3 and release 0.1.0, which is built from its commit; makes docs/PERFORMANCE.md.
RELEASE := 5981a2e
bench: all $(BENCH) $(B)/bench/threads build/$(RELEASE)/build/release/tdtop
	@for b in $(BENCH); do $$b || exit; done; python3 tests/bench/many.py $(B)/tdtop $(B)/bench/threads; \
	  python3 tests/bench/where_beside.py $(B)/tdtop; \
	  python3 tests/bench/bench.py $(B) --release build/$(RELEASE)/build/release --write docs/PERFORMANCE.md

build/$(RELEASE)/build/release/tdtop:
	@mkdir -p build/$(RELEASE)
	$(Q)git archive $(RELEASE) | tar -x -C build/$(RELEASE)
	$(Q)$(MAKE) -s -C build/$(RELEASE) -j$(JOBS) MODE=release build/release/tdtop

# Instructions, system calls and memory, held against tests/bench/counts.txt; with valgrind and strace.
bench-counts bench-counts-update: all $(B)/bench/bench $(B)/bench/threads
	@python3 tests/bench/counts.py $(B) --cc $(CC) $(if $(filter %-update,$@),--update)

format:
	clang-format -i $(FORMAT)

format-check:
	@clang-format --dry-run -Werror $(FORMAT) && echo "format: ok"

install: all
	install -D -m 755 $(B)/tdtop $(DESTDIR)$(prefix)/bin/tdtop
	install -d $(DESTDIR)$(prefix)/share/tdtop/themes $(DESTDIR)$(prefix)/share/doc/tdtop/docs/img
	install -m 644 themes/*.toml $(DESTDIR)$(prefix)/share/tdtop/themes
	install -D -m 644 docs/tdtop.1 $(DESTDIR)$(prefix)/share/man/man1/tdtop.1
	install -D -m 644 docs/tdtop-models.5 $(DESTDIR)$(prefix)/share/man/man5/tdtop-models.5
	install -D -m 644 completions/tdtop.bash $(DESTDIR)$(prefix)/share/bash-completion/completions/tdtop
	install -D -m 644 completions/_tdtop $(DESTDIR)$(prefix)/share/zsh/site-functions/_tdtop
	install -D -m 644 completions/tdtop.fish $(DESTDIR)$(prefix)/share/fish/vendor_completions.d/tdtop.fish
	install -m 644 README.md CONTRIBUTING.md LICENSE NOTICE config.example.toml $(DESTDIR)$(prefix)/share/doc/tdtop
	install -m 644 docs/*.md docs/*.json $(DESTDIR)$(prefix)/share/doc/tdtop/docs
	install -m 644 docs/img/*.png $(DESTDIR)$(prefix)/share/doc/tdtop/docs/img

clean:
	rm -rf build

-include $(OBJ:.o=.d) $(UNIT:=.d) $(BENCH:=.d) $(STORE:=.d) $(FUZZ:=.d)
