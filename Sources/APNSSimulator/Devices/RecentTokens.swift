import APNS

/// Cache of decrypted tokens: opening one takes longer than all other checks. A fixed-size table, indexed by the first
/// bytes, as good as random in genuine tokens.
struct RecentTokens {
    private static let placeCount = 4096

    private var places: [(token: DeviceToken, installation: UInt32)?] = Array(repeating: nil, count: placeCount)

    subscript(token: DeviceToken) -> UInt32? {
        get {
            guard let place = Self.place(of: token), let known = places[place], known.token == token else { return nil }
            return known.installation
        }
        set {
            guard let place = Self.place(of: token), let newValue else { return }
            places[place] = (token, newValue)
        }
    }

    private static func place(of token: DeviceToken) -> Int? {
        guard token.bytes.count >= 2 else { return nil }
        return (Int(token.bytes[0]) << 8 | Int(token.bytes[1])) % placeCount
    }
}
