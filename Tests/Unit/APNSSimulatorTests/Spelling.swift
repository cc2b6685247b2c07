import Foundation

/// Base64, independent of the code under test.
enum Base64Text {
    static func url(_ text: String) -> String { url(Array(text.utf8)) }

    static func url(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    static func standard(_ url: String) -> String {
        url.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
            + String(repeating: "=", count: (4 - url.utf8.count % 4) % 4)
    }
}

/// The other encoding of an ECDSA signature, written by hand: SEQUENCE of two INTEGERs.
enum DER {
    static func signature(raw: [UInt8]) -> [UInt8] {
        let body = integer(Array(raw[0..<32])) + integer(Array(raw[32..<64]))
        return [0x30, UInt8(body.count)] + body
    }

    private static func integer(_ bytes: [UInt8]) -> [UInt8] {
        var magnitude = Array(bytes.drop { $0 == 0 })
        if magnitude.first.map({ $0 >= 0x80 }) ?? true { magnitude.insert(0, at: 0) }
        return [0x02, UInt8(magnitude.count)] + magnitude
    }
}
