#include "session/auto_labels.h"

#include "base/str.h"
#include "pmu/host/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* --- the target --- */

/* A command line as /proc has it: words that end in NUL. */
static void read_command(int pid, char *buf, size_t cap) {
    char path[64], raw[AUTO_COMMAND_MAX];
    snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(raw, 1, sizeof(raw) - 1, f) : 0;
    if (f)
        fclose(f);
    while (n > 0 && raw[n - 1] == '\0')
        n--;
    for (size_t i = 0; i < n; i++)
        if (raw[i] == '\0')
            raw[i] = ' ';
    raw[n] = '\0';
    str_safe(buf, cap, raw);
}

static void name_process(int pid, const char *list, struct auto_names *nm) {
    char path[64], comm[64] = "";
    snprintf(path, sizeof(path), "/proc/%d/comm", pid);
    str_read_small(path, comm, sizeof(comm));
    str_safe(nm->process, sizeof(nm->process), comm);
    str_safe(nm->pid, sizeof(nm->pid), list);
    read_command(pid, nm->command, sizeof(nm->command));
}

/* Those of that name now; the source found them in the same way a moment ago. */
static void name_by_name(const struct source *src, struct auto_names *nm) {
    const char *name = src->opt.target.name;
    pid_t *pid = NULL;
    struct strbuf sb = strbuf_on(nm->pid, sizeof(nm->pid));
    const int n = target_find("/proc", name, &pid, NULL);
    for (int i = 0; i < n && sb.n + 12 < sizeof(nm->pid); i++)
        strbuf_add(&sb, "%s%d", i ? "," : "", (int)pid[i]);
    if (n > 0)
        read_command((int)pid[0], nm->command, sizeof(nm->command));
    free(pid);
    str_safe(nm->process, sizeof(nm->process), name);
}

/* Before its exec, /proc would say what we are called. */
static void name_command(const struct source *src, struct auto_names *nm) {
    const struct target *t = &src->opt.target;
    char words[AUTO_COMMAND_MAX];
    struct strbuf sb = strbuf_on(words, sizeof(words));
    for (char **arg = t->argv; *arg; arg++)
        strbuf_add(&sb, "%s%s", arg == t->argv ? "" : " ", *arg);
    str_safe(nm->process, sizeof(nm->process), str_base_name(t->argv[0]));
    str_safe(nm->command, sizeof(nm->command), words);
    if (t->pids)
        str_safe(nm->pid, sizeof(nm->pid), t->pids);
    else if (src->command)
        snprintf(nm->pid, sizeof(nm->pid), "%d", (int)src->command);
}

static void name_pids(const struct source *src, struct auto_names *nm) {
    const struct target *t = &src->opt.target;
    if (t->waits && t->argv)
        name_command(src, nm);
    else
        name_process(atoi(t->pids), t->pids, nm);
}

static void name_tids(const struct source *src, struct auto_names *nm) {
    name_process(atoi(src->opt.target.tids), src->opt.target.tids, nm);
}

static void name_system(const struct source *src, struct auto_names *nm) {
    (void)src;
    str_copy(nm->process, sizeof(nm->process), "system");
}

static void name_cpus(const struct source *src, struct auto_names *nm) {
    char words[64];
    snprintf(words, sizeof(words), "CPUs %s", src->opt.target.cpus);
    str_safe(nm->process, sizeof(nm->process), words);
}

static void name_cgroup(const struct source *src, struct auto_names *nm) {
    str_safe(nm->process, sizeof(nm->process), str_base_name(src->opt.target.cgroup));
}

static void (*const name_of[])(const struct source *src, struct auto_names *nm) = {
    [TARGET_PIDS] = name_pids,     [TARGET_NAME] = name_by_name, [TARGET_COMMAND] = name_command,
    [TARGET_ALL] = name_system,    [TARGET_CPUS] = name_cpus,    [TARGET_TIDS] = name_tids,
    [TARGET_CGROUP] = name_cgroup,
};

void auto_names_read(const struct source *src, struct auto_names *out) {
    const enum target_kind kind = src->opt.target.kind;
    *out = (struct auto_names){0};
    if (src->simulated)
        str_copy(out->process, sizeof(out->process), "demo");
    else if (src->opt.file)
        str_safe(out->process, sizeof(out->process), str_base_name(src->opt.file));
    else if (name_of[kind])
        name_of[kind](src, out);
}

/* --- the labels --- */

/* What is unknown gets no label. */
static int add(struct run *r, const char *key, const char *value) {
    char safe[AUTO_COMMAND_MAX];
    return value[0] ? run_label_set(r, key, str_safe(safe, sizeof(safe), value), true, NULL) : 0;
}

static int add_number(struct run *r, const char *key, int v) {
    char text[16];
    snprintf(text, sizeof(text), "%d", v);
    return add(r, key, text);
}

static int add_switch(struct run *r, const char *key, int on) {
    return on < 0 ? 0 : add(r, key, on ? "on" : "off");
}

static int add_machine(struct run *r) {
    struct utsname u;
    char pmu[64] = "";
    if (uname(&u) < 0)
        return 0;
    str_read_small("/sys/devices/cpu/caps/pmu_name", pmu, sizeof(pmu));
    int rc = add(r, "arch", u.machine);
    if (rc == 0)
        rc = add(r, "kernel_version", u.release);
    if (rc == 0)
        rc = add(r, "node", u.nodename);
    return rc ? rc : add(r, "pmu_name", pmu);
}

static int add_environment(struct run *r, const struct environment *env) {
    int rc = add(r, "cpu", env->cpu_name);
    if (rc == 0)
        rc = add(r, "microcode", env->microcode);
    if (rc == 0)
        rc = add(r, "governor", env->governor);
    if (rc == 0)
        rc = add_switch(r, "turbo", env->turbo);
    if (rc == 0)
        rc = add_switch(r, "smt", env->smt);
    return rc ? rc : add_number(r, "paranoid", env->paranoid);
}

static int add_measurement(struct run *r, const struct source *src, const struct auto_names *nm) {
    int rc = add(r, "comm", nm->process);
    if (rc == 0)
        rc = add(r, "pid", nm->pid);
    if (rc == 0)
        rc = add(r, "cmdline", nm->command);
    if (rc == 0)
        rc = add(r, "collector", src->ops->name);
    if (rc == 0)
        rc = add(r, "model", src->model->name);
    if (rc == 0)
        rc = add_number(r, "tma_level", src->opt.level);
    return rc ? rc : add(r, "tdtop_version", TDTOP_VERSION);
}

int auto_labels(const struct source *src, const struct auto_names *names,
                const struct environment *env, struct run *r, struct err *err) {
    r->process = strdup(names->process);
    r->command = strdup(names->command);
    int rc = r->process && r->command ? add_measurement(r, src, names) : -ENOMEM;
    if (rc == 0 && src->live && !src->simulated)
        rc = add_machine(r);
    if (rc == 0 && env)
        rc = add_environment(r, env);
    return rc == 0 ? 0 : err_set(err, rc, "labels: out of memory; close other programs");
}
