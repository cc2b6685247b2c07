internal import Envelope

/// Purpose of a device token that is neither the app's own nor PushKit's.
package struct TokenPurpose: Hashable, Sendable {
    /// Apple's frameworks issue tokens of their own. The raw value is on the disk.
    package enum Kind: UInt8, CaseIterable, Sendable {
        /// Starts Live Activities of the type of attributes that is the name.
        case liveActivityStart = 1
        /// Updates and ends one Live Activity.
        case liveActivity = 2
        case widgets = 3
        case controls = 4
        case location = 5
    }

    package static let nameByteCounts = 0...64

    package let kind: Kind
    /// App's own, to tell several of a kind apart, such as Live Activities.
    package let name: String

    /// - Parameter name: printable ASCII without spaces; else nil.
    package init?(_ kind: Kind, name: String = "") {
        guard Self.nameByteCounts.contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        self.kind = kind
        self.name = name
    }

    func append(to bytes: inout [UInt8]) {
        bytes.append(kind.rawValue)
        bytes.append(lengthPrefixed: Array(name.utf8))
    }

    init?(_ reader: inout ByteReader) {
        guard let code = reader.take(UInt8.self), let kind = Kind(rawValue: code),
            let name = reader.takeLengthPrefixed()
        else { return nil }
        self.init(kind, name: String(decoding: name, as: UTF8.self))
    }
}
