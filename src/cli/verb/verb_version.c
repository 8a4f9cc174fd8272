#include "cli/cli.h"
#include "model/load/model.h"
#include "pmu/host/encode.h"

#include <jansson.h>
#include <stdio.h>
#include <sys/utsname.h>

int verb_version(const struct args *a) {
    struct utsname u = {0};
    uname(&u);
    char pfm[32], pmu[80];
    int n = 0;
    encode_pfm_version(pfm, sizeof(pfm), pmu, sizeof(pmu));
    while (embedded_models[n].name)
        n++;
    if (a->json) {
        printf("{\"tdtop\":\"%s\",\"libpfm4\":\"%s\",\"jansson\":\"%s\",\"kernel\":\"%s\","
               "\"machine\":\"%s\",\"models\":%d}\n",
               TDTOP_VERSION, pfm, JANSSON_VERSION, u.release, u.machine, n);
        return EXIT_OK;
    }
    printf("tdtop %s\nlibpfm4%s%s, jansson %s\n%s %s, %s\n%d models built in\n", TDTOP_VERSION,
           pfm[0] ? " " : "", pfm, JANSSON_VERSION, u.sysname, u.release, u.machine, n);
    return EXIT_OK;
}
