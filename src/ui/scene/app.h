/*
 * What a view may ask of the program: each is a word to the user, or a change of what is on the
 * screen that is not the view's own. Defined in ui/app, which nothing below it includes.
 */
#ifndef TDTOP_UI_SCENE_APP_H
#define TDTOP_UI_SCENE_APP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bench_source;
struct run;
struct run_node;
struct scene;
struct view;

/* A line for the user, in the last line until the next key, or for a while. "{explain}" becomes the
 * key of that action. */
void app_say(struct scene *sc, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Shows a view, whatever its is_offered would say. */
void app_view(struct scene *sc, const struct view *view);
/* Explains a metric, or shows how a value of it came to be; Esc comes back. */
void app_explain(struct scene *sc, int metric);
void app_value(struct scene *sc, int metric);
/* Enter on a node of the comparison of two stored runs: that run, or the trend of that group.
 * False: there is no store. */
bool app_open_source(struct scene *sc, const struct bench_source *from, const struct run_node *n);

/* The newest is shown again, after another moment was. */
void app_show_newest(struct scene *sc);
/* The columns of the tree have changed: places and trends follow. 0 or -ENOMEM. */
int app_columns_changed(struct scene *sc);
/* Sums begin again, those of all core types. */
void app_reset_sums(struct scene *sc);

/* The key of an action as the user knows it, "Enter", "F1", "e"; "" if it has none. Returns buf. */
const char *keys_name_of(const char *action, char *buf, size_t cap);
/* The same, but "" where the view that is shown does not have it. */
const char *app_key_here(const struct scene *sc, const char *action, char *buf, size_t cap);
/* Words with the keys that actions have now: "{baseline} pins it" -> "b pins it"; an action without
 * a key stands as its command, ":baseline". What no action is called stays. Returns buf. */
const char *keys_in_words(const char *words, char *buf, size_t cap);

/* True while a snapshot waits for another program that writes to the store. */
bool app_store_is_blocked(const struct scene *sc);
/* Labels that were typed for the newest snapshot, if that was in (t0_ns, t1_ns] of session time;
 * else "". */
const char *app_labels_between(const struct scene *sc, uint64_t t0_ns, uint64_t t1_ns);
/* Appends to a run of this session the samples that the Where view took in its time. 0 or -ENOMEM.
 */
int app_add_samples(struct scene *sc, struct run *r);
/* Where the store of runs is all there is: nothing is measured. */
bool app_is_store_alone(const struct scene *sc);

#endif
