import Envelope

/// One vector: a head of `name: value` lines, an empty line, the input (Tests/Conformance/Vectors/README.md).
package struct Vector: Sendable {
    package struct Field: Equatable, Sendable {
        package let name: String
        package let value: String
    }

    /// The file's name without its extension.
    package let name: String
    package private(set) var fields: [Field] = []
    package var input: [UInt8] = []

    package init(name: String) { self.name = name }

    /// - Throws: `VectorError.noEmptyLine`, `.notAField`.
    package init(name: String, file: [UInt8]) throws {
        self.name = name
        var rest = file[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[(end + 1)...]
            guard !line.isEmpty else {
                input = Array(rest)
                return
            }
            guard let colon = line.firstIndex(of: ":"), line[line.index(after: colon)...].hasPrefix(" ") else {
                throw VectorError.notAField(vector: name, line: line)
            }
            add(String(line[..<colon]), String(line[colon...].dropFirst(2)))
        }
        throw VectorError.noEmptyLine(vector: name)
    }

    package var file: [UInt8] {
        var text = ""
        for field in fields { text += "\(field.name): \(field.value)\n" }
        return Array((text + "\n").utf8) + input
    }

    package mutating func add(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    package func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    package func value(_ name: String) -> String? { values(name).first }

    /// - Throws: `VectorError.missing`.
    package func required(_ field: String) throws -> String {
        guard let value = value(field) else { throw VectorError.missing(vector: name, field: field) }
        return value
    }

    package func words(_ field: String) throws -> [String] {
        try required(field).split(separator: " ").map(String.init)
    }

    package var lines: [[UInt8]] {
        input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
    }
}

package enum VectorError: Error, Equatable {
    case noEmptyLine(vector: String)
    case notAField(vector: String, line: String)
    case missing(vector: String, field: String)
    case malformed(vector: String, field: String)
    case unknownKind(vector: String, kind: String)
}
