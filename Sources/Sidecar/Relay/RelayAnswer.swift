import Envelope

/// Complete answer of the relay.
struct RelayAnswer: Equatable, Sendable {
    let status: Int
    var retryAfterSeconds: Int?
    var body: [UInt8] = []
}

/// Result of one POST of a message's copies, by their positions in the request.
enum PostResult: Equatable, Sendable {
    /// The relay has all but `rejected` and `postponed`; its id of each, where named. It has no room today for the
    /// postponed.
    case accepted(ids: [Int: String], rejected: [Int: Rejection] = [:], postponed: Set<Int> = [])
    /// Nothing stored, because of these; the others are posted again.
    case rejected([Int: Rejection])
    /// Never to be taken by the relay.
    case refused(Rejection)
    /// The relay takes nothing now, or not the sidecar's key.
    case later(seconds: Int?)
    /// Failed at the relay.
    case failed(seconds: Int?)

    /// - Parameter devices: of the request's recipients, in their order.
    init(_ answer: RelayAnswer, devices: [String]) {
        switch answer.status {
        case 200..<300: self = Self.accepted(answer.body, devices)
        case 422:
            let rejected = Self.rejections(answer.body, count: devices.count)
            self = rejected.isEmpty ? .refused(Self.rejection(answer)) : .rejected(rejected)
        case 400, 409, 413, 415: self = .refused(Self.rejection(answer))
        case 500, 501, 505...: self = .failed(seconds: answer.retryAfterSeconds)
        // People put a wrong key or path right; nothing is lost until then.
        default: self = .later(seconds: answer.retryAfterSeconds)
        }
    }

    private static let limits = JSONParser.Limits(byteCountMax: 4 << 20, depthMax: 8, allowsFractions: true)

    private static func accepted(_ body: [UInt8], _ devices: [String]) -> PostResult {
        let document = try? JSONParser.parse(body, limits: limits)
        var rejected: [Int: Rejection] = [:]
        var postponed: Set<Int> = []
        for element in document?["rejected"]?.elements ?? [] {
            guard case .integer(let index)? = element["index"]?.content, let place = Int(exactly: index),
                devices.indices.contains(place)
            else { continue }
            let problem = element["problem"]
            if problem?["type"]?.string == "urn:sealedpush:problem:quota-exceeded" {
                postponed.insert(place)
            } else {
                let detail = problem?["errors"]?.elements?.first?["detail"]?.string ?? problem?["detail"]?.string ?? ""
                rejected[place] = Rejection("device-refused", String(detail.prefix(300)))
            }
        }
        return .accepted(ids: ids(document, devices), rejected: rejected, postponed: postponed)
    }

    private static func ids(_ document: JSONValue?, _ devices: [String]) -> [Int: String] {
        let places = Dictionary(uniqueKeysWithValues: devices.enumerated().map { ($0.element, $0.offset) })
        var ids: [Int: String] = [:]
        for notification in document?["notifications"]?.elements ?? [] {
            guard let device = notification["device"]?.string, let place = places[device],
                let id = notification["id"]?.string
            else { continue }
            ids[place] = id
        }
        return ids
    }

    /// Reads the pointers of a problem's `errors`: `/recipients/7/device`.
    private static func rejections(_ body: [UInt8], count: Int) -> [Int: Rejection] {
        let document = try? JSONParser.parse(body, limits: limits)
        var found: [Int: Rejection] = [:]
        for error in document?["errors"]?.elements ?? [] {
            let steps = (error["pointer"]?.string ?? "").split(separator: "/")
            guard steps.count >= 2, steps[0] == "recipients", let place = Int(steps[1]), (0..<count).contains(place)
            else { continue }
            found[place] = Rejection("device-refused", String((error["detail"]?.string ?? "").prefix(300)))
        }
        return found
    }

    private static func rejection(_ answer: RelayAnswer) -> Rejection {
        let document = try? JSONParser.parse(answer.body, limits: limits)
        let detail = document?["detail"]?.string ?? "status \(answer.status)"
        return Rejection("refused-by-relay", String(detail.prefix(300)))
    }
}
