/// The alert that Apple and the relay see; iOS shows it if the extension does not run.
///
/// A constant of the app: a varying one would reveal something. A localization key also hides the language.
public struct Placeholder: Equatable, Sendable {
    /// Room for it: 4,096 - 3,923 bytes.
    public static let byteCountMax =
        PushClass.alert.payloadByteCountMax - Payload.overheadByteCount - PushClass.alert.sealedCharacterCount

    /// Value of `aps.alert`.
    package let alertJSON: [UInt8]

    /// Takes fixed text.
    ///
    /// - Throws: `.empty`, `.containsNUL`, `.tooLong`.
    public init(title: String, body: String) throws(PlaceholderError) {
        guard !title.isEmpty || !body.isEmpty else { throw .empty }
        guard !title.utf8.contains(0), !body.utf8.contains(0) else { throw .containsNUL }
        try self.init { writer in
            if !title.isEmpty { writer.member("title", title) }
            if !body.isEmpty { writer.member("body", body) }
        }
    }

    /// Takes a key of the app's `Localizable.strings`, in the recipient's language.
    ///
    /// - Throws: `.empty`, `.containsNUL`, `.tooLong`.
    public init(localizationKey: String) throws(PlaceholderError) {
        guard !localizationKey.isEmpty else { throw .empty }
        guard !localizationKey.utf8.contains(0) else { throw .containsNUL }
        try self.init { $0.member("loc-key", localizationKey) }
    }

    private init(_ members: (inout JSONWriter) -> Void) throws(PlaceholderError) {
        var writer = JSONWriter()
        writer.object(members)
        guard writer.bytes.count <= Self.byteCountMax else {
            throw .tooLong(byteCount: writer.bytes.count, byteCountMax: Self.byteCountMax)
        }
        alertJSON = writer.bytes
    }
}

/// Errors of a placeholder.
public enum PlaceholderError: Error, Equatable {
    /// iOS runs the extension only for an alert.
    case empty
    /// NUL cannot be shown, and strict readers (`PayloadReport`) refuse it.
    case containsNUL
    /// Too long, in bytes of encoded JSON.
    case tooLong(byteCount: Int, byteCountMax: Int)
}
