internal import Envelope

/// Fault in a file that should hold a push, with its position. Never quotes the file's content.
public struct CapturedPushError: Error, Equatable, CustomStringConvertible {
    /// Line, from 1.
    public let line: Int
    /// Column, from 1, in Unicode scalars.
    public let column: Int
    /// Reason, as one clause.
    public let reason: String

    /// Line, column and reason in the format of compilers.
    public var description: String { "\(line):\(column): \(reason)" }

    init(_ reason: String, at offset: Int, in bytes: [UInt8]) {
        (line, column) = JSONError.position(of: offset, in: bytes)
        self.reason = reason
    }

    init(_ error: SimulatedPushError, _ document: JSONValue, in bytes: [UInt8]) {
        let reason =
            switch error {
            case .tooLong(let byteCount, let byteCountMax):
                "\(byteCount) bytes, and a notification has \(byteCountMax) at most; "
                    + "VoIP pushes may have 5120, but iOS hands them to the app and runs no extension"
            // The strict reader has taken it, so this is left:
            case .notJSON: "a number in it is too large for any device"
            case .notAnObject: "the payload is not an object"
            case .missingAps: "the payload has no \"aps\" object"
            }
        self.init(reason, at: document["aps"]?.offset ?? document.offset, in: bytes)
    }
}
