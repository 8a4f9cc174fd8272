/* Every thread of the program takes faults, and nothing else. */
#include "base/thread.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct seen {
    sigset_t mask;
    stack_t stack;
    char name[16];
    bool stack_is_here;
};

static void *look(void *user) {
    struct seen *s = user;
    const char *here = (const char *)&s;
    pthread_sigmask(SIG_BLOCK, NULL, &s->mask);
    sigaltstack(NULL, &s->stack);
    pthread_getname_np(pthread_self(), s->name, sizeof(s->name));
    s->stack_is_here =
        here >= (char *)s->stack.ss_sp && here < (char *)s->stack.ss_sp + s->stack.ss_size;
    return s;
}

static void test_mask(void **state) {
    (void)state;
    pthread_t thread;
    struct seen s = {0};
    sigset_t set, before, after; /* the kernel fills only a part of each */
    void *result = NULL;
    /* Whoever starts the program may block what he likes: the thread takes faults all the same. */
    memset(&before, 0, sizeof(before));
    memset(&after, 0, sizeof(after));
    sigemptyset(&set);
    sigaddset(&set, SIGSEGV);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    assert_int_equal(thread_start(&thread, "a-name-that-is-long", look, &s), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    assert_ptr_equal(result, &s);
    assert_string_equal(s.name, "a-name-that-is-");
    assert_memory_equal(&before, &after, sizeof(before));
    for (int sig = 1; sig <= SIGRTMAX; sig++) {
        if (sig == SIGKILL || sig == SIGSTOP || (sig > SIGSYS && sig < SIGRTMIN))
            continue; /* cannot be blocked */
        if (sigismember(&s.mask, sig) == thread_is_fault(sig))
            fail_msg("signal %d (%s): blocked %d", sig, strsignal(sig), sigismember(&s.mask, sig));
    }
    assert_int_equal(s.stack.ss_flags & SS_DISABLE, 0);
    assert_false(s.stack_is_here);

    thread_take_faults();
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    assert_false(sigismember(&after, SIGSEGV));
    assert_true(sigismember(&after, SIGUSR1));
}

static void test_none(void **state) {
    (void)state;
    pthread_t thread;
    pthread_attr_t was, huge;
    assert_int_equal(pthread_getattr_default_np(&was), 0);
    assert_int_equal(pthread_getattr_default_np(&huge), 0);
    assert_int_equal(pthread_attr_setstacksize(&huge, (size_t)1 << 52), 0);
    assert_int_equal(pthread_setattr_default_np(&huge), 0);
    assert_int_equal(thread_start(&thread, "none", look, NULL), -EAGAIN);
    assert_int_equal(pthread_setattr_default_np(&was), 0);
    pthread_attr_destroy(&huge);
    pthread_attr_destroy(&was);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mask), cmocka_unit_test(test_none)};
    return cmocka_run_group_tests_name("thread", tests, NULL, NULL);
}
