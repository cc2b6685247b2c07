import Envelope

/// One request about broadcast channels, without who asks: the client adds `:scheme`, `:authority` and `authorization`.
///
/// - Source: "Sending channel management requests to APNs", "Sending broadcast push notification requests to APNs".
public struct BroadcastRequest: Sendable, Equatable {
    /// What is asked; it decides how the reply is read.
    public enum Operation: String, Sendable, CaseIterable {
        case createChannel, readChannel, deleteChannel, listChannels, send
    }

    /// Which of Apple's services takes it.
    public enum Role: Sendable, Equatable {
        /// `BroadcastEndpoint`.
        case management
        /// The host and port of pushes to devices.
        case push
    }

    /// A field beside the pseudo-headers. Names are lower case.
    public struct Field: Sendable, Equatable {
        /// The name's bytes.
        public let name: [UInt8]
        /// The value's bytes.
        public let value: [UInt8]

        init(_ name: StaticString, _ value: [UInt8]) {
            self.name = Array("\(name)".utf8)
            self.value = value
        }
    }

    /// Why a request cannot be made.
    public enum Fault: Error, Equatable {
        /// The topic has the suffix of a push type, and a broadcast names the bundle id itself; TopicDisallowed.
        case topicIsNoBundleID(PushType)
        /// A channel that keeps no message takes `apns-expiration` 0 only; BadExpirationDate.
        case expirationNeedsStorage
        /// No body; PayloadEmpty.
        case payloadEmpty
        /// More than 5120 bytes; PayloadTooLarge.
        case payloadTooLarge(byteCount: Int, byteCountMax: Int)
    }

    /// The largest body of a broadcast.
    public static let payloadByteCountMax = 5120

    /// What is asked.
    public let operation: Operation
    /// Names the request in both directions; APNs makes one if there is none.
    public let requestID: APNSID?
    /// `:path`.
    public let path: [UInt8]
    /// In the order in which they should be written.
    public let fields: [Field]
    /// JSON, or nothing.
    public let body: [UInt8]

    /// Asks for a new channel. At most 10,000 exist for an app in one environment.
    ///
    /// - Throws: `.topicIsNoBundleID`.
    public static func createChannel(
        of bundleID: Topic,
        policy: ChannelStoragePolicy,
        requestID: APNSID? = nil
    ) throws(Fault) -> BroadcastRequest {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("message-storage-policy", policy.rawValue)
            writer.member("push-type", BroadcastResponse.pushType)
        }
        return try BroadcastRequest(.createChannel, bundleID, requestID, [], writer.bytes)
    }

    /// Asks how a channel was made.
    ///
    /// - Throws: `.topicIsNoBundleID`.
    public static func readChannel(
        _ channel: ChannelID,
        of bundleID: Topic,
        requestID: APNSID? = nil
    ) throws(Fault) -> BroadcastRequest {
        try BroadcastRequest(.readChannel, bundleID, requestID, [Field(HeaderName.channelID, channel.bytes)], [])
    }

    /// Removes a channel for good. What it has stored may still arrive.
    ///
    /// - Throws: `.topicIsNoBundleID`.
    public static func deleteChannel(
        _ channel: ChannelID,
        of bundleID: Topic,
        requestID: APNSID? = nil
    ) throws(Fault) -> BroadcastRequest {
        try BroadcastRequest(.deleteChannel, bundleID, requestID, [Field(HeaderName.channelID, channel.bytes)], [])
    }

    /// Asks for all channels of an app.
    ///
    /// - Throws: `.topicIsNoBundleID`.
    public static func listChannels(of bundleID: Topic, requestID: APNSID? = nil) throws(Fault) -> BroadcastRequest {
        try BroadcastRequest(.listChannels, bundleID, requestID, [], [])
    }

    /// Updates or ends the Live Activities that listen to a channel.
    ///
    /// - Parameters:
    ///   - payload: from `PushPayload.bytesForBroadcast`.
    ///   - channel: the channel.
    ///   - bundleID: whose channel it is.
    ///   - policy: how the channel was made; it decides which expirations there may be.
    ///   - expiration: `oneAttempt` for a channel that keeps no message.
    ///   - priority: 10, 5 or 1.
    ///   - requestID: names the request; `nil` lets APNs name it.
    /// - Returns: the request, for the host of pushes.
    /// - Throws: every `Fault`.
    public static func send(
        _ payload: [UInt8],
        to channel: ChannelID,
        of bundleID: Topic,
        policy: ChannelStoragePolicy,
        expiration: Expiration = .oneAttempt,
        priority: Priority = .immediate,
        requestID: APNSID? = nil
    ) throws(Fault) -> BroadcastRequest {
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
    ) throws(Fault) {
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

    /// Which service takes it.
    public var role: Role { operation == .send ? .push : .management }
}

extension BroadcastRequest.Fault: CustomStringConvertible {
    /// One sentence that names Apple's rule and what APNs would have answered.
    public var description: String {
        switch self {
        case .topicIsNoBundleID(let owner):
            "A broadcast names the bundle id itself, and this is a topic for \(owner.rawValue) pushes; APNs answers"
                + " TopicDisallowed."
        case .expirationNeedsStorage:
            "A channel that keeps no message takes the expiration 0 only; APNs answers BadExpirationDate."
        case .payloadEmpty:
            "The payload is empty; APNs answers PayloadEmpty."
        case .payloadTooLarge(let byteCount, let byteCountMax):
            "The payload has \(byteCount) bytes, \(byteCount - byteCountMax) more than the \(byteCountMax) that Apple"
                + " allows in a broadcast; APNs answers PayloadTooLarge."
        }
    }
}
