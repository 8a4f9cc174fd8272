/*
 * A flame graph that hangs from the top, as one SVG file: a rectangle for each node of the tree of
 * stacks, as wide as the events below it. The script in it zooms and searches; without it the
 * picture is the whole, and the text of each rectangle tells name and share.
 */
#include "base/str.h"
#include "model/hot/hot_export.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1200, ROW = 18, TOP = 64, CHAR = 7 };
static const double least_width = 0.15; /* what is narrower is not drawn */

static const char style[] =
    "text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1b1b1f;pointer-events:none}"
    "rect{stroke:#fff;stroke-width:.6}.f{cursor:pointer}.f:hover rect{stroke:#1b1b1f}"
    ".hit rect{fill:#b36ae2}.path rect{opacity:.55}#h{font-weight:bold;font-size:14px}"
    "#d,#s{fill:#55555f}.b{cursor:pointer;fill:#2255aa;pointer-events:all}";

/* Each group has where it stands of the whole (x, w, in WIDTH), its depth and name. */
static const char script[] =
    "(function(){var W=1200,C=7,F=[].slice.call(document.querySelectorAll('.f')),"
    "S=document.getElementById('s'),D=document.getElementById('d'),said=D.textContent,re=null;\n"
    "function num(e,n){return +e.getAttribute('data-'+n)}\n"
    "function name(e){return e.getAttribute('data-n')}\n"
    "function place(e,x,w){var r=e.querySelector('rect'),t=e.querySelector('text'),"
    "n=Math.floor((w-6)/C),s=name(e);r.setAttribute('x',x);r.setAttribute('width',w);"
    "t.setAttribute('x',x+3);"
    "t.textContent=n<3?'':s.length>n?s.slice(0,n-1)+'\\u2026':s}\n"
    "function zoom(to){var x0=num(to,'x'),w0=num(to,'w'),d0=num(to,'d'),e=1e-6;"
    "F.forEach(function(g){var x=num(g,'x'),w=num(g,'w'),d=num(g,'d'),"
    "above=d<d0&&x<=x0+e&&x+w>=x0+w0-e,below=d>=d0&&x>=x0-e&&x+w<=x0+w0+e;"
    "g.style.display=above||below?'':'none';g.classList.toggle('path',above);"
    "if(above)place(g,0,W);else if(below)place(g,(x-x0)/w0*W,w/w0*W)})}\n"
    "function search(t){try{re=t?new RegExp(t,'i'):null}catch(x){"
    "re={test:function(s){return s.toLowerCase().indexOf(t.toLowerCase())>=0}}}"
    "var hit=[];F.forEach(function(g){var on=!!re&&re.test(name(g));"
    "g.classList.toggle('hit',on);if(on)hit.push(g)});"
    "hit.sort(function(a,b){return num(a,'x')-num(b,'x')||num(a,'d')-num(b,'d')});"
    "var end=-1,sum=0;hit.forEach(function(g){var x=num(g,'x'),w=num(g,'w');"
    "if(x>=end-1e-6){sum+=w;end=x+w}});"
    "S.textContent=re?'\"'+t+'\": '+hit.length+' frames, '+(100*sum/W).toFixed(1)+'% of all'"
    ":'search (Ctrl-F)'}\n"
    "function ask(){var t=prompt('Function to look for (a regular expression); empty: none');"
    "if(t!==null)search(t)}\n"
    "F.forEach(function(g){g.addEventListener('click',function(){zoom(g)});"
    "g.addEventListener('mouseover',function(){"
    "D.textContent=g.querySelector('title').textContent});"
    "g.addEventListener('mouseout',function(){D.textContent=said})});\n"
    "S.addEventListener('click',ask);"
    "document.getElementById('r').addEventListener('click',function(){zoom(F[0])});"
    "window.addEventListener('keydown',function(e){"
    "if((e.ctrlKey||e.metaKey)&&e.key==='f'){e.preventDefault();ask()}"
    "else if(e.key==='Escape'){search('');zoom(F[0])}});"
    "})();";

