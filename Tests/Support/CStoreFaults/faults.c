#include "CStoreFaults.h"

#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// One write or truncation that was not synced, and the bytes before it.
struct undo {
    struct undo *before;
    sqlite3_int64 offset;
    sqlite3_int64 size_before;
    int byte_count;
    unsigned char bytes[];
};

struct tracked {
    struct tracked *next;
    char *path;
    int fd;
    struct undo *last;
};

struct store_faults {
    sqlite3_vfs vfs;
    sqlite3_vfs *base;
    char *name;
    pthread_mutex_t lock;
    struct tracked *files;
    long operation_count;
    long power_loss;
    int percent_kept;
    unsigned long random;
    int has_lost_power;
    long full_from;
    int full_code;
    int sync_fails;
};

struct faulty_file {
    sqlite3_file file;
    struct store_faults *faults;
    struct tracked *tracked;
    sqlite3_file *real;
};

static void forget(struct tracked *tracked) {
    while (tracked->last) {
        struct undo *undo = tracked->last;
        tracked->last = undo->before;
        free(undo);
    }
}

static int is_kept(struct store_faults *faults) {
    // xorshift64.
    faults->random ^= faults->random << 13;
    faults->random ^= faults->random >> 7;
    faults->random ^= faults->random << 17;
    return (int)(faults->random % 100) < faults->percent_kept;
}

static void lose_power(struct store_faults *faults) {
    faults->has_lost_power = 1;
    for (struct tracked *tracked = faults->files; tracked; tracked = tracked->next) {
        sqlite3_int64 size = -1;
        for (struct undo *undo = tracked->last; undo; undo = undo->before) {
            if (faults->percent_kept > 0 && is_kept(faults)) continue;
            if (undo->byte_count > 0 && pwrite(tracked->fd, undo->bytes, undo->byte_count, undo->offset) < 0) abort();
            size = undo->size_before;
        }
        // Appended bytes vanish only if all of them do; otherwise zeros replace them.
        if (size >= 0 && faults->percent_kept == 0 && ftruncate(tracked->fd, size) != 0) abort();
        forget(tracked);
    }
}

// Counts an operation. Called with the lock held; not 0 when the power is gone.
static int begin(struct store_faults *faults) {
    if (faults->has_lost_power) return SQLITE_IOERR;
    faults->operation_count += 1;
    if (faults->power_loss > 0 && faults->operation_count >= faults->power_loss) {
        lose_power(faults);
        return SQLITE_IOERR;
    }
    return SQLITE_OK;
}

// Remembers the bytes of a range, zeros beyond the end.
static int remember(struct tracked *tracked, sqlite3_int64 offset, sqlite3_int64 byte_count) {
    struct undo *undo = calloc(1, sizeof *undo + (size_t)byte_count);
    if (!undo) return SQLITE_NOMEM;
    undo->offset = offset;
    undo->byte_count = (int)byte_count;
    undo->size_before = lseek(tracked->fd, 0, SEEK_END);
    if (byte_count > 0 && pread(tracked->fd, undo->bytes, (size_t)byte_count, offset) < 0) {
        free(undo);
        return SQLITE_IOERR_READ;
    }
    undo->before = tracked->last;
    tracked->last = undo;
    return SQLITE_OK;
}

static struct tracked *track(struct store_faults *faults, const char *path) {
    struct tracked *tracked = faults->files;
    while (tracked && strcmp(tracked->path, path) != 0) tracked = tracked->next;
    if (!tracked) {
        tracked = calloc(1, sizeof *tracked);
        if (!tracked) return NULL;
        tracked->path = strdup(path);
        tracked->fd = -1;
        tracked->next = faults->files;
        faults->files = tracked;
    }
    if (tracked->fd < 0) tracked->fd = open(path, O_RDWR | O_CLOEXEC);
    return tracked->fd < 0 ? NULL : tracked;
}

#define SELF struct faulty_file *self = (struct faulty_file *)file
#define REAL self->real->pMethods

