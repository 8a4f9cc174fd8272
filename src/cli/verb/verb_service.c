/*
 * `tdtop install-service`: a unit of systemd for the agent (systemd.exec(5)). It may do what the
 * agent's file needs and nothing else: count (CAP_PERFMON); with `where`, also read what other
 * users' processes have mapped (CAP_SYS_PTRACE).
 */
#include "base/door.h"
#include "base/folder.h"
#include "base/str.h"
#include "cli/verb/agent_config.h"
#include "db/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char system_path[] = "/etc/systemd/system/tdtop-agent.service";
static const char password_file[] = "/etc/tdtop/pgpass"; /* libpq's, for the server of runs */

struct service {
    const struct args *a;
    struct agent_config config; /* empty where there is no file yet */
    char program[4096], config_path[4096];
    char path[4096]; /* of the unit */
    bool samples, runs_commands, server, listens;
    long group;        /* that can write to the folder of textfile; -1 */
    bool cannot_write; /* nor can others */
};

/* ---- what it needs ---- */

static void look(struct service *sv) {
    sv->server = sv->config.db && store_is_server(sv->config.db);
    sv->listens = sv->config.publish.listen != NULL;
    for (int i = 0; i < sv->config.n_target; i++) {
        const struct args *t = &sv->config.target[i].args;
        sv->samples |= t->where != NULL;
        sv->runs_commands |= t->then != NULL;
    }
}

static int find_program(struct service *sv, struct err *err) {
    const ssize_t n = readlink("/proc/self/exe", sv->program, sizeof(sv->program) - 1);
    if (n < 0)
        return err_set(err, -errno, "/proc/self/exe: %s", strerror(errno));
    sv->program[n] = '\0';
    return 0;
}

/* A file that is not there yet is no fault: the unit names where it will be. */
static int find_config(struct service *sv, struct err *err) {
    const char *given = sv->a->config;
    if (!given && !sv->a->user)
        given = "/etc/tdtop/agent.toml";
    int rc = agent_config_read(&sv->config, given, err);
    if (rc == -ENOENT)
        rc = 0;
    if (rc < 0)
        return rc;
    const char *path = sv->config.path[0] ? sv->config.path : given ? given : "%E/tdtop/agent.toml";
    if (path[0] == '/' || path[0] == '%') {
        str_copy(sv->config_path, sizeof(sv->config_path), path);
        return 0;
    }
    char here[2048];
    if (!getcwd(here, sizeof(here)))
        return err_set(err, -errno, "%s: its folder: %s", path, strerror(errno));
    snprintf(sv->config_path, sizeof(sv->config_path), "%s/%.2000s", here, path);
    return 0;
}

/* What systemd would read in another way; and a store that the service may not write. */
static int check_words(const struct service *sv, struct err *err) {
    const char *const paths[] = {sv->program, sv->config_path};
    for (int i = 0; i < 2; i++)
        if (strpbrk(paths[i], " \t\n\"'\\$") || (strchr(paths[i], '%') && paths[i][0] == '/'))
            return err_set(err, -EINVAL,
                           "%s: a unit cannot name such a path: give one without blanks, quotes, "
                           "$, %% and \\",
                           paths[i]);
    if (sv->config.db && !sv->a->user && !sv->server)
        return err_set(err, -EINVAL,
                       "%s: db = \"%s\": the service writes to its own store alone, "
                       "/var/lib/tdtop/runs.db, or to a server; take db out of the file",
                       sv->config.path, sv->config.db);
    return 0;
}

static bool is_below(const char *dir, const char *top) {
    return str_starts(dir, top) && (dir[strlen(top)] == '/' || !dir[strlen(top)]);
}

/* The service's user can write where one of its groups can. */
static int check_textfile(struct service *sv, struct err *err) {
    const char *dir = sv->config.publish.textfile;
    struct stat st;
    if (!dir || sv->a->user)
        return 0;
    if (dir[0] != '/' || strpbrk(dir, " \t\n\"'\\$%:"))
        return err_set(err, -EINVAL,
                       "%s: textfile = \"%s\": a unit cannot name such a path: give a whole one "
                       "without blanks, quotes, $, %%, : and \\",
                       sv->config.path, dir);
    if (is_below(dir, "/tmp") || is_below(dir, "/var/tmp"))
        return err_set(err, -EINVAL,
                       "%s: textfile = \"%s\": the service has a /tmp of its own; give another "
                       "folder",
                       sv->config.path, dir);
    const mode_t mode = stat(dir, &st) == 0 ? st.st_mode : 0;
    sv->group = (mode & S_IWGRP) && st.st_gid != 0 ? (long)st.st_gid : -1;
    sv->cannot_write = sv->group < 0 && !(mode & S_IWOTH);
    return 0;
}

