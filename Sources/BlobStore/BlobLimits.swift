/// What a folder allows, whoever asks.
package struct BlobLimits: Sendable {
    /// Of one blob.
    package var byteCountMax: UInt64 = 1 << 30
    /// Seconds that an upload may take; what it holds then is deleted.
    package var uploadLifetime: UInt64 = 86_400
    /// Seconds that a blob stays, from the beginning of its upload, where the uploader does not say.
    package var lifetime: UInt64 = 14 * 86_400
    /// At most.
    package var lifetimeMax: UInt64 = 30 * 86_400

    package init() {}
}
