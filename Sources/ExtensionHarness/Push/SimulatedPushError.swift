/// Why bytes were not a push that a device could take. Says where, never what was there.
public enum SimulatedPushError: Error, Equatable {
    /// More than Apple takes, 4,096 bytes or for a VoIP push 5,120; no device ever sees more.
    case tooLong(byteCount: Int, byteCountMax: Int)
    /// Not JSON: a syntax error, invalid UTF-8, a number that cannot be represented, or too many levels.
    case notJSON
    /// JSON, but not an object.
    case notAnObject
    /// An object without an `aps` object: nothing tells the system what to do.
    case missingAps
}
