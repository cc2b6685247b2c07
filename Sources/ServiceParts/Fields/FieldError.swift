/// Names the field and the expected value, never the actual one.
package struct FieldError: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case missing
        case unknown
        /// Of another type, or outside its range.
        case wrong
        case tooLarge(byteCount: Int, byteCountMax: Int)
        case plainText
    }

    package let kind: Kind
    package let path: FieldPath
    /// Bytes before the value, or before the object that lacks it.
    package let offset: Int
    /// Sentence without its full stop.
    package let problem: String
}

/// Collects faults, so that all are corrected at once.
package final class FieldErrors {
    /// A document with more is probably the wrong one.
    package static let countMax = 32

    package private(set) var all: [FieldError] = []
    private let countMax: Int

    package init(countMax: Int = FieldErrors.countMax) { self.countMax = countMax }

    /// A dropped fault is not evaluated: a document may have 100,000 unknown names.
    package func add(
        _ kind: @autoclosure () -> FieldError.Kind,
        _ path: @autoclosure () -> FieldPath,
        at offset: Int,
        _ problem: @autoclosure () -> String
    ) {
        guard all.count < countMax else { return }
        all.append(FieldError(kind: kind(), path: path(), offset: offset, problem: problem()))
    }
}