static int find_unit(struct service *sv, struct err *err) {
    if (!sv->a->user)
        str_copy(sv->path, sizeof(sv->path), system_path);
    else if (!*folder_config("systemd/user/tdtop-agent.service", sv->path, sizeof(sv->path)))
        return err_set(err, -ENOENT, "install-service --user: HOME is not set");
    return 0;
}

/* ---- the unit ---- */

/* Of a user's own systemd, which can neither change users nor give rights. */
static void put_user(const struct service *sv, FILE *out) {
    (void)sv;
    fputs("NoNewPrivileges=yes\n"
          "MemoryMax=512M\n"
          "\n[Install]\n"
          "WantedBy=default.target\n",
          out);
}

static void put_rights(const struct service *sv, FILE *out) {
    const char *more = sv->samples ? " CAP_SYS_PTRACE" : "";
    fprintf(out,
            "# A user of its own; %s.\n"
            "DynamicUser=yes\n"
            "User=tdtop\n"
            "StateDirectory=tdtop\n"
            "Environment=TDTOP_DB=%%S/tdtop/runs.db TMPDIR=%%S/tdtop\n"
            "WorkingDirectory=%%S/tdtop\n"
            "# Counting needs CAP_PERFMON%s.\n"
            "AmbientCapabilities=CAP_PERFMON%s\n"
            "CapabilityBoundingSet=CAP_PERFMON%s\n",
            sv->server ? "runs are in /var/lib/tdtop until the server has them"
                       : "the store is /var/lib/tdtop/runs.db",
            sv->samples ? ", names of functions CAP_SYS_PTRACE" : "", more, more);
}

/* Of what is there for others: to answer on loopback, with insecure_listen anywhere; to reach a
 * server of runs. A password for that is not in the file that says what to measure. */
static void put_network(const struct service *sv, FILE *out) {
    const bool any = sv->server || (sv->listens && sv->config.publish.insecure);
    if (!any && !sv->listens)
        fputs("PrivateNetwork=yes\n", out);
    fprintf(out, "RestrictAddressFamilies=AF_UNIX%s\n",
            any || sv->listens ? " AF_INET AF_INET6" : "");
    if (!any)
        fprintf(out, "IPAddressDeny=any\n%s", sv->listens ? "IPAddressAllow=localhost\n" : "");
    if (sv->server && access(password_file, F_OK) == 0)
        fprintf(out,
                "LoadCredential=pgpass:%s\n"
                "Environment=PGPASSFILE=%%d/pgpass\n",
                password_file);
}

static void put_textfile(const struct service *sv, FILE *out) {
    if (!sv->config.publish.textfile)
        return;
    fprintf(out, "ReadWritePaths=-%s\n", sv->config.publish.textfile);
    if (sv->group >= 0)
        fprintf(out, "SupplementaryGroups=%ld\n", sv->group);
}

static void put_limits(const struct service *sv, FILE *out) {
    put_network(sv, out);
    put_textfile(sv, out);
    fputs("NoNewPrivileges=yes\n"
          "ProtectSystem=strict\n"
          "ProtectHome=read-only\n"
          "PrivateTmp=yes\n"
          "PrivateDevices=yes\n"
          "PrivateIPC=yes\n"
          "ProtectClock=yes\n"
          "ProtectHostname=yes\n"
          "ProtectKernelTunables=yes\n"
          "ProtectKernelModules=yes\n"
          "ProtectKernelLogs=yes\n"
          "ProtectControlGroups=yes\n"
          "RestrictNamespaces=yes\n"
          "RestrictRealtime=yes\n"
          "RestrictSUIDSGID=yes\n"
          "RemoveIPC=yes\n"
          "LockPersonality=yes\n"
          "MemoryDenyWriteExecute=yes\n"
          "KeyringMode=private\n"
          "SystemCallArchitectures=native\n"
          "SystemCallFilter=@system-service perf_event_open\n"
          "SystemCallFilter=~@privileged @resources\n"
          "SystemCallErrorNumber=EPERM\n"
          "UMask=0077\n"
          "LimitNOFILE=65536\n"
          "MemoryMax=512M\n"
          "TasksMax=1024\n",
          out);
    if (!sv->runs_commands) /* of rules: what they need is not known */
        fprintf(out,
                "NoExecPaths=/\nExecPaths=%s -/bin/kill -/usr/bin/kill /usr/lib /lib -/lib64\n",
                sv->program);
}

