import TestSupport

/// Bytes as hexadecimal in which `00*16384` is a byte that many times: parts with spaces between.
package enum HexRuns {
    private static let runByteCountMin = 32

    package static func text(_ bytes: [UInt8]) -> String {
        var parts: [String] = []
        var plain: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let end = bytes[index...].firstIndex { $0 != bytes[index] } ?? bytes.count
            if end - index >= runByteCountMin {
                if !plain.isEmpty { parts.append(Hex.encode(plain)) }
                plain = []
                parts.append("\(Hex.encode([bytes[index]]))*\(end - index)")
            } else {
                plain += bytes[index..<end]
            }
            index = end
        }
        if !plain.isEmpty { parts.append(Hex.encode(plain)) }
        return parts.joined(separator: " ")
    }

    /// - Returns: nil for an invalid text.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        for part in text.split(separator: " ") {
            let halves = part.split(separator: "*", omittingEmptySubsequences: false)
            guard let plain = Hex.decode(halves[0]) else { return nil }
            guard halves.count > 1 else {
                bytes += plain
                continue
            }
            guard halves.count == 2, plain.count == 1, let count = UInt32(halves[1]) else { return nil }
            bytes += [UInt8](repeating: plain[0], count: Int(count))
        }
        return bytes
    }
}
