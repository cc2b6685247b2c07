/// What is wrong with one field. It names the field and says what to write instead; what stood there is never in it.
package struct FieldFault: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case missing
        case unknown
        /// Of another type, or outside its range.
        case wrong
        /// More bytes than there is room for.
        case tooLarge(byteCount: Int, byteCountMax: Int)
        /// Words that everybody on the way could read.
        case plainText
    }

    package let kind: Kind
    package let path: FieldPath
    /// Bytes before the value, or before the object that lacks it.
    package let offset: Int
    /// A sentence without its full stop.
    package let problem: String
}

/// Collects the faults of one document, so that whoever wrote it mends all of them at once.
final class FieldFaults {
    /// More are not kept: a document that is wrong everywhere is not the one that was meant.
    static let countMax = 32

    private(set) var all: [FieldFault] = []

    /// What is not kept is not worked out either: a document may have a hundred thousand names that are unknown.
    func add(
        _ kind: @autoclosure () -> FieldFault.Kind,
        _ path: @autoclosure () -> FieldPath,
        at offset: Int,
        _ problem: @autoclosure () -> String
    ) {
        guard all.count < Self.countMax else { return }
        all.append(FieldFault(kind: kind(), path: path(), offset: offset, problem: problem()))
    }
}
