import APNS

extension DeviceFrame {
    /// Encoded frame, with its length first.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = [0, 0, 0, 0, kind.rawValue]
        switch self {
        case .hello(let hello):
            bytes.appendWithLength16(hello.earlierToken?.bytes ?? [])
            bytes.appendWithLength8(hello.topic.bytes)
            bytes.append(hello.arrival.rawValue)
            bytes += [DeviceState.version, hello.state.rawValue]
        case .register(let registration), .unregister(let registration):
            bytes.append(registration.kind.rawValue)
            bytes.appendWithLength8(registration.instance)
        case .welcome(let token), .token(let token):
            bytes.appendWithLength16(token.bytes)
        case .push(let push):
            bytes.append(push)
        case .acknowledgement(let id):
            bytes += id.bytes
        case .refused(let refusal):
            bytes.append(refusal.rawValue)
        case .subscribe(let topic, let channel), .unsubscribe(let topic, let channel):
            bytes.appendWithLength8(topic.bytes)
            bytes.appendWithLength16(channel.bytes)
        case .subscription(let subscription):
            bytes.append(subscription.rawValue)
        case .state(let state):
            bytes += [DeviceState.version, state.rawValue]
        }
        let byteCount = bytes.count - Self.lengthByteCount
        precondition(byteCount <= Self.byteCountMax)
        for offset in 0..<4 { bytes[offset] = UInt8(truncatingIfNeeded: byteCount >> (24 - 8 * offset)) }
        return bytes
    }
}

extension PushType {
    /// Number on the wire: the position in Apple's alphabetical table, from 1.
    var deviceLinkCode: UInt8 {
        switch self {
        case .alert: 1
        case .background: 2
        case .complication: 3
        case .controls: 4
        case .fileprovider: 5
        case .liveactivity: 6
        case .location: 7
        case .mdm: 8
        case .pushtotalk: 9
        case .voip: 10
        case .widgets: 11
        }
    }

    init?(deviceLinkCode: UInt8) {
        guard let match = Self.allCases.first(where: { $0.deviceLinkCode == deviceLinkCode }) else { return nil }
        self = match
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ push: DevicePush) {
        precondition((1...DevicePush.payloadByteCountMax).contains(push.payload.count))
        self += push.id.bytes
        append(push.pushType.deviceLinkCode)
        append(push.priority.rawValue)
        append(push.presentation.rawValue)
        append(push.expiration == nil ? 0 : 1)
        let seconds = push.expiration?.unixSeconds ?? 0
        for shift in stride(from: 56, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: seconds >> UInt64(shift)))
        }
        appendWithLength8(push.topic.bytes)
        appendWithLength8(push.collapseID?.bytes ?? [])
        appendWithLength16(push.payload)
    }

    fileprivate mutating func appendWithLength8(_ field: [UInt8]) {
        append(UInt8(field.count))
        self += field
    }

    fileprivate mutating func appendWithLength16(_ field: [UInt8]) {
        append(UInt8(field.count >> 8))
        append(UInt8(field.count & 0xFF))
        self += field
    }
}
