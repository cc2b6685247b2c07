import Envelope

/// Reply to one `BroadcastRequest`. A refusal is a reply, not an error.
///
/// - Source: "Sending channel management requests to APNs", "Sending broadcast push notification requests to APNs", and
///   their pages on responses.
public struct BroadcastResponse: Sendable, Equatable {
    /// Result of a request.
    public enum Outcome: Sendable, Equatable {
        case created(ChannelID)
        case channel(ChannelStoragePolicy)
        case deleted
        case channels([ChannelID])
        /// Accepted for delivery; `uniqueID` is its key in the delivery log.
        case sent
        /// `reason` is `nil` for an unknown one; `text` is printable ASCII or `nil`.
        case rejected(reason: BroadcastReason?, text: String?)
    }

    /// Maximum number of channels of an app in one environment.
    public static let channelCountMax = 10_000
    /// Longest body read: 10,000 ids of 100 bytes, four times the length of Apple's.
    public static let bodyByteCountMax = 1 << 20

    static let pushType = "LiveActivity"
    private static let refusalByteCountMax = 1024
    private static let uniqueIDCharacterCountMax = 64

    /// HTTP status.
    public let status: Int
    /// `apns-request-id`.
    public let requestID: APNSID?
    /// `apns-unique-id`: a broadcast's key in the delivery log.
    public let uniqueID: String?
    /// Result of the request.
    public let outcome: Outcome

    /// Reads a reply.
    ///
    /// - Throws: a fault of a successful reply; never for a refusal.
    package init(
        to operation: BroadcastRequest.Operation,
        status: Int,
        body: [UInt8],
        field: (StaticString) -> [UInt8]?
    ) throws(BroadcastResponseError) {
        self.status = status
        requestID = field(HeaderName.requestID).flatMap { APNSID(text: $0.span, acceptsUpperCase: true) }
        uniqueID = field(HeaderName.uniqueID).flatMap {
            Self.presentable($0, characterCountMax: Self.uniqueIDCharacterCountMax)
        }
        guard status == Self.successStatus(of: operation) else {
            if (200...299).contains(status) { throw .statusUnexpected(status) }
            outcome = Self.refusal(status: status, body)
            return
        }
        switch operation {
        case .createChannel:
            guard let bytes = field(HeaderName.channelID) else { throw .channelIDMalformed }
            do throws(APNSError) { outcome = .created(try ChannelID(bytes: bytes)) } catch { throw .channelIDMalformed }
        case .readChannel: outcome = .channel(try Self.policy(body))
        case .deleteChannel: outcome = .deleted
        case .listChannels: outcome = .channels(try Self.channels(body))
        case .send: outcome = .sent
        }
    }

    private static func successStatus(of operation: BroadcastRequest.Operation) -> Int {
        switch operation {
        case .createChannel: 201
        case .deleteChannel: 204
        case .readChannel, .listChannels, .send: 200
        }
    }

    private static func policy(_ body: [UInt8]) throws(BroadcastResponseError) -> ChannelStoragePolicy {
        let value = try parse(body)
        guard case .integer(let number) = value["message-storage-policy"]?.content,
            let policy = Int(exactly: number).flatMap(ChannelStoragePolicy.init(rawValue:)),
            value["push-type"]?.string == pushType
        else { throw .bodyMalformed(offset: value.offset) }
        return policy
    }

    private static func channels(_ body: [UInt8]) throws(BroadcastResponseError) -> [ChannelID] {
        let value = try parse(body)
        guard let elements = value["channels"]?.elements else { throw .bodyMalformed(offset: value.offset) }
        guard elements.count <= channelCountMax else { throw .channelCountTooHigh(countMax: channelCountMax) }
        var channels: [ChannelID] = []
        channels.reserveCapacity(elements.count)
        for element in elements {
            guard let text = element.string else { throw .bodyMalformed(offset: element.offset) }
            do throws(APNSError) {
                channels.append(try ChannelID(text))
            } catch {
                throw .bodyMalformed(offset: element.offset)
            }
        }
        return channels
    }

    /// A reason with another status than its own counts as unknown, as for device pushes.
    private static func refusal(status: Int, _ body: [UInt8]) -> Outcome {
        let limits = JSONParser.Limits(byteCountMax: refusalByteCountMax, depthMax: 4, allowsFractions: true)
        // `try?`: an unreadable refusal still has its status.
        let text = (try? JSONParser.parse(body, limits: limits))?["reason"]?.string
        let shown = text.flatMap {
            presentable(Array($0.utf8), characterCountMax: RejectionBody.reasonCharacterCountMax)
        }
        let reason = shown.flatMap { BroadcastReason(text: $0) }
        return .rejected(reason: reason?.status == status ? reason : nil, text: shown)
    }

    /// Text that needs no escaping in a terminal, a log or JSON.
    private static func presentable(_ bytes: [UInt8], characterCountMax: Int) -> String? {
        guard (1...characterCountMax).contains(bytes.count),
            bytes.allSatisfy({ (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func parse(_ body: [UInt8]) throws(BroadcastResponseError) -> JSONValue {
        guard body.count <= bodyByteCountMax else {
            throw .bodyTooLong(byteCount: body.count, byteCountMax: bodyByteCountMax)
        }
        let limits = JSONParser.Limits(byteCountMax: bodyByteCountMax, depthMax: 4, allowsFractions: true)
        do throws(JSONError) {
            return try JSONParser.parse(body, limits: limits)
        } catch {
            throw .bodyMalformed(offset: error.offset)
        }
    }
}

/// Unreadable successful reply.
public enum BroadcastResponseError: Error, Equatable {
    case bodyTooLong(byteCount: Int, byteCountMax: Int)
    /// Not JSON, or without a documented member; with the number of bytes before the error.
    case bodyMalformed(offset: Int)
    case channelIDMalformed
    /// 2xx status that Apple's page does not list here.
    case statusUnexpected(Int)
    case channelCountTooHigh(countMax: Int)
}
