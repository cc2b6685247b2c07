import Envelope

/// Request about broadcast channels, without credentials: the client adds `:scheme`, `:authority` and `authorization`.
///
/// - Source: "Sending channel management requests to APNs", "Sending broadcast push notification requests to APNs".
public struct BroadcastRequest: Sendable, Equatable {
    /// Operation, which decides how to read the reply.
    public enum Operation: String, Sendable, CaseIterable {
        case createChannel, readChannel, deleteChannel, listChannels, send
    }

    /// Apple's service for a request.
    public enum Role: Sendable, Equatable {
        case management
        /// Endpoint of device pushes.
        case push
    }

    /// Header field with a lower-case name; not a pseudo-header.
    public struct Field: Sendable, Equatable {
        /// Bytes of the name.
        public let name: [UInt8]
        /// Bytes of the value.
        public let value: [UInt8]

        init(_ name: StaticString, _ value: [UInt8]) {
            self.name = Array("\(name)".utf8)
            self.value = value
        }
    }

    /// Largest body of a broadcast in bytes.
    public static let payloadByteCountMax = 5120

    /// Operation of the request.
    public let operation: Operation
    /// Id in request and reply; APNs makes a missing one.
    public let requestID: APNSID?
    /// `:path`.
    public let path: [UInt8]
    /// Header fields in writing order.
    public let fields: [Field]
    /// JSON, or nothing.
    public let body: [UInt8]

    /// Creates a channel, of at most 10,000 for an app and environment.
    ///
    /// - Throws: `.topicIsNoBundleID`.
    public static func createChannel(
        of bundleID: Topic,
        policy: ChannelStoragePolicy,
        requestID: APNSID? = nil
    ) throws(BroadcastRequestError) -> BroadcastRequest {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("message-storage-policy", policy.rawValue)
            writer.member("push-type", BroadcastResponse.pushType)
        }
        return try BroadcastRequest(.createChannel, bundleID, requestID, [], writer.bytes)
    }

    /// Reads the storage policy.
    ///
    /// - Throws: `.topicIsNoBundleID`.
    public static func readChannel(
        _ channel: ChannelID,
        of bundleID: Topic,
        requestID: APNSID? = nil
    ) throws(BroadcastRequestError) -> BroadcastRequest {
        try BroadcastRequest(.readChannel, bundleID, requestID, [Field(HeaderName.channelID, channel.bytes)], [])
    }

    /// Deletes a channel for good. A stored message may still arrive.
    ///
    /// - Throws: `.topicIsNoBundleID`.
    public static func deleteChannel(
        _ channel: ChannelID,
        of bundleID: Topic,
        requestID: APNSID? = nil
    ) throws(BroadcastRequestError) -> BroadcastRequest {
        try BroadcastRequest(.deleteChannel, bundleID, requestID, [Field(HeaderName.channelID, channel.bytes)], [])
    }

    /// Lists an app's channels.
    ///
    /// - Throws: `.topicIsNoBundleID`.
    public static func listChannels(of bundleID: Topic, requestID: APNSID? = nil) throws(BroadcastRequestError)
        -> BroadcastRequest
    {
        try BroadcastRequest(.listChannels, bundleID, requestID, [], [])
    }

    /// Updates or ends the Live Activities that listen to a channel.
    ///
    /// - Parameters:
    ///   - payload: from `PushPayload.bytesForBroadcast`.
    ///   - channel: made for this app, in the same environment.
    ///   - bundleID: the app's, without a suffix.
    ///   - policy: the channel's, which limits the expiration.
    ///   - expiration: `oneAttempt` for a channel without storage.
    ///   - priority: urgency and power cost.
    ///   - requestID: `nil` lets APNs make one.
    /// - Throws: every `BroadcastRequestError`.
    public static func send(
        _ payload: [UInt8],
        to channel: ChannelID,
        of bundleID: Topic,
        policy: ChannelStoragePolicy,
        expiration: Expiration = .oneAttempt,
        priority: Priority = .immediate,
        requestID: APNSID? = nil
    ) throws(BroadcastRequestError) -> BroadcastRequest {
        guard policy == .mostRecent || expiration == .oneAttempt else { throw .expirationNeedsStorage }
        guard !payload.isEmpty else { throw .payloadEmpty }
        guard payload.count <= payloadByteCountMax else {
            throw .payloadTooLarge(byteCount: payload.count, byteCountMax: payloadByteCountMax)
        }
        let fields = [
            Field(HeaderName.channelID, channel.bytes),
            Field(HeaderName.pushType, PushType.liveactivity.headerValue),
            Field(HeaderName.expiration, expiration.headerValue),
            Field(HeaderName.priority, priority.headerValue),
        ]
        return try BroadcastRequest(.send, bundleID, requestID, fields, payload)
    }

    private init(
        _ operation: Operation,
        _ bundleID: Topic,
        _ requestID: APNSID?,
        _ fields: [Field],
        _ body: [UInt8]
    ) throws(BroadcastRequestError) {
        if let owner = bundleID.suffixOwner { throw .topicIsNoBundleID(owner) }
        self.operation = operation
        self.requestID = requestID
        self.body = body
        self.fields = fields + (requestID.map { [Field(HeaderName.requestID, $0.text)] } ?? [])
        path =
            switch operation {
            case .createChannel, .readChannel, .deleteChannel:
                Array("/1/apps/".utf8) + bundleID.bytes + Array("/channels".utf8)
            case .listChannels: Array("/1/apps/".utf8) + bundleID.bytes + Array("/all-channels".utf8)
            case .send: Array("/4/broadcasts/apps/".utf8) + bundleID.bytes
            }
    }

    /// `:method`.
    public var method: [UInt8] {
        switch operation {
        case .createChannel, .send: Array("POST".utf8)
        case .readChannel, .listChannels: Array("GET".utf8)
        case .deleteChannel: Array("DELETE".utf8)
        }
    }

    /// Service for the request.
    public var role: Role { operation == .send ? .push : .management }
}

/// Rule that a request breaks.
public enum BroadcastRequestError: Error, Equatable {
    /// The topic has a suffix, but a broadcast needs the bundle id; TopicDisallowed.
    case topicIsNoBundleID(PushType)
    /// A channel without storage takes `apns-expiration` 0 only; BadExpirationDate.
    case expirationNeedsStorage
    case payloadEmpty
    case payloadTooLarge(byteCount: Int, byteCountMax: Int)
}

extension BroadcastRequestError: CustomStringConvertible {
    /// Sentence with Apple's rule and the reason that APNs would answer.
    public var description: String {
        switch self {
        case .topicIsNoBundleID(let owner):
            "A broadcast's topic is the bundle id alone, and this one is for \(owner.rawValue) pushes; APNs answers"
                + " TopicDisallowed."
        case .expirationNeedsStorage:
            "The expiration must be 0 for a channel that stores no message; APNs answers BadExpirationDate."
        case .payloadEmpty:
            "The payload is empty; APNs answers PayloadEmpty."
        case .payloadTooLarge(let byteCount, let byteCountMax):
            "The payload has \(byteCount) bytes, \(byteCount - byteCountMax) more than the \(byteCountMax) that Apple"
                + " allows in a broadcast; APNs answers PayloadTooLarge."
        }
    }
}