static void put_unit(const struct service *sv, FILE *out) {
    fprintf(out,
            "# Written by tdtop install-service, from %s.\n"
            "[Unit]\n"
            "Description=tdtop agent: where CPU pipeline slots go\n"
            "Documentation=man:tdtop(1)\n"
            "\n[Service]\n"
            "Type=notify\n"
            "ExecStart=%s agent --config %s\n"
            "ExecReload=/bin/kill -HUP $MAINPID\n"
            "Restart=on-failure\n"
            "RestartSec=10s\n"
            "TimeoutStopSec=15s\n"
            "WatchdogSec=120s\n",
            sv->config_path, sv->program, sv->config_path);
    if (sv->a->user) {
        put_user(sv, out);
        return;
    }
    put_rights(sv, out);
    put_limits(sv, out);
    fputs("\n[Install]\n"
          "WantedBy=multi-user.target\n",
          out);
}

/* A unit that was changed by hand, or is another's, stays. */
static int check_old(const struct service *sv, struct err *err) {
    char *text = NULL;
    size_t n;
    if (access(sv->path, F_OK) < 0)
        return 0;
    const int rc = str_read_file(sv->path, 1 << 20, &text, &n, err);
    const bool ours = rc == 0 && str_starts(text, "# Written by tdtop install-service");
    free(text);
    if (rc < 0 || ours)
        return rc;
    return err_set(err, -EEXIST,
                   "%s: it is there, and not from tdtop install-service; move it away, or "
                   "--preview prints the unit",
                   sv->path);
}

static int write_unit(const struct service *sv, struct err *err) {
    int rc = check_old(sv, err);
    if (rc < 0)
        return rc;
    if ((rc = folder_make(sv->path, NULL, 0)) < 0)
        return err_set(err, rc, "%s: its folder cannot be made: %s", sv->path, strerror(-rc));
    FILE *out = door_create(sv->path);
    if (out)
        put_unit(sv, out);
    const bool bad = !out || ferror(out);
    if ((out && fclose(out) != 0) || bad) {
        rc = errno ? -errno : -EIO;
        return err_set(err, rc, "%s: %s%s", sv->path, strerror(-rc),
                       rc == -EACCES ? "; as root, or --user" : "");
    }
    return 0;
}

/* What the service would miss. */
static void say_lacks(const struct service *sv) {
    const char *const paths[] = {sv->program, sv->config_path};
    for (int i = 0; i < 2 && !sv->a->user; i++)
        if (is_below(paths[i], "/tmp") || is_below(paths[i], "/var/tmp"))
            cli_note("%s: the service has a /tmp of its own and does not see it; give it another "
                     "place, then tdtop install-service again",
                     paths[i]);
    if (sv->config.n_target == 0)
        cli_note("%s is to be written: what the agent measures", sv->config_path);
    if (sv->server && !sv->a->user && access(password_file, F_OK) < 0)
        cli_note("%s is not there: a password for the server goes there, as HOST:PORT:DATABASE:"
                 "USER:PASSWORD, mode 600; then tdtop install-service again",
                 password_file);
    if (sv->cannot_write)
        cli_note("textfile = \"%s\": the service cannot write there; let a group do so (chgrp, "
                 "chmod g+w), then tdtop install-service again",
                 sv->config.publish.textfile);
}

static void say_next(const struct service *sv) {
    const char *user = sv->a->user ? " --user" : "";
    cli_note("next: systemctl%s daemon-reload; systemctl%s enable --now tdtop-agent", user, user);
}

int verb_service(const struct args *a) {
    struct service sv = {.a = a};
    struct err err = {0};
    int rc = find_program(&sv, &err);
    if (rc == 0)
        rc = find_config(&sv, &err);
    if (rc == 0) {
        look(&sv);
        rc = check_words(&sv, &err);
    }
    if (rc == 0)
        rc = check_textfile(&sv, &err);
    if (rc == 0)
        rc = find_unit(&sv, &err);
    if (rc == 0) {
        if (a->preview)
            put_unit(&sv, stdout);
        else if ((rc = write_unit(&sv, &err)) == 0)
            cli_note("%s is written", sv.path);
        if (rc == 0)
            say_lacks(&sv);
        if (rc == 0 && !a->preview)
            say_next(&sv);
    }
    if (rc < 0)
        cli_error(&err);
    agent_config_free(&sv.config);
    return rc < 0 ? EXIT_ERROR : cli_finish(EXIT_OK);
}
