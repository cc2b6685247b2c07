package import Foundation

/// Files of published vectors, read from a test bundle's `Vectors` folder.
package struct VectorFile {
    package let data: Data

    package init(_ name: String, in bundle: Bundle) throws {
        let url = bundle.bundleURL.appendingPathComponent("Vectors").appendingPathComponent(name)
        data = try Data(contentsOf: url)
    }

    package var lines: [Substring] {
        String(decoding: data, as: UTF8.self).split(separator: "\n")
    }

    /// `Name = hex` lines in blocks, each block begun by its first field; comments and other lines are skipped.
    package func blocks(startingWith firstField: String) -> [[String: String]] {
        var blocks: [[String: String]] = []
        for line in lines where !line.hasPrefix("#") {
            guard let equals = line.firstIndex(of: "=") else { continue }
            let name = line[..<equals].trimmingCharacters(in: .whitespaces)
            if name == firstField { blocks.append([:]) }
            guard !blocks.isEmpty else { continue }
            blocks[blocks.count - 1][name] = line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces)
        }
        return blocks
    }
}

extension [String: String] {
    package func bytes(_ field: String) throws -> [UInt8] {
        guard let text = self[field], let bytes = Hex.decode(text) else { throw MissingField(name: field) }
        return bytes
    }
}

package struct MissingField: Error {
    let name: String
}