static int close_file(sqlite3_file *file) {
    SELF;
    return REAL->xClose(self->real);
}

static int read_file(sqlite3_file *file, void *bytes, int byte_count, sqlite3_int64 offset) {
    SELF;
    pthread_mutex_lock(&self->faults->lock);
    int code = self->faults->has_lost_power ? SQLITE_IOERR : SQLITE_OK;
    pthread_mutex_unlock(&self->faults->lock);
    return code ? code : REAL->xRead(self->real, bytes, byte_count, offset);
}

static int write_file(sqlite3_file *file, const void *bytes, int byte_count, sqlite3_int64 offset) {
    SELF;
    struct store_faults *faults = self->faults;
    pthread_mutex_lock(&faults->lock);
    int code = begin(faults);
    if (!code && faults->full_from > 0 && faults->operation_count >= faults->full_from) code = faults->full_code;
    if (!code) code = remember(self->tracked, offset, byte_count);
    if (!code) code = REAL->xWrite(self->real, bytes, byte_count, offset);
    pthread_mutex_unlock(&faults->lock);
    return code;
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
    SELF;
    struct store_faults *faults = self->faults;
    pthread_mutex_lock(&faults->lock);
    int code = begin(faults);
    if (!code) {
        sqlite3_int64 end = lseek(self->tracked->fd, 0, SEEK_END);
        code = remember(self->tracked, size, end > size ? end - size : 0);
    }
    if (!code) code = REAL->xTruncate(self->real, size);
    pthread_mutex_unlock(&faults->lock);
    return code;
}

static int sync_file(sqlite3_file *file, int flags) {
    SELF;
    struct store_faults *faults = self->faults;
    (void)flags;
    pthread_mutex_lock(&faults->lock);
    int code = begin(faults);
    if (!code && faults->sync_fails) {
        faults->sync_fails = 0;
        code = SQLITE_IOERR_FSYNC;
    }
    // No sync of the system's: nothing here outlives this process, and only the writes in this list can be lost.
    if (!code) forget(self->tracked);
    pthread_mutex_unlock(&faults->lock);
    return code;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) { SELF; return REAL->xFileSize(self->real, size); }
static int lock_file(sqlite3_file *file, int level) { SELF; return REAL->xLock(self->real, level); }
static int unlock_file(sqlite3_file *file, int level) { SELF; return REAL->xUnlock(self->real, level); }
static int check_lock(sqlite3_file *file, int *held) { SELF; return REAL->xCheckReservedLock(self->real, held); }
static int control(sqlite3_file *file, int code, void *value) { SELF; return REAL->xFileControl(self->real, code, value); }
static int sector_size(sqlite3_file *file) { SELF; return REAL->xSectorSize(self->real); }

// The disk promises neither atomic writes nor an order.
static int characteristics(sqlite3_file *file) { (void)file; return 0; }

static int shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
    SELF;
    return REAL->xShmMap(self->real, page, size, extend, memory);
}
static int shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    SELF;
    return REAL->xShmLock(self->real, offset, count, flags);
}
static void shm_barrier(sqlite3_file *file) { SELF; REAL->xShmBarrier(self->real); }
static int shm_unmap(sqlite3_file *file, int delete) { SELF; return REAL->xShmUnmap(self->real, delete); }

static const sqlite3_io_methods methods = {
    2, close_file, read_file, write_file, truncate_file, sync_file, file_size, lock_file, unlock_file, check_lock,
    control, sector_size, characteristics, shm_map, shm_lock, shm_barrier, shm_unmap, 0, 0,
};

