#include "pmu/symbols/debug_file.h"

#include "base/libraries.h"
#include "base/str.h"

#include <errno.h>
#include <lzma.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEBUG_DATA_MAX = 64 << 20, CRC_MAX = 512 << 20 };

const char *debug_file_id_text(char *buf, size_t cap, const uint8_t *id, int n_id) {
    struct strbuf sb = strbuf_on(buf, cap);
    for (int i = 0; i < n_id; i++)
        strbuf_add(&sb, "%02x", id[i]);
    return buf;
}

const char *debug_file_id_path(char *buf, size_t cap, const uint8_t *id, int n_id) {
    char text[2 * BUILD_ID_MAX + 1];
    buf[0] = '\0';
    if (n_id > 1 && cap > 0)
        snprintf(buf, cap, ".build-id/%02x/%s.debug", id[0],
                 debug_file_id_text(text, sizeof(text), id + 1, n_id - 1));
    return buf;
}

/* The checksum of .gnu_debuglink (the GDB manual, "Debugging Information in Separate Files"): the
 * usual CRC-32. */
static uint32_t checksum(const struct bytes *b) {
    uint32_t table[256], crc = UINT32_MAX;
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int k = 0; k < 8; k++)
            table[i] = (table[i] >> 1) ^ (table[i] & 1 ? 0xEDB88320u : 0);
    }
    unsigned char buf[1 << 14];
    size_t n;
    for (uint64_t at = 0; (n = file_read_some(b, at, buf, sizeof(buf))) > 0; at += n)
        for (size_t i = 0; i < n; i++)
            crc = (crc >> 8) ^ table[(crc ^ buf[i]) & 255];
    return ~crc;
}

static bool belongs(const struct elf_image *e, const struct bytes *b, const uint32_t *crc) {
    struct elf_image d;
    if (elf_image_open(&d, *b, NULL) < 0)
        return false;
    bool same = d.machine == e->machine && d.is_64 == e->is_64;
    if (e->n_build_id > 0)
        same &=
            d.n_build_id == e->n_build_id && memcmp(d.build_id, e->build_id, e->n_build_id) == 0;
    else
        same &= crc && b->size <= CRC_MAX && checksum(b) == *crc;
    elf_image_close(&d);
    return same;
}

static bool try(const struct places *p, pid_t pid, const struct elf_image *e, const uint32_t *crc,
                struct bytes *out, const char *path) {
    if (file_open_of(p, pid, path, out) < 0)
        return false;
    if (belongs(e, out, crc))
        return true;
    file_close(out);
    return false;
}

/* The name of .gnu_debuglink, and the checksum behind it at the next multiple of four. */
static bool read_link(const struct elf_image *e, char *name, size_t cap, uint32_t *crc) {
    const Elf64_Shdr *s = elf_image_section(e, ".gnu_debuglink");
    uint8_t *data = s ? elf_image_read(e, s, 4096) : NULL;
    if (!data)
        return false;
    const size_t n = strlen((char *)data), at = (n + 4) & ~(size_t)3;
    const bool good =
        n > 0 && n < cap && !strchr((char *)data, '/') && at + sizeof(*crc) <= s->sh_size;
    if (good) {
        memcpy(name, data, n + 1);
        memcpy(crc, data + at, sizeof(*crc));
    }
    free(data);
    return good;
}

int debug_file_open(const struct places *p, const struct module *m, const struct elf_image *e,
                    struct bytes *out, struct err *err) {
    char id[64], link[512], path[8192];
    uint32_t crc = 0;
    const bool linked = read_link(e, link, sizeof(link), &crc);
    const char *slash = m->path ? strrchr(m->path, '/') : NULL;
    const int n_dir = slash ? (int)(slash - m->path) : 0;
    debug_file_id_path(id, sizeof(id), e->build_id, e->n_build_id);
    for (int own = m->pid > 0 ? 0 : 1; own < 2; own++) {
        const pid_t pid = own ? 0 : m->pid;
        snprintf(path, sizeof(path), "%s/%s", p->debug, id);
        if (id[0] && try(p, pid, e, NULL, out, path))
            return 0;
        for (int k = 0; linked && slash && k < 3; k++) {
            snprintf(path, sizeof(path), "%s%.*s%s/%s", k == 2 ? p->debug : "", n_dir, m->path,
                     k == 1 ? "/.debug" : "", link);
            if (try(p, pid, e, &crc, out, path))
                return 0;
        }
    }
    if (p->debuginfod && e->n_build_id > 0) {
        snprintf(path, sizeof(path), "%s/%s/debuginfo", p->debuginfod,
                 debug_file_id_text(id, sizeof(id), e->build_id, e->n_build_id));
        if (try(p, 0, e, NULL, out, path))
            return 0;
    }
    return err_set(err, -ENOENT, "no separate file with debug information");
}

int debug_data_read(const struct elf_image *e, uint8_t **data, size_t *size, struct err *err) {
    static struct {
        __typeof__(lzma_stream_decoder) *decoder;
        __typeof__(lzma_code) *code;
        __typeof__(lzma_end) *end;
    } xz;
    static const struct library_function functions[] = {
        {"lzma_stream_decoder", &xz.decoder}, {"lzma_code", &xz.code}, {"lzma_end", &xz.end}};
    static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
    *data = NULL;
    *size = 0;
    const Elf64_Shdr *s = elf_image_section(e, ".gnu_debugdata");
    if (!s)
        return err_set(err, -ENOENT, "no .gnu_debugdata");
    pthread_mutex_lock(&loading);
    int rc = xz.end ? 0 : library_load(LIBRARY_LZMA, functions, 3, err);
    pthread_mutex_unlock(&loading);
    if (rc < 0)
        return rc;
    uint8_t *packed = elf_image_read(e, s, DEBUG_DATA_MAX);
    lzma_stream stream = LZMA_STREAM_INIT;
    lzma_ret done = packed ? xz.decoder(&stream, DEBUG_DATA_MAX, 0) : LZMA_DATA_ERROR;
    size_t cap = 0;
    stream.next_in = packed;
    stream.avail_in = packed ? s->sh_size : 0;
    while (done == LZMA_OK && *size < DEBUG_DATA_MAX) {
        if (*size == cap) {
            cap = cap ? 2 * cap : 256 << 10;
            uint8_t *more = realloc(*data, cap);
            if (!more) {
                done = LZMA_MEM_ERROR;
                break;
            }
            *data = more;
        }
        stream.next_out = *data + *size;
        stream.avail_out = cap - *size;
        done = xz.code(&stream, LZMA_FINISH);
        *size = cap - stream.avail_out;
    }
    xz.end(&stream);
    free(packed);
    if (done == LZMA_STREAM_END)
        return 0;
    free(*data);
    *data = NULL;
    *size = 0;
    return err_set(err, done == LZMA_MEM_ERROR ? -ENOMEM : -EBADMSG,
                   ".gnu_debugdata is damaged or too large");
}
