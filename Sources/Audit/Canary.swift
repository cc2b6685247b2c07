/// Value that occurs nowhere else, and so shows wherever it is found.
package struct Canary: Sendable, Equatable {
    /// Shorter values are found by chance, and the search looks for pieces of this length.
    package static let byteCountMin = NeedleSearch.windowByteCount

    /// Such as "title of the short message". No part of the value.
    package let name: String
    package let asset: Asset
    package let value: [UInt8]

    /// - Throws: `.shortCanary` for less than 16 bytes.
    package init(_ name: String, _ asset: Asset, _ value: [UInt8]) throws(AuditError) {
        guard value.count >= Self.byteCountMin else { throw .shortCanary(name: name) }
        self.name = name
        self.asset = asset
        self.value = value
    }
}
