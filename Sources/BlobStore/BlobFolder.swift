internal import Platform

/// Folder of uploads and of the blobs that they become, of one process with all its threads.
///
/// Acknowledged data is on the disk. A blob appears whole, by one rename, or not at all. After a crash an upload
/// continues at its acknowledged offset until it is overdue.
package final class BlobFolder: Sendable {
    let layout: FolderLayout
    let limits: BlobLimits
    let state: Guarded<FolderState>
    /// Holds the lock.
    private let lock: Int32

    /// Locks the folder, creates missing parts, and deletes expired files.
    ///
    /// - Parameters:
    ///   - path: needs an existing parent.
    ///   - limits: for new uploads, and the remaining time of old ones.
    ///   - now: seconds since 1970.
    /// - Throws: `.folderInUse`, `.diskFull`, `.file`.
    package static func open(
        _ path: String,
        limits: BlobLimits = BlobLimits(),
        now: UInt64
    ) throws(BlobError) -> BlobFolder {
        let layout = FolderLayout(path: path)
        try layout.make()
        let lock = try FolderFile.open(layout.lock, O_RDWR | O_CREAT, "open lock")
        guard lock.lock() else { throw .folderInUse }
        let folder = BlobFolder(layout, limits, lock: lock)
        try folder.readUploads(now: now)
        try folder.readBlobs(now: now)
        return folder
    }

    private init(_ layout: FolderLayout, _ limits: BlobLimits, lock: consuming FolderFile) {
        self.layout = layout
        self.limits = limits
        self.lock = lock.release()
        state = Guarded(FolderState())
    }

    deinit {
        // A child just forked by another thread shares the descriptor, and with it the lock.
        _ = flock(lock, LOCK_UN)
        close(lock)
    }

    /// Upload's deadline; seconds since 1970.
    func uploadEnd(_ header: BlobHeader) -> UInt64 {
        let (end, isOver) = header.created.addingReportingOverflow(limits.uploadLifetime)
        return isOver ? header.expiry : min(end, header.expiry)
    }

    /// Restores uploads at their stored offset, or removes overdue ones.
    private func readUploads(now: UInt64) throws(BlobError) {
        for name in try FolderLayout.names(layout.uploads) {
            guard let id = UploadID(name[...]) else { continue }
            guard let header = try Self.header(layout.upload(id)), uploadEnd(header) > now else {
                try FolderLayout.remove(layout.upload(id))
                continue
            }
            state.withLock { $0.add(id, header) }
        }
    }

    private func readBlobs(now: UInt64) throws(BlobError) {
        try forEachBlob { id, header throws(BlobError) in
            guard header.expiry > now else { return try FolderLayout.remove(layout.blob(id)) }
            state.withLock { $0.usage[header.tenant, default: Usage()].byteCount += header.byteCount }
        }
    }

    /// Skips files with other names, or an unknown header.
    func forEachBlob(_ body: (BlobID, BlobHeader) throws(BlobError) -> Void) throws(BlobError) {
        for shard in try FolderLayout.names(layout.blobs) where shard.utf8.count == 2 {
            for name in try FolderLayout.names("\(layout.blobs)/\(shard)") {
                guard let id = BlobID(name[...]), name.hasPrefix(shard) else { continue }
                guard let header = try Self.header(layout.blob(id)) else { continue }
                try body(id, header)
            }
        }
    }

    /// - Returns: nil for a missing file, or one without a header.
    private static func header(_ path: String) throws(BlobError) -> BlobHeader? {
        do throws(BlobError) {
            return BlobHeader(try FolderFile.open(path, O_RDONLY, "open").read(BlobHeader.byteCount, at: 0))
        } catch .notFound {
            return nil
        }
    }
}

/// All about uploads; of blobs only each tenant's usage.
struct FolderState {
    struct Upload {
        var header: BlobHeader
        var isBusy = false
    }

    var uploads: [UploadID: Upload] = [:]
    var usage: [Tenant.Key: Usage] = [:]

    mutating func add(_ id: UploadID, _ header: BlobHeader) {
        uploads[id] = Upload(header: header)
        usage[header.tenant, default: Usage()].byteCount += header.byteCount
        usage[header.tenant, default: Usage()].uploadCount += 1
    }

    /// - Parameter keepsBytes: true for an upload that became a blob.
    mutating func remove(_ id: UploadID, keepsBytes: Bool) {
        guard let upload = uploads.removeValue(forKey: id) else { return }
        usage[upload.header.tenant]?.uploadCount -= 1
        if !keepsBytes { release(upload.header) }
    }

    /// Returns a deleted file's bytes.
    mutating func release(_ header: BlobHeader) {
        usage[header.tenant]?.byteCount -= header.byteCount
    }
}
