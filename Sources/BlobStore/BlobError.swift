/// Failed call of a blob folder. Names no ids, tenants or contents.
package enum BlobError: Error, Equatable, Sendable {
    /// Unknown, expired, or another tenant's.
    case notFound
    /// Another call uses this upload.
    case busy
    /// Offset other than the upload's.
    case wrongOffset(UploadStatus)
    /// More than declared.
    case tooLong(UploadStatus)
    /// Less than declared.
    case incomplete(UploadStatus)
    /// Longer than one blob may be.
    case tooLarge(byteCountMax: UInt64)
    case quotaExceeded
    case tooManyUploads
    case diskFull
    /// Another process has the folder.
    case folderInUse
    case file(operation: String, code: Int32)
}

/// Upload's progress.
package struct UploadStatus: Equatable, Sendable {
    package let id: UploadID
    /// Bytes safely on the disk.
    package let offset: UInt64
    /// As declared.
    package let byteCount: UInt64
    /// The blob's; seconds since 1970.
    package let expiry: UInt64
    package let isPublished: Bool
}