struct svg {
    const struct hot *h;
    FILE *out;
    struct hot_count *sum;   /* [n] of the node and below */
    double *x, *next, scale; /* [n] left edge; where its next child begins, in events */
    uint32_t *depth;         /* [n] 1 of a process; 0: it is not drawn */
    uint32_t n_hidden;
};

/* What no XML may have, escaped or not, is U+FFFD. */
static void put_text(FILE *out, const char *s) {
    for (size_t used; *s; s += used) {
        const uint32_t c = str_decode(s, &used);
        char utf8[4];
        if (c == '&' || c == '<' || c == '>' || c == '"')
            fprintf(out, "&#%u;", (unsigned)c);
        else if (c < 0x20 || c == 0xFFFE || c == 0xFFFF)
            fputs("\xEF\xBF\xBD", out);
        else
            fwrite(utf8, 1, str_encode(c, utf8), out);
    }
}

/* The first characters of a text, with an ellipsis if there are more; in columns. */
static void put_cut(FILE *out, const char *s, int room) {
    char cut[HOT_NAME];
    struct strbuf sb = strbuf_on(cut, sizeof(cut));
    int width = 0;
    if (room < 3)
        return;
    if (str_width(s) <= room) {
        put_text(out, s);
        return;
    }
    for (size_t used; *s; s += used) {
        const int w = str_cp_width(str_decode(s, &used));
        if (width + w > room - 1)
            break;
        width += w;
        strbuf_add(&sb, "%.*s", (int)used, s);
    }
    strbuf_add(&sb, "…");
    put_text(out, cut);
}

/* Warm for user space, cold for the kernel; the same name has the same color. */
static void put_color(FILE *out, const char *name, bool kernel) {
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    fprintf(out, "hsl(%u,%u%%,%u%%)", (kernel ? 190 : 10) + hash % 45, 60 + hash / 45 % 20,
            66 + hash / 900 % 12);
}

static void put_box(const struct svg *s, const char *name, const char *title, double x, double w,
                    uint32_t depth, bool kernel) {
    const double y = TOP + (double)depth * ROW;
    fprintf(s->out, "<g class=\"f\" data-x=\"%.4f\" data-w=\"%.4f\" data-d=\"%u\" data-n=\"", x, w,
            depth);
    put_text(s->out, name);
    fputs("\"><title>", s->out);
    put_text(s->out, title);
    fprintf(s->out, "</title><rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\" fill=\"", x,
            y, w, ROW - 1);
    put_color(s->out, name, kernel);
    fprintf(s->out, "\"/><text x=\"%.2f\" y=\"%.0f\">", x + 3, y + 13);
    put_cut(s->out, name, (int)((w - 6) / CHAR));
    fputs("</text></g>\n", s->out);
}

static const char *title_of(const struct svg *s, uint32_t i, char *buf, size_t cap) {
    const struct hot_node *n = &s->h->node.at[i];
    char name[HOT_NAME], source[HOT_NAME];
    struct strbuf sb = strbuf_on(buf, cap);
    hot_name(s->h, i, name, sizeof(name));
    strbuf_add(&sb, "%s (%llu samples, %.2f%%)", name, (unsigned long long)s->sum[i].n,
               100 * s->sum[i].weight / s->h->all.weight);
    if (n->function == HOT_NONE)
        return buf;
    const struct hot_function *f = &s->h->function.at[n->function];
    strbuf_add(&sb, " %s", s->h->module.at[f->module].path);
    if (hot_source(f, source, sizeof(source))[0])
        strbuf_add(&sb, " %s", source);
    return buf;
}

static bool is_kernel(const struct hot *h, const struct hot_node *n) {
    return n->function != HOT_NONE &&
           str_starts(h->module.at[h->function.at[n->function].module].kind, "kernel");
}

