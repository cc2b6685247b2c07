/// Folder's limits for every tenant.
package struct BlobLimits: Sendable {
    /// For one blob.
    package var byteCountMax: UInt64 = 1 << 30
    /// Seconds until an unfinished upload is deleted.
    package var uploadLifetime: UInt64 = 86_400
    /// Default lifetime in seconds, from the upload's start.
    package var lifetime: UInt64 = 14 * 86_400
    package var lifetimeMax: UInt64 = 30 * 86_400

    package init() {}
}
