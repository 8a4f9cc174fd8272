/* main() of a fuzzer without libFuzzer: gives the reader each file that is named, and each file of
 * a folder that is. */
#include "fuzz.h"

#include <dirent.h>
#include <string.h>

static int n_file;

static void give_file(const char *path) {
    FILE *f = fopen(path, "re");
    char *data = NULL;
    size_t size = 0;
    if (!f || fseek(f, 0, SEEK_END) < 0)
        goto out;
    size = (size_t)ftell(f);
    data = malloc(size ? size : 1);
    rewind(f);
    if (!data || fread(data, 1, size, f) != size)
        goto out;
    fprintf(stderr, "%s\n", path); /* the last one named is the one that broke it */
    LLVMFuzzerTestOneInput((const uint8_t *)data, size);
    n_file++;
out:
    free(data);
    if (f)
        fclose(f);
}

static void give(const char *path) {
    DIR *dir = opendir(path);
    if (!dir) {
        give_file(path);
        return;
    }
    for (struct dirent *e; (e = readdir(dir));) {
        char name[4096];
        if (e->d_name[0] == '.')
            continue;
        snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
        give(name);
    }
    closedir(dir);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        give(argv[i]);
    fprintf(stderr, "%d inputs\n", n_file);
    return n_file == 0;
}
