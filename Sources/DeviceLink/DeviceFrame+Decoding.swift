import APNS

extension DeviceFrame {
    /// Decodes a frame without its length.
    ///
    /// - Parameter contents: type and fields; each frame has exactly one accepted encoding.
    /// - Throws: `.frameLength`, `.unknownType`, `.truncated`, `.malformed`, `.trailingBytes`.
    package init(contents: ArraySlice<UInt8>) throws(DeviceLinkError) {
        guard let type = contents.first, contents.count <= Self.byteCountMax else {
            throw .frameLength(byteCount: contents.count, byteCountMax: Self.byteCountMax)
        }
        guard let kind = Kind(rawValue: type) else { throw .unknownType(type) }
        var reader = FieldReader(rest: contents.dropFirst())
        switch kind {
        case .hello:
            self = .hello(try reader.hello())
        case .welcome: self = .welcome(try reader.deviceToken())
        case .register: self = .register(try reader.registration())
        case .unregister: self = .unregister(try reader.registration())
        case .token: self = .token(try reader.deviceToken())
        case .push: self = .push(try reader.push())
        case .acknowledgement: self = .acknowledgement(try reader.id())
        case .refused:
            guard let refusal = Refusal(rawValue: try reader.byte(.refusal)) else { throw .malformed(.refusal) }
            self = .refused(refusal)
        case .subscribe: self = .subscribe(topic: try reader.topic(), channel: try reader.channelID())
        case .unsubscribe: self = .unsubscribe(topic: try reader.topic(), channel: try reader.channelID())
        case .subscription:
            guard let subscription = Subscription(rawValue: try reader.byte(.subscription)) else {
                throw .malformed(.subscription)
            }
            self = .subscription(subscription)
        case .state: self = .state(try reader.state())
        }
        guard reader.rest.isEmpty else { throw .trailingBytes(byteCount: reader.rest.count) }
    }
}

/// Reads fields from the front of a frame, each with its own limits.
private struct FieldReader {
    private(set) var rest: ArraySlice<UInt8>

    mutating func hello() throws(DeviceLinkError) -> DeviceHello {
        let earlierToken = try optionalDeviceToken()
        let topic = try topic()
        guard let arrival = DeviceHello.Arrival(rawValue: try byte(.arrival)) else { throw .malformed(.arrival) }
        return DeviceHello(topic: topic, earlierToken: earlierToken, arrival: arrival, state: try state())
    }

    mutating func state() throws(DeviceLinkError) -> DeviceState {
        guard try byte(.state) == DeviceState.version else { throw .malformed(.state) }
        let state = DeviceState(rawValue: try byte(.state))
        guard state.isSubset(of: .all) else { throw .malformed(.state) }
        return state
    }

    mutating func push() throws(DeviceLinkError) -> DevicePush {
        let id = try id()
        guard let pushType = PushType(deviceLinkCode: try byte(.pushType)) else { throw .malformed(.pushType) }
        guard let priority = Priority(rawValue: try byte(.priority)) else { throw .malformed(.priority) }
        guard let presentation = DevicePush.Presentation(rawValue: try byte(.presentation)) else {
            throw .malformed(.presentation)
        }
        let expiration = try expiration()
        let topic = try topic()
        let collapseID = try collapseID()
        let payload = try take(try count16(.payload), .payload)
        guard (1...DevicePush.payloadByteCountMax).contains(payload.count) else { throw .malformed(.payload) }
        return DevicePush(
            id: id,
            topic: topic,
            pushType: pushType,
            priority: priority,
            expiration: expiration,
            collapseID: collapseID,
            payload: payload,
            presentation: presentation
        )
    }

    mutating func registration() throws(DeviceLinkError) -> TokenRegistration {
        guard let kind = TokenKind(rawValue: try byte(.tokenKind)) else { throw .malformed(.tokenKind) }
        let instance = try take(Int(try byte(.instance)), .instance)
        guard let registration = TokenRegistration(kind, instance: instance) else { throw .malformed(.instance) }
        return registration
    }

    mutating func deviceToken() throws(DeviceLinkError) -> DeviceToken {
        guard let token = try optionalDeviceToken() else { throw .malformed(.deviceToken) }
        return token
    }

    mutating func optionalDeviceToken() throws(DeviceLinkError) -> DeviceToken? {
        let bytes = try take(try count16(.deviceToken), .deviceToken)
        guard !bytes.isEmpty else { return nil }
        do throws(APNSError) { return try DeviceToken(bytes: bytes) } catch { throw .malformed(.deviceToken) }
    }

    mutating func topic() throws(DeviceLinkError) -> Topic {
        let bytes = try take(Int(try byte(.topic)), .topic)
        do throws(APNSError) { return try Topic(bytes: bytes.span) } catch { throw .malformed(.topic) }
    }

    mutating func id() throws(DeviceLinkError) -> APNSID {
        let bytes = try take(16, .id)
        return APNSID(bytes: bytes.span)
    }

    mutating func channelID() throws(DeviceLinkError) -> ChannelID {
        let bytes = try take(try count16(.channelID), .channelID)
        do throws(APNSError) { return try ChannelID(bytes: bytes) } catch { throw .malformed(.channelID) }
    }

    private mutating func collapseID() throws(DeviceLinkError) -> CollapseID? {
        let bytes = try take(Int(try byte(.collapseID)), .collapseID)
        guard !bytes.isEmpty else { return nil }
        do throws(APNSError) { return try CollapseID(bytes: bytes) } catch { throw .malformed(.collapseID) }
    }

    private mutating func expiration() throws(DeviceLinkError) -> Expiration? {
        let isPresent = try byte(.expiration)
        let seconds = try take(8, .expiration).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        switch (isPresent, seconds) {
        case (1, _): return Expiration(unixSeconds: seconds)
        case (0, 0): return nil
        default: throw .malformed(.expiration)
        }
    }

    mutating func byte(_ field: DeviceLinkError.Field) throws(DeviceLinkError) -> UInt8 {
        guard let byte = rest.popFirst() else { throw .truncated(field) }
        return byte
    }

    private mutating func count16(_ field: DeviceLinkError.Field) throws(DeviceLinkError) -> Int {
        let high = try byte(field)
        return Int(high) << 8 | Int(try byte(field))
    }

    private mutating func take(_ count: Int, _ field: DeviceLinkError.Field) throws(DeviceLinkError) -> [UInt8] {
        guard count <= rest.count else { throw .truncated(field) }
        let bytes = Array(rest.prefix(count))
        rest.removeFirst(count)
        return bytes
    }
}
