/// Why a folder of blobs did not do what it was asked for. Says nothing of ids, tenants or contents.
package enum BlobError: Error, Equatable, Sendable {
    /// Unknown, expired, or another tenant's.
    case notFound
    /// Another call is at this upload.
    case busy
    /// The bytes do not go on where the upload ends.
    case wrongOffset(UploadStatus)
    /// More than was declared.
    case tooLong(UploadStatus)
    /// Less than was declared.
    case incomplete(UploadStatus)
    /// One blob may not be so long.
    case tooLarge(byteCountMax: UInt64)
    case quotaExceeded
    case tooManyUploads
    /// No space is left on the device.
    case diskFull
    /// Another process has the folder.
    case folderInUse
    case file(operation: String, code: Int32)
}

/// How far an upload is.
package struct UploadStatus: Equatable, Sendable {
    package let id: UploadID
    /// So many bytes are on the disk for good.
    package let offset: UInt64
    /// As declared.
    package let byteCount: UInt64
    /// Of the blob it becomes; seconds since 1970.
    package let expiry: UInt64
    /// Whether the blob is there.
    package let isPublished: Bool
}
