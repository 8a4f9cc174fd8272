/*
 * grant - "setcap cap_perfmon+ep FILE" in a guest that has no setcap.
 *
 * The attribute is struct vfs_cap_data of linux/capability.h; capabilities(7), "File capabilities".
 */
#include <err.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/xattr.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

int main(int argc, char **argv)
{
	struct vfs_cap_data cap = {.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE};

	if (argc != 2)
		errx(2, "usage: grant FILE");
	cap.data[CAP_PERFMON / 32].permitted = 1u << CAP_PERFMON % 32;
	if (setxattr(argv[1], "security.capability", &cap, XATTR_CAPS_SZ_2, 0) < 0)
		err(1, "%s", argv[1]);
	return 0;
}
