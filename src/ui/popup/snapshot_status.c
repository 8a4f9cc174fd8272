/* What became of snapshots, in words; and that none is lost unsaid. */
#include "base/str.h"
#include "ui/app/find.h"
#include "ui/app/screen.h"
#include "ui/draw/words.h"
#include "ui/popup/snapshot_impl.h"

/* ---- what became of it ---- */

static void say_saved(struct screen *sc, const struct saver_result *done) {
    char labels[sizeof(done->labels)], span[16];
    str_safe(labels, sizeof(labels), done->labels);
    words_span(span, sizeof(span), done->measured_ns);
    screen_say(sc, "saved as %.8s, %s%s%s in %s%s%s", done->id, span,
               labels[0] ? ": " : ", no labels", labels, done->at,
               done->skipped[0] ? "; nothing was measured then on " : "", done->skipped);
}

/* A question takes the keys: it waits while they go into something else. */
static bool is_busy(const struct screen *sc) {
    return sc->popup || sc->ask.typing || search_is_typed(sc) || runs_shown(sc);
}

void snapshot_asks(struct screen *sc) {
    struct snapshots *sn = sc->snapshot;
    if (sn && sn->asks && snapshot_wants_path(sn) && !is_busy(sc))
        snapshot_ask_path(sc);
}

static void say_result(struct screen *sc, const struct saver_result *done) {
    struct snapshots *sn = sc->snapshot;
    if (done->err.code == 0) {
        say_saved(sc, done);
        return;
    }
    sn->said_unsaved = 0;
    sn->asks = true;
    screen_say(sc,
               "snapshot %.8s could not be saved, and is in memory ({snapshot}: where else to): %s",
               done->id, done->err.text);
}

bool snapshot_status(struct screen *sc) {
    struct saver_result done;
    bool any = false;
    while (saver_take(&sc->snapshot->saver, &done)) {
        say_result(sc, &done);
        any = true;
    }
    snapshot_asks(sc);
    return any || saver_is_blocked(&sc->snapshot->saver); /* the header says so */
}

bool snapshot_may_quit(struct screen *sc) {
    struct snapshots *sn = sc->snapshot;
    int n = sn && sn->saver.failed ? saver_unsaved(&sn->saver) : 0;
    if (n <= (sn ? sn->said_unsaved : 0)) {
        if (sn)
            sn->gives_up = n > 0;
        return true;
    }
    sn->said_unsaved = n;
    screen_say(sc,
               "%d snapshot%s not saved: {snapshot} saves elsewhere, {quit} again quits without", n,
               n == 1 ? " is" : "s are");
    return false;
}
