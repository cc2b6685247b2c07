/// Content coding of a server's message.
package enum WebPushCoding: Sendable {
    /// RFC 8188 and RFC 8291.
    case aes128gcm
    /// draft-ietf-webpush-encryption-04 with draft-ietf-httpbis-encryption-encoding-03, which some servers still speak.
    /// Its header fields are put before its ciphertext as `aes128gcm` has them.
    case aesgcm

    /// A push service carries 4,096 bytes of body (RFC 8291 section 4); of `aesgcm` they are the ciphertext alone.
    package var recordByteCountMax: Int {
        switch self {
        case .aes128gcm: 4_096
        case .aesgcm: 4_096 + WebPushRecord.headByteCount
        }
    }

    /// Bytes beside the text: delimiter or length of the padding.
    var paddingByteCountMin: Int {
        switch self {
        case .aes128gcm: 1
        case .aesgcm: 2
        }
    }
}
