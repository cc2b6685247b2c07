internal import Platform

/// Blob open for reading.
struct OpenBlob: ~Copyable {
    let header: BlobHeader
    let file: FolderFile

    /// Blob's first byte in the file.
    static let dataOffset = UInt64(BlobHeader.byteCount)

    consuming func release() -> Int32 { file.release() }
}

extension BlobFolder {
    /// - Parameter now: seconds since 1970.
    /// - Returns: nil for an unknown or expired blob.
    /// - Throws: `.file`.
    func read(_ id: BlobID, now: UInt64) throws(BlobError) -> OpenBlob? {
        let file: FolderFile
        do throws(BlobError) {
            file = try FolderFile.open(layout.blob(id), O_RDONLY, "open blob")
        } catch .notFound {
            return nil
        }
        guard let header = BlobHeader(try file.read(BlobHeader.byteCount, at: 0)), header.expiry > now,
            header.offset == header.byteCount,
            try file.byteCount() == UInt64(BlobHeader.byteCount) + header.byteCount
        else { return nil }
        return OpenBlob(header: header, file: file)
    }

    /// Deletes overdue uploads and expired blobs. Expired ones are hidden even before.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Returns: number of deleted files.
    /// - Throws: `.file`; the next call continues.
    @discardableResult
    package func collect(now: UInt64) throws(BlobError) -> Int {
        var count = 0
        let ended = state.withLock { state in
            let ended = state.uploads.filter { !$0.value.isBusy && uploadEnd($0.value.header) <= now }.map(\.key)
            for id in ended { state.uploads[id]?.isBusy = true }
            return ended
        }
        for id in ended {
            do throws(BlobError) {
                try FolderLayout.remove(layout.upload(id))
            } catch {
                state.withLock { $0.uploads[id]?.isBusy = false }
                throw error
            }
            state.withLock { $0.remove(id, keepsBytes: false) }
            count += 1
        }
        try forEachBlob { id, header throws(BlobError) in
            guard header.expiry <= now else { return }
            try removeBlob(id, header)
            count += 1
        }
        return count
    }

    /// Only the call that unlinks the file returns its bytes to the tenant: two at once must not both.
    func removeBlob(_ id: BlobID, _ header: BlobHeader) throws(BlobError) {
        guard unsafe unlink(layout.blob(id)) == 0 else {
            if errno == ENOENT { return }
            throw FolderFile.failure("unlink")
        }
        state.withLock { $0.release(header) }
    }
}
