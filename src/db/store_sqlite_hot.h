/* Samples of a run (model/hot/hot.h) as rows: tables `sampled` and those of its name. */
#ifndef TDTOP_DB_STORE_SQLITE_HOT_H
#define TDTOP_DB_STORE_SQLITE_HOT_H

#include "db/store_sqlite.h"
#include "db/store_sqlite_sum.h"

/* In the transaction at hand, in the place of what the row of runs had. 0 or negative errno. */
int sq_save_hot(struct sq *sq, int64_t run, const struct run *r, struct err *err);
/* Reads all of a row of runs into r->hot. 0 or negative errno with words: -EUCLEAN. */
int sq_load_hot(struct sq *sq, int64_t run, struct run *r, struct err *err);

/* What tells that rows are not those that were written, over a row of sampled: as SQ_VALUES_SUM. */
#define SQ_HOT_OF(columns, table)                                                                  \
    SQ_SUM_OF("'" table "', " columns,                                                             \
              table " WHERE " table ".run = sampled.run AND " table ".ord = sampled.ord")
/* clang-format off */
#define SQ_HOT_SUM_4 /* of version 4 */                                                             \
    "(row_crc('sampled', ord, asked, target, begun_ns, seconds, cpu_s, freq_hz, samples, weight,"  \
    " square, exact, kernel, unknown, lost, throttled, others, garbled, no_room, unreadable,"      \
    " reopened, threads_left_out, cut_places, cut_stacks, user_only, system_wide) + "              \
    SQ_HOT_OF("i, event, precision, precise_ip, is_time, share_of, why", "sampled_events") " + "   \
    SQ_HOT_OF("i, note", "sampled_notes") " + "                                                    \
    SQ_HOT_OF("module, path, kind, build_id, deleted, lack", "sampled_modules") " + "              \
    SQ_HOT_OF("function, module, start, name, source, line", "sampled_functions") " + "            \
    SQ_HOT_OF("thread, pid, tid, name", "sampled_threads") " + "                                   \
    SQ_HOT_OF("place, function, thread, at, samples, weight, square", "sampled_places") " + "      \
    SQ_HOT_OF("node, parent, function, thread, samples, weight, square", "sampled_stacks") ")"
/* The same for samples without branch records. */
#define SQ_TAKEN                                                                                   \
    "taken, told, mispredicted, timed, cycles, told_weight, missed_weight, told2, told_missed,"    \
    " missed2, missed_all"
#define SQ_HOT_SUM_5 /* of version 5: without accesses */                                           \
    "(" SQ_HOT_SUM_4 " + "                                                                         \
    SQ_HOT_OF("recorded, why, samples, left_out, " SQ_TAKEN, "sampled_records") " + "              \
    SQ_HOT_OF("branch, from_function, from_at, to_function, to_at, source, line, " SQ_TAKEN,       \
              "sampled_branches") ")"
#define SQ_HOT_SUM                                                                                 \
    "(" SQ_HOT_SUM_5 " + "                                                                         \
    SQ_HOT_OF("samples, weight, square, left_out", "sampled_data") " + "                           \
    SQ_HOT_OF("access, function, thread, line, bytes, source, samples, weight, square, stores,"    \
              " timed, cycles", "sampled_accesses") ")"
/* clang-format on */

#endif
