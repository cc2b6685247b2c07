import Envelope

/// Body of a push: `aps` with custom members, or raw JSON.
///
///     let payload = PushPayload(APS(alert: Alert(title: "Chess", body: "Your move")), custom: ["game": 4711])
///     let bytes = try payload.bytes(for: .alert)
public struct PushPayload: Sendable, Equatable {
    private enum Content: Sendable, Equatable {
        case members(APS?, [PayloadValue.Member])
        /// Raw JSON; the outline is `nil` without `aps`.
        case json([UInt8], APSOutline?)
    }

    /// Largest body of any push, and longest JSON that is read.
    public static let byteCountMax = 5120

    private let content: Content

    /// - Parameters:
    ///   - aps: `nil` where the app reads the whole body.
    ///   - custom: members for the app, written in this order.
    public init(_ aps: APS?, custom: KeyValuePairs<String, PayloadValue> = [:]) {
        content = .members(aps, custom.map { PayloadValue.Member(name: $0.key, value: $0.value) })
    }

    /// Creates a payload of raw JSON, sent byte for byte.
    ///
    /// - Parameter json: one object in UTF-8, 5120 bytes at most, without duplicate names in one object.
    /// - Throws: `.tooLarge`, `.notJSON`, `.notJSONObject`.
    public init(json: [UInt8]) throws(PayloadError) {
        let value = try Self.parse(json)
        guard value.members != nil else { throw .notJSONObject }
        content = .json(json, value["aps"].map { APSOutline($0) })
    }

    /// Empty object, which updates a pass in Wallet.
    public static let pass = PushPayload(nil)

    /// Payload of an `mdm` push.
    ///
    /// - Parameter pushMagic: value from the device's enrolment.
    /// - Source: "Mobile Device Management Protocol Reference", `mdm`.
    public static func management(pushMagic: String) -> PushPayload {
        PushPayload(nil, custom: ["mdm": PayloadValue(pushMagic)])
    }

    /// Payload of a `fileprovider` push.
    ///
    /// - Parameters:
    ///   - containerIdentifier: container that changed.
    ///   - domain: `nil` for the app's only one.
    /// - Source: "Using push notifications to signal changes".
    public static func fileProvider(containerIdentifier: String, domain: String? = nil) -> PushPayload {
        guard let domain else {
            return PushPayload(nil, custom: ["container-identifier": PayloadValue(containerIdentifier)])
        }
        return PushPayload(
            nil,
            custom: ["container-identifier": PayloadValue(containerIdentifier), "domain": PayloadValue(domain)]
        )
    }

    /// Checks the payload against Apple's rules and size for the type, and writes it without white space.
    ///
    /// Raw JSON is checked only against size and, with `aps`, the rules of alert and background pushes.
    ///
    /// - Throws: the first rule that is broken.
    public func bytes(for pushType: PushType) throws(PayloadError) -> [UInt8] {
        try bytes(for: pushType, byteCountMax: pushType.payloadByteCountMax)
    }

    /// Body of a broadcast, of at most 5120 bytes, which cannot start a Live Activity. Raw JSON is checked for size
    /// only.
    ///
    /// - Throws: the first rule that is broken.
    public func bytesForBroadcast() throws(PayloadError) -> [UInt8] {
        if case .members(let aps, _) = content, aps?.event == .start { throw .broadcastCannotStart }
        return try bytes(for: .liveactivity, byteCountMax: BroadcastRequest.payloadByteCountMax)
    }

    private func bytes(for pushType: PushType, byteCountMax: Int) throws(PayloadError) -> [UInt8] {
        let bytes: [UInt8]
        switch content {
        case .json(let json, let outline):
            try outline?.check(for: pushType)
            bytes = json
        case .members(let aps, let custom):
            try Self.check(aps, custom, for: pushType)
            bytes = Self.write(aps, custom, isLiveActivity: pushType == .liveactivity)
        }
        guard bytes.count <= byteCountMax else {
            throw .tooLarge(byteCount: bytes.count, byteCountMax: byteCountMax)
        }
        return bytes
    }

    private static func check(
        _ aps: APS?,
        _ custom: [PayloadValue.Member],
        for pushType: PushType
    ) throws(PayloadError) {
        if let aps {
            try aps.check(for: pushType)
        } else {
            switch pushType {
            case .background, .controls, .liveactivity, .widgets: throw .missing(.aps, for: pushType)
            case .alert: guard custom.isEmpty else { throw .missing(.aps, for: pushType) }
            case .mdm: guard custom.contains(where: { $0.name == "mdm" }) else { throw .missing(.mdm, for: .mdm) }
            case .complication, .fileprovider, .location, .pushtotalk, .voip: break
            }
        }
        let names = Set(custom.map { Array($0.name.utf8) })
        guard names.count == custom.count, !custom.contains(where: { $0.name == "aps" }) else { throw .nameTaken }
        for member in custom {
            guard !member.name.isEmpty else { throw .empty(.custom) }
            guard member.value.isWritable else { throw .notWritable(.custom) }
        }
    }

    private static func write(_ aps: APS?, _ custom: [PayloadValue.Member], isLiveActivity: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            if let aps {
                writer.name("aps")
                writer.aps(aps, isLiveActivity: isLiveActivity)
            }
            for member in custom { writer.value(member.name, member.value) }
        }
        return writer.bytes
    }

    static func parse(_ json: [UInt8]) throws(PayloadError) -> JSONValue {
        guard json.count <= byteCountMax else {
            throw .tooLarge(byteCount: json.count, byteCountMax: byteCountMax)
        }
        let limits = JSONParser.Limits(
            byteCountMax: byteCountMax,
            depthMax: PayloadValue.depthMax,
            allowsFractions: true
        )
        do throws(JSONError) {
            return try JSONParser.parse(json, limits: limits)
        } catch {
            throw .notJSON(offset: error.offset)
        }
    }
}
