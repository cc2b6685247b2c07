internal import Platform
package import Primitives

extension BlobFolder {
    /// Begins an upload, and reserves its whole length of the tenant's quota.
    ///
    /// - Parameters:
    ///   - byteCount: of the whole blob.
    ///   - lifetime: of the blob, in seconds from now; nil for the folder's default. Capped at its maximum.
    ///   - now: seconds since 1970.
    /// - Throws: `.tooLarge`, `.quotaExceeded`, `.tooManyUploads`, `.diskFull`, `.file`.
    package func create(
        for tenant: Tenant,
        byteCount: UInt64,
        lifetime: UInt64?,
        now: UInt64,
        random: inout some RandomSource
    ) throws(BlobError) -> UploadStatus {
        guard byteCount <= limits.byteCountMax else { throw .tooLarge(byteCountMax: limits.byteCountMax) }
        let id = UploadID(random: &random)
        let expiry = now + min(lifetime ?? limits.lifetime, limits.lifetimeMax)
        let header = BlobHeader(tenant: tenant.key, byteCount: byteCount, created: now, expiry: expiry)
        try state.withLock { state throws(BlobError) in
            let usage = state.usage[tenant.key] ?? Usage()
            guard usage.uploadCount < tenant.uploadCountMax else { throw .tooManyUploads }
            let (sum, isOver) = usage.byteCount.addingReportingOverflow(byteCount)
            guard !isOver, sum <= tenant.byteCountMax else { throw .quotaExceeded }
            state.add(id, header)
            state.uploads[id]?.isBusy = true
        }
        do throws(BlobError) {
            let file = try FolderFile.open(layout.upload(id), O_WRONLY | O_CREAT | O_EXCL, "create")
            try file.write(header.bytes, at: 0)
            try file.sync()
            try FolderLayout.sync(layout.uploads)
        } catch {
            // A leftover is removed at the next start, or once it is overdue.
            try? FolderLayout.remove(layout.upload(id))
            state.withLock { $0.remove(id, keepsBytes: false) }
            throw error
        }
        state.withLock { $0.uploads[id]?.isBusy = false }
        return status(id, header)
    }

    /// Upload's progress, also after publishing, while the blob exists.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Throws: `.notFound`, `.file`.
    package func status(_ id: UploadID, of tenant: Tenant, now: UInt64) throws(BlobError) -> UploadStatus {
        if let upload = state.withLock({ $0.uploads[id] }) {
            guard upload.header.tenant == tenant.key, uploadEnd(upload.header) > now else { throw .notFound }
            return status(id, upload.header)
        }
        guard let blob = try read(id.blobID, now: now), blob.header.tenant == tenant.key else { throw .notFound }
        return published(id, blob.header)
    }

    /// Appends bytes. On return they are on the disk; after an error the upload's offset is as before in this process.
    ///
    /// - Parameters:
    ///   - offset: upload's end as the caller knows it.
    ///   - now: seconds since 1970.
    /// - Throws: `.notFound`, `.busy`, `.wrongOffset`, `.tooLong`, `.diskFull`, `.file`.
    package func append(
        _ bytes: [UInt8],
        to id: UploadID,
        of tenant: Tenant,
        at offset: UInt64,
        now: UInt64
    ) throws(BlobError) -> UploadStatus {
        var header = try take(id, of: tenant, now: now)
        defer { give(id, back: header) }
        guard header.offset == offset else { throw .wrongOffset(status(id, header)) }
        guard UInt64(bytes.count) <= header.byteCount - offset else { throw .tooLong(status(id, header)) }
        guard !bytes.isEmpty else { return status(id, header) }
        let file = try FolderFile.open(layout.upload(id), O_WRONLY, "open upload")
        try file.write(bytes, at: UInt64(BlobHeader.byteCount) + offset)
        try file.syncData()
        // Written after the data: a stored offset never exceeds the synced bytes.
        let next = offset + UInt64(bytes.count)
        try file.write(BlobHeader.bytes(next), at: UInt64(BlobHeader.offsetPosition))
        try file.syncData()
        header.offset = next
        return status(id, header)
    }

    /// Publishes the blob `id.blobID`.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Throws: `.notFound`, `.busy`, `.incomplete`, `.diskFull`, `.file`.
    package func publish(_ id: UploadID, of tenant: Tenant, now: UInt64) throws(BlobError) -> UploadStatus {
        let header = try take(id, of: tenant, now: now)
        var isRenamed = false
        defer {
            if isRenamed {
                state.withLock { $0.remove(id, keepsBytes: true) }
            } else {
                give(id, back: header)
            }
        }
        guard header.offset == header.byteCount else { throw .incomplete(status(id, header)) }
        let blobID = id.blobID
        if try FolderLayout.makeFolder(layout.shard(blobID)) { try FolderLayout.sync(layout.blobs) }
        guard unsafe rename(layout.upload(id), layout.blob(blobID)) == 0 else { throw FolderFile.failure("rename") }
        isRenamed = true
        try FolderLayout.sync(layout.shard(blobID))
        try FolderLayout.sync(layout.uploads)
        return published(id, header)
    }

    /// Deletes an upload, or the blob that it became.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Throws: `.notFound`, `.busy`, `.file`.
    package func abandon(_ id: UploadID, of tenant: Tenant, now: UInt64) throws(BlobError) {
        do throws(BlobError) {
            let header = try take(id, of: tenant, now: now)
            do throws(BlobError) {
                try FolderLayout.remove(layout.upload(id))
            } catch {
                give(id, back: header)
                throw error
            }
            state.withLock { $0.remove(id, keepsBytes: false) }
        } catch .notFound {
            guard let blob = try read(id.blobID, now: now), blob.header.tenant == tenant.key else { throw .notFound }
            try removeBlob(id.blobID, blob.header)
        }
    }

    /// Reserves an upload for this call.
    private func take(_ id: UploadID, of tenant: Tenant, now: UInt64) throws(BlobError) -> BlobHeader {
        try state.withLock { state throws(BlobError) in
            guard let upload = state.uploads[id], upload.header.tenant == tenant.key, uploadEnd(upload.header) > now
            else { throw .notFound }
            guard !upload.isBusy else { throw .busy }
            state.uploads[id]?.isBusy = true
            return upload.header
        }
    }

    private func give(_ id: UploadID, back header: BlobHeader) {
        state.withLock { $0.uploads[id] = FolderState.Upload(header: header) }
    }

    private func status(_ id: UploadID, _ header: BlobHeader) -> UploadStatus {
        UploadStatus(
            id: id,
            offset: header.offset,
            byteCount: header.byteCount,
            expiry: header.expiry,
            isPublished: false
        )
    }

    private func published(_ id: UploadID, _ header: BlobHeader) -> UploadStatus {
        UploadStatus(
            id: id,
            offset: header.byteCount,
            byteCount: header.byteCount,
            expiry: header.expiry,
            isPublished: true
        )
    }
}