static int open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *flags_out) {
    struct store_faults *faults = vfs->pAppData;
    const int followed = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL;
    if (!path || !(flags & followed)) {
        // Temporary files: their content need not last.
        return faults->base->xOpen(faults->base, path, file, flags, flags_out);
    }
    SELF;
    self->file.pMethods = NULL;
    self->faults = faults;
    self->real = (sqlite3_file *)(self + 1);
    pthread_mutex_lock(&faults->lock);
    int code = faults->has_lost_power ? SQLITE_IOERR : SQLITE_OK;
    if (!code) code = faults->base->xOpen(faults->base, path, self->real, flags, flags_out);
    if (!code) {
        self->tracked = track(faults, path);
        if (self->tracked) {
            self->file.pMethods = &methods;
        } else {
            self->real->pMethods->xClose(self->real);
            code = SQLITE_CANTOPEN;
        }
    }
    pthread_mutex_unlock(&faults->lock);
    return code;
}

static int delete_file(sqlite3_vfs *vfs, const char *path, int sync_folder) {
    struct store_faults *faults = vfs->pAppData;
    pthread_mutex_lock(&faults->lock);
    int code = begin(faults);
    if (!code) {
        for (struct tracked *tracked = faults->files; tracked; tracked = tracked->next) {
            if (strcmp(tracked->path, path) != 0) continue;
            forget(tracked);
            if (tracked->fd >= 0) close(tracked->fd);
            tracked->fd = -1;
        }
        code = faults->base->xDelete(faults->base, path, sync_folder);
    }
    pthread_mutex_unlock(&faults->lock);
    return code;
}

struct store_faults *store_faults_create(const char *name) {
    struct store_faults *faults = calloc(1, sizeof *faults);
    if (!faults) return NULL;
    faults->base = sqlite3_vfs_find(NULL);
    faults->name = strdup(name);
    faults->vfs = *faults->base;
    faults->vfs.pNext = NULL;
    faults->vfs.zName = faults->name;
    faults->vfs.pAppData = faults;
    faults->vfs.szOsFile = (int)sizeof(struct faulty_file) + faults->base->szOsFile;
    faults->vfs.xOpen = open_file;
    faults->vfs.xDelete = delete_file;
    pthread_mutex_init(&faults->lock, NULL);
    if (sqlite3_vfs_register(&faults->vfs, 0) != SQLITE_OK) {
        free(faults);
        return NULL;
    }
    return faults;
}

void store_faults_destroy(struct store_faults *faults) {
    sqlite3_vfs_unregister(&faults->vfs);
    while (faults->files) {
        struct tracked *tracked = faults->files;
        faults->files = tracked->next;
        forget(tracked);
        if (tracked->fd >= 0) close(tracked->fd);
        free(tracked->path);
        free(tracked);
    }
    pthread_mutex_destroy(&faults->lock);
    free(faults->name);
    free(faults);
}

long store_faults_operation_count(struct store_faults *faults) {
    pthread_mutex_lock(&faults->lock);
    long count = faults->operation_count;
    pthread_mutex_unlock(&faults->lock);
    return count;
}

void store_faults_lose_power(struct store_faults *faults, long operation, int percent_kept, unsigned long seed) {
    pthread_mutex_lock(&faults->lock);
    faults->power_loss = operation;
    faults->percent_kept = percent_kept;
    faults->random = seed ? seed : 1;
    pthread_mutex_unlock(&faults->lock);
}

int store_faults_has_lost_power(struct store_faults *faults) {
    pthread_mutex_lock(&faults->lock);
    int has = faults->has_lost_power;
    pthread_mutex_unlock(&faults->lock);
    return has;
}

void store_faults_fill(struct store_faults *faults, long operation) {
    pthread_mutex_lock(&faults->lock);
    faults->full_from = operation;
    faults->full_code = SQLITE_FULL;
    pthread_mutex_unlock(&faults->lock);
}

void store_faults_fail_writes(struct store_faults *faults, long operation) {
    pthread_mutex_lock(&faults->lock);
    faults->full_from = operation;
    faults->full_code = SQLITE_IOERR_WRITE;
    pthread_mutex_unlock(&faults->lock);
}

void store_faults_fail_sync(struct store_faults *faults) {
    pthread_mutex_lock(&faults->lock);
    faults->sync_fails = 1;
    pthread_mutex_unlock(&faults->lock);
}
