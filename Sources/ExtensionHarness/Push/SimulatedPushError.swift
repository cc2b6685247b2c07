/// Reason why bytes are not a push for a device. Never quotes the content.
public enum SimulatedPushError: Error, Equatable {
    /// Longer than Apple accepts: 4,096 bytes, or 5,120 for a VoIP push.
    case tooLong(byteCount: Int, byteCountMax: Int)
    /// Not JSON: a syntax error, invalid UTF-8, a number out of range, or too many levels.
    case notJSON
    /// JSON, but not an object.
    case notAnObject
    /// Object without an `aps` object.
    case missingAps
}
