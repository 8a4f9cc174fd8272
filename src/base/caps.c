#include "base/caps.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WORDS = _LINUX_CAPABILITY_U32S_3, BITS = 32 };

typedef struct __user_cap_data_struct caps_set[WORDS];

/* Written by caps_init only. */
static bool given; /* there is a difference between the two */
static caps_set raised, lowered;

static int caps_call(long call, struct __user_cap_data_struct *set) {
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    return syscall(call, &head, set) < 0 ? -errno : 0;
}

/* Ambient capabilities are in every program that this user starts; they are few, if any. */
static __u32 ambient(int word) {
    __u32 set = 0;
    for (int i = 0; i < BITS; i++)
        if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, word * BITS + i, 0, 0) == 1)
            set |= 1u << i;
    return set;
}

int caps_init(struct err *err) {
    if (geteuid() == 0 || caps_call(SYS_capget, raised) < 0)
        return 0; /* without the system call there are no capabilities, either */
    memcpy(lowered, raised, sizeof(raised));
    for (int i = 0; i < WORDS; i++) {
        raised[i].effective = raised[i].permitted;
        lowered[i].effective = raised[i].permitted ? ambient(i) : 0;
        given |= raised[i].effective != lowered[i].effective;
    }
    const int rc = given ? caps_call(SYS_capset, lowered) : 0;
    if (rc < 0)
        return err_set(err, rc,
                       "capabilities of the program file: they cannot be lowered: %s; "
                       "take them away (setcap -r) and run tdtop as root",
                       strerror(-rc));
    return 0;
}

void caps_raise(void) {
    if (given)
        caps_call(SYS_capset, raised);
}

void caps_lower(void) {
    if (given)
        caps_call(SYS_capset, lowered);
}
