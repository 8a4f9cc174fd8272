/*
 * What tells that the rows of a run are not those that were written: for each row a CRC-32C over
 * all of its columns, and of a run's rows the sum of these. It is SQL, over a row of runs, so that
 * it is made in one way where a run is saved, read and checked.
 *
 * values_sum: what never changes of a run without its counts (labels, the note and deletion may).
 * counts_sum: its events and chunks; the bytes of each chunk have a checksum of their own.
 */
#ifndef TDTOP_DB_STORE_SQLITE_SUM_H
#define TDTOP_DB_STORE_SQLITE_SUM_H

#include <sqlite3.h>

/* The SQL function that they are made with: row_crc(value, ...). Returns SQLite's code. */
int sq_add_sum(sqlite3 *db);

#define SQ_SUM_OF(columns, from) "(SELECT coalesce(sum(row_crc(" columns ")), 0) FROM " from ")"

/* clang-format off */
#define SQ_VALUES_SUM                                                                              \
    "(row_crc('run', id, process, target, command, begun_ns, ended_ns, t0_ns, t1_ns, measured_ns," \
    " interval_ns, intervals, model, model_hash, level, system_wide, simulated, bottleneck,"       \
    " doubt, source, version, parent, ran_through) + "                                             \
    SQ_SUM_OF("'node', n.ord, m.name, m.path, m.unit, m.level, m.good_up, m.share, n.value,"       \
              " n.err, n.state, n.duty, n.is_over, n.parted, n.approximate, n.n, n.mean, n.sd,"    \
              " n.min, n.max, n.se, n.dof, n.effective_n, n.reason, n.total, n.better",            \
              "nodes n JOIN metrics m ON m.metric = n.metric WHERE n.run = runs.run") " + "        \
    SQ_SUM_OF("'constant', c.name, c.value, c.fixed",                                              \
              "constants c WHERE c.run = runs.run") " + "                                          \
    SQ_SUM_OF("'fact', f.ord, f.key, f.value", "facts f WHERE f.run = runs.run") " + "             \
    SQ_SUM_OF("'mark', k.ord, k.t_ns, k.name", "marks k WHERE k.run = runs.run") ")"

#define SQ_COUNTS_SUM                                                                              \
    "(row_crc('run', id, intervals, series_format, n_group, n_pinned, no_perf_metrics) + "         \
    SQ_SUM_OF("'event', e.slot, e.event, e.name, e.counted_in, e.total, e.enabled_ns,"             \
              " e.running_ns, e.state", "events e WHERE e.run = runs.run") " + "                   \
    SQ_SUM_OF("'chunk', c.ord, c.t0_ns, c.t1_ns, c.intervals, c.crc32c, length(c.bytes)",          \
              "chunks c WHERE c.run = runs.run") ")"
/* clang-format on */

#endif
