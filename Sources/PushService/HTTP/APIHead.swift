import HTTP
import PushStore

enum APIHead {
    /// Bound above the longest valid query.
    private static let queryByteCountMax = 1_024

    /// Request for admission, with its key.
    static func request(
        _ head: HTTPHead,
        _ clients: inout ClientAddresses,
        _ proxies: ProxyConfiguration?
    ) -> APIRequest {
        var fields: [APIRequest.Field] = []
        fields.reserveCapacity(4)
        let more = head.path.starts(with: Route.webPushPath.utf8) ? WebPushRequest.fieldNames : []
        for index in 0..<head.fields.count {
            guard
                let name = name(of: index, head.fields)
                    ?? more.first(where: { head.fields.isNamed($0, at: index) })?.description
            else { continue }
            fields.append(.init(name, String(decoding: head.fields.value(of: index), as: UTF8.self)))
        }
        return APIRequest(method: "", path: "", fields: fields, client: clients.client(of: head, proxies))
    }

    private static func name(of index: Int, _ fields: HeaderBlock) -> String? {
        if fields.isNamed("authorization", at: index) { return "authorization" }
        if fields.isNamed("content-type", at: index) { return "content-type" }
        if fields.isNamed("content-encoding", at: index) { return "content-encoding" }
        if fields.isNamed("if-none-match", at: index) { return "if-none-match" }
        if fields.isNamed("traceparent", at: index) { return TraceContext.fieldName }
        return fields.isNamed("idempotency-key", at: index) ? "idempotency-key" : nil
    }

    /// Decodes nothing. A trailing question mark gives an empty query.
    static func target(_ head: HTTPHead) -> (path: ArraySlice<UInt8>, query: String?) {
        let target = head.path
        guard let mark = target.firstIndex(of: UInt8(ascii: "?")) else { return (target, nil) }
        let query = target[(mark + 1)...].prefix(queryByteCountMax)
        return (target[..<mark], String(decoding: query, as: UTF8.self))
    }

    /// False for an unannounced body, as HTTP/2 allows.
    static func announcesBody(_ head: HTTPHead) -> Bool {
        if head.fields["transfer-encoding"] != nil { return true }
        return head.fields["content-length"].map { !$0.elementsEqual("0".utf8) } ?? false
    }
}

/// Parsed addresses: a connection repeats one text many times.
struct ClientAddresses {
    private static let countMax = 1_024
    private static let loopback = IPAddress(bytes: [127, 0, 0, 1])
    private var known: [String: IPAddress] = [:]

    /// Client's address, through trusted proxies; nil on this machine.
    mutating func client(of head: HTTPHead, _ proxies: ProxyConfiguration?) -> IPAddress? {
        let peer = head.remoteAddress.flatMap { address($0) }
        guard let proxies, let proxy = peer ?? Self.loopback, proxies.contains(proxy) else { return peer }
        return proxies.client(behind: proxy, head.fields) ?? peer
    }

    /// All malformed addresses are one client, so that none evades the rate.
    private mutating func address(_ text: String) -> IPAddress? {
        if let address = known[text] { return address }
        let withoutZone = text.prefix { $0 != "%" }
        guard let address = IPAddress(String(withoutZone)) ?? IPAddress(bytes: [0, 0, 0, 0]) else { return nil }
        if known.count >= Self.countMax { known = [:] }
        known[text] = address
        return address
    }
}

extension Route {
    /// Route without a key, for an address's rate alone.
    static let open = all.first { $0.operation == .health } ?? all[0]
}
