#include "cli/cli.h"
#include "model/model.h"

#include <jansson.h>
#include <perfmon/pfmlib.h>
#include <stdio.h>
#include <sys/utsname.h>

int verb_version(const struct args *a) {
    struct utsname u = {0};
    uname(&u);
    int pfm = pfm_get_version(), n = 0;
    while (embedded_models[n].name)
        n++;
    if (a->json) {
        printf("{\"tdtop\":\"%s\",\"libpfm4\":\"%d.%d\",\"jansson\":\"%s\",\"kernel\":\"%s\","
               "\"machine\":\"%s\",\"models\":%d}\n",
               TDTOP_VERSION, PFM_MAJ_VERSION(pfm), PFM_MIN_VERSION(pfm), JANSSON_VERSION,
               u.release, u.machine, n);
        return EXIT_OK;
    }
    printf("tdtop %s\nlibpfm4 %d.%d, jansson %s\n%s %s, %s\n%d models built in\n", TDTOP_VERSION,
           PFM_MAJ_VERSION(pfm), PFM_MIN_VERSION(pfm), JANSSON_VERSION, u.sysname, u.release,
           u.machine, n);
    return EXIT_OK;
}
