#include "CExtendedAttributes.h"

#include <sys/xattr.h>

int extended_attribute_set(int fd, const char *name, const void *value, size_t byte_count) {
    return fsetxattr(fd, name, value, byte_count, 0);
}

ptrdiff_t extended_attribute_get(const char *path, const char *name, void *value, size_t byte_count) {
    return lgetxattr(path, name, value, byte_count);
}
