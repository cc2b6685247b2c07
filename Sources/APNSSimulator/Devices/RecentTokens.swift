import APNS

/// Tokens that were opened not long ago, so that a push in a row of many need not open its token again: opening takes
/// more time than all other checks together. A fixed number of places; a genuine token's bytes are as good as random.
struct RecentTokens {
    private static let placeCount = 4096

    private var places: [(token: DeviceToken, installation: UInt32)?] = Array(repeating: nil, count: placeCount)

    /// Only genuine tokens are put in, so what is found is one.
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
