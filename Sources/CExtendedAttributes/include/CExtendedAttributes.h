#pragma once
// What Swift's Glibc module lacks, apart from CLinux: that one's headers would take types away from Glibc.
#include <stddef.h>

/// fsetxattr: gives an open file or folder an extended attribute. 0, or -1 with errno.
int extended_attribute_set(int fd, const char *name, const void *value, size_t byte_count);

/// lgetxattr: reads an extended attribute of what is at the path. How many bytes, or -1 with errno.
ptrdiff_t extended_attribute_get(const char *path, const char *name, void *value, size_t byte_count);
