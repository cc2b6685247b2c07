/// Permission of a party to have an asset, from docs/security.md.
package enum Claim: Sendable {
    case never
    case allowed
    /// Has it in every complete run: a search that does not find it looked in the wrong place.
    case expected

    /// - Returns: `.never` for every pair that is not listed.
    package static func of(_ asset: Asset, _ party: Party) -> Claim {
        if mustHave[asset]?.contains(party) ?? false { return .expected }
        return mayHave[asset]?.contains(party) ?? false ? .allowed : .never
    }

    private static let mustHave: [Asset: Set<Party>] = [
        .fileAddress: [.blobs],
        .sealedFile: [.blobs],
        .envelope: [.apple, .calls, .locked],
        .deviceToken: [.calls],
        .deviceID: [.calls, .store, .copy, .hooks],
        .identity: [.calls, .store, .copy],
        .trace: [.apple, .calls, .log, .hooks],
        .deviceKeys: [.phone],
    ]

    /// Store and memory of the relay: what it is given, and its own keys. A core file may have nothing: the relay makes
    /// none.
    private static let mayHave: [Asset: Set<Party>] = [
        .sender: [.phone],
        .envelope: [.store, .copy, .memory, .phone],
        .collapseWord: [.calls, .memory],
        .capability: [.memory, .phone],
        .deviceToken: [.apple, .memory],
        .deviceID: [.memory, .log],
        .identity: [.memory, .phone],
        .trace: [.store, .copy, .memory, .locked, .phone],
        .relayKeys: [.memory],
    ]
}
