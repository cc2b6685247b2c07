internal import Platform

/// A folder of blobs, and of uploads that become blobs.
///
/// What a call has acknowledged is on the disk. A blob appears whole, by one rename, or not at all; what a crash leaves of an
/// upload is either continued at the offset that was acknowledged or deleted when its time is over. One process has a folder;
/// within it, any thread may call.
package final class BlobFolder: Sendable {
    let layout: FolderLayout
    let limits: BlobLimits
    let state: Guarded<FolderState>
    /// Kept for the lock on it.
    private let lock: Int32

    /// Takes the folder, makes what is missing in it, and deletes what has expired.
    ///
    /// - Parameters:
    ///   - path: its parent is there.
    ///   - limits: for new uploads, and for how long those that are there may still take.
    ///   - now: seconds since 1970.
    /// - Returns: the folder; the next one of this path waits until this one is gone.
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
        // By name: a child that another thread forks this moment still has the descriptor, and with it the lock.
        _ = flock(lock, LOCK_UN)
        close(lock)
    }

    /// When an upload is given up; seconds since 1970.
    func uploadEnd(_ header: BlobHeader) -> UInt64 {
        let (end, isOver) = header.created.addingReportingOverflow(limits.uploadLifetime)
        return isOver ? header.expiry : min(end, header.expiry)
    }

    /// What a crash left: continued where its header says, or removed.
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

    /// Files of other names, and of a header that this version does not know, are left alone.
    func forEachBlob(_ body: (BlobID, BlobHeader) throws(BlobError) -> Void) throws(BlobError) {
        for shard in try FolderLayout.names(layout.blobs) where shard.utf8.count == 2 {
            for name in try FolderLayout.names("\(layout.blobs)/\(shard)") {
                guard let id = BlobID(name[...]), name.hasPrefix(shard) else { continue }
                guard let header = try Self.header(layout.blob(id)) else { continue }
                try body(id, header)
            }
        }
    }

    /// - Returns: nil for a file that is gone or does not begin with a header.
    private static func header(_ path: String) throws(BlobError) -> BlobHeader? {
        do throws(BlobError) {
            return BlobHeader(try FolderFile.open(path, O_RDONLY, "open").read(BlobHeader.byteCount, at: 0))
        } catch .notFound {
            return nil
        }
    }
}

/// What a folder keeps in memory: of uploads everything, of blobs only how much each tenant has.
struct FolderState {
    struct Upload {
        var header: BlobHeader
        /// A call is at its file.
        var isBusy = false
    }

    var uploads: [UploadID: Upload] = [:]
    var usage: [Tenant.Key: Usage] = [:]

    mutating func add(_ id: UploadID, _ header: BlobHeader) {
        uploads[id] = Upload(header: header)
        usage[header.tenant, default: Usage()].byteCount += header.byteCount
        usage[header.tenant, default: Usage()].uploadCount += 1
    }

    /// `keepsBytes`: it became a blob.
    mutating func remove(_ id: UploadID, keepsBytes: Bool) {
        guard let upload = uploads.removeValue(forKey: id) else { return }
        usage[upload.header.tenant]?.uploadCount -= 1
        if !keepsBytes { release(upload.header) }
    }

    /// The bytes of a file that is gone.
    mutating func release(_ header: BlobHeader) {
        usage[header.tenant]?.byteCount -= header.byteCount
    }
}
