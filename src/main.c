/* Picks the verb. */
#include "base/caps.h"
#include "base/door.h"
#include "cli/cli.h"
#include "cli/file/json_out.h"
#include "start/start.h"

#include <locale.h>

/* Those that need no screen; the others are start_measure. */
static int (*const verbs[VERB_N])(const struct args *) = {
    [VERB_COLLECT] = verb_collect,
    [VERB_AB] = verb_ab,
    [VERB_AGENT] = verb_agent,
    [VERB_SERVICE] = verb_service,
    [VERB_MCP] = verb_mcp,
    [VERB_WHERE] = verb_where,
    [VERB_ANNOTATE] = verb_annotate,
    [VERB_LIST] = verb_list,
    [VERB_QUERY] = verb_query,
    [VERB_COMPARE] = verb_compare,
    [VERB_HISTORY] = verb_history,
    [VERB_EXPORT] = verb_export,
    [VERB_IMPORT] = verb_import,
    [VERB_LABEL] = verb_label,
    [VERB_RM] = verb_rm,
    [VERB_REEVAL] = verb_reeval,
    [VERB_DB] = verb_db,
    [VERB_MODELS] = verb_models,
    [VERB_DOCTOR] = verb_doctor,
    [VERB_SELFTEST] = verb_selftest,
    [VERB_PLAN] = verb_plan,
    [VERB_EXPLAIN] = verb_explain,
    [VERB_GUIDE] = verb_guide,
    [VERB_SQL] = verb_sql,
    [VERB_VERSION] = verb_version,
};

/* Who failed has told of it. */
static int printed(int code) {
    return code == EXIT_OK || cli_lacks() ? cli_finish(code) : code;
}

int main(int argc, char **argv) {
    struct args a;
    struct err err = {0};
    if (door_init() < 0) {
        cli_note("out of memory; close other programs");
        return EXIT_ERROR;
    }
    if (caps_init(&err) < 0) {
        cli_error(&err);
        return EXIT_ERROR;
    }
    json_watch();
    setlocale(LC_CTYPE, ""); /* numbers in files and rows have a point, whatever the language */
    if (cli_parse(&a, argc, argv, &err) < 0) {
        cli_error(&err);
        return EXIT_USAGE;
    }
    if (a.help || a.verb == VERB_HELP) {
        cli_help(&a);
        return cli_finish(EXIT_OK);
    }
    if (a.version)
        return printed(verb_version(&a));
    if (a.verb == VERB_RUNS)
        return start_runs(&a);
    return verbs[a.verb] ? printed(verbs[a.verb](&a)) : start_measure(&a);
}
