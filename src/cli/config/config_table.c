/* What can be set: one row a setting, in the order of config.example.toml. */
#include "base/clock.h"
#include "cli/config/config.h"
#include "session/session.h"

#include <stddef.h>
#include <string.h>

static const struct choice colors[] = {
    {"auto", -1},           {"mono", 0}, {"8", 8}, {"16", 16}, {"256", 256},
    {"truecolor", 1 << 24}, {NULL, 0},
};

static const struct choice focus_modes[] = {
    {"auto", FOCUS_AUTO}, {"open", FOCUS_OPEN}, {"off", FOCUS_OFF}, {NULL, 0}};

/* The values are those of enum chart_glyph (ui/draw/chart.h). */
static const struct choice plots[] = {
    {"auto", -1}, {"braille", 0}, {"blocks", 1}, {"ascii", 2}, {NULL, 0}};

#define AT(field) offsetof(struct config, field)

/* Below 20 ms reading the counters would itself be the load. */
#define INTERVAL_MIN_NS (20 * NS_PER_MS)
#define INTERVAL_MAX_NS (3600 * NS_PER_S)

const struct setting config_settings[] = {
    {.key = "interval",
     .type = SETTING_DURATION,
     .at = AT(interval_ns),
     .text = "1s",
     .min = INTERVAL_MIN_NS,
     .max = INTERVAL_MAX_NS,
     .help = "time between samples: 20ms to 1h"},
    {.key = "level",
     .type = SETTING_INT,
     .at = AT(level),
     .max = 6,
     .help = "deepest level of the tree to measure, 1 to 6; 0 = everything"},
    {.key = "focus",
     .type = SETTING_CHOICE,
     .at = AT(focus),
     .text = "auto",
     .choices = focus_modes,
     .help = "auto, open or off"},
    {.key = "theme",
     .type = SETTING_TEXT,
     .at = AT(theme),
     .text = "default",
     .help = "name of a theme, or a theme file"},
    {.key = "mouse",
     .type = SETTING_BOOL,
     .at = AT(mouse),
     .number = 1,
     .help = "take clicks and the wheel; false leaves the mouse to the terminal"},
    {.key = "ascii",
     .type = SETTING_BOOL,
     .at = AT(ascii),
     .help = "draw with ASCII characters only"},
    {.key = "color",
     .type = SETTING_CHOICE,
     .at = AT(colors),
     .text = "auto",
     .choices = colors,
     .help = "auto, mono, 8, 16, 256 or truecolor"},
    {.key = "model_dir",
     .type = SETTING_TEXT,
     .at = AT(model_dir),
     .text = "",
     .help = "models in this folder replace the built-in ones"},
    {.key = "model",
     .type = SETTING_TEXT,
     .at = AT(model),
     .text = "",
     .help = "model for live measurements; empty = the best that this machine can count"},
    {.key = "metrics_dir",
     .type = SETTING_TEXT,
     .at = AT(metrics_dir),
     .text = "",
     .help = "folder of your own metrics; empty = metrics.d beside the settings"},
    {.key = "cputype",
     .type = SETTING_TEXT,
     .at = AT(cputype),
     .text = "",
     .help = "of several kinds of core this one: core, atom, lowpower; empty = the biggest"},
    {.key = "speed",
     .type = SETTING_REAL,
     .at = AT(speed),
     .number = 1,
     .max = 1e9,
     .help = "speed of demo and replay on the screen; 0 = as fast as possible"},
    {.key = "log",
     .type = SETTING_TEXT,
     .at = AT(log),
     .text = "",
     .help = "file for the developers' log; empty = none"},
    {.key = "plot",
     .type = SETTING_CHOICE,
     .at = AT(plot),
     .text = "auto",
     .choices = plots,
     .help = "what plots are drawn with: auto, braille, blocks or ascii"},
    {.key = "advice",
     .type = SETTING_TEXT,
     .at = AT(advice),
     .text = "toplev",
     .help = "source of the sentence that says what to do next"},
    {.key = "clipboard",
     .type = SETTING_BOOL,
     .at = AT(clipboard),
     .help = "key C copies through the terminal (OSC 52)"},
    {.key = "layout",
     .type = SETTING_TEXT,
     .at = AT(layout),
     .text = "home",
     .help = "home, tree, plots, words, bare; or what panes take: \"side 30%, plot none\""},
    {.key = "view",
     .type = SETTING_TEXT,
     .at = AT(view),
     .text = "tree",
     .help = "the view at start: tree, funnel, history, threads, cpus, metrics, doctor"},
};
const size_t config_n_settings = sizeof(config_settings) / sizeof(config_settings[0]);

const struct setting *config_setting(const char *key) {
    for (size_t i = 0; i < config_n_settings; i++)
        if (strcmp(config_settings[i].key, key) == 0)
            return &config_settings[i];
    return NULL;
}