/* Edges and depths: a parent comes before its children. Returns the greatest depth. */
static uint32_t lay_out(struct svg *s) {
    uint32_t most = 0;
    double roots = 0;
    for (uint32_t i = 0; i < s->h->node.n; i++) {
        const uint32_t parent = s->h->node.at[i].parent;
        double *next = parent == HOT_NONE ? &roots : &s->next[parent];
        s->x[i] = s->next[i] = *next;
        *next += s->sum[i].weight;
        const bool drawn =
            s->sum[i].weight * s->scale >= least_width && (parent == HOT_NONE || s->depth[parent]);
        s->depth[i] = !drawn ? 0 : parent == HOT_NONE ? 1 : s->depth[parent] + 1;
        s->n_hidden += !drawn;
        most = s->depth[i] > most ? s->depth[i] : most;
    }
    return most;
}

static void put_head(const struct svg *s, uint32_t depth) {
    const struct hot *h = s->h;
    char amount[96];
    const double height = TOP + (double)(depth + 1) * ROW + 12;
    fprintf(s->out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" "
            "height=\"%.0f\">\n<style>%s</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fafafa\" stroke=\"none\"/>\n"
            "<text id=\"h\" x=\"6\" y=\"20\">",
            WIDTH, height, WIDTH, height, style);
    put_text(s->out, h->target);
    for (size_t i = 0; i < h->event.n; i++) {
        fputs(i ? ", " : ": ", s->out);
        put_text(s->out, h->event.at[i].name);
    }
    fprintf(s->out,
            "</text>\n<text id=\"s\" class=\"b\" x=\"%d\" y=\"20\" text-anchor=\"end\">search "
            "(Ctrl-F)</text>\n<text id=\"r\" class=\"b\" x=\"%d\" y=\"38\" "
            "text-anchor=\"end\">whole (Esc)</text>\n<text id=\"d\" x=\"6\" y=\"38\">%s",
            WIDTH - 6, WIDTH - 6, hot_amount(h, amount, sizeof(amount)));
    if (s->n_hidden)
        fprintf(s->out, ", %u frames too narrow to be drawn", s->n_hidden);
    if (h->event.n) {
        fputs("; a width is a share of ", s->out);
        put_text(s->out, h->event.at[0].of);
    }
    fputs("</text>\n", s->out);
}

static void put_all(struct svg *s) {
    char name[HOT_NAME], title[3 * HOT_NAME];
    char amount[96];
    snprintf(title, sizeof(title), "all (%s)", hot_amount(s->h, amount, sizeof(amount)));
    put_head(s, lay_out(s));
    put_box(s, "all", title, 0, WIDTH, 0, false);
    for (uint32_t i = 0; i < s->h->node.n; i++)
        if (s->depth[i])
            put_box(s, hot_name(s->h, i, name, sizeof(name)), title_of(s, i, title, sizeof(title)),
                    s->x[i] * s->scale, s->sum[i].weight * s->scale, s->depth[i],
                    is_kernel(s->h, &s->h->node.at[i]));
    fprintf(s->out, "<script><![CDATA[\n%s\n]]></script>\n</svg>\n", script);
}

int hot_svg(const struct hot *h, FILE *out) {
    struct svg s = {.h = h, .out = out, .scale = h->all.weight > 0 ? WIDTH / h->all.weight : 0};
    s.sum = hot_sums(h);
    s.x = calloc(h->node.n + 1, sizeof(*s.x));
    s.next = calloc(h->node.n + 1, sizeof(*s.next));
    s.depth = calloc(h->node.n + 1, sizeof(*s.depth));
    const int rc = s.sum && s.x && s.next && s.depth ? 0 : -ENOMEM;
    if (rc == 0)
        put_all(&s);
    free(s.sum);
    free(s.x);
    free(s.next);
    free(s.depth);
    return rc;
}
