import APNS
import Envelope

/// Apple's payload rules for each push type. The live service was never seen to enforce them.
///
/// - Source: "Generating a remote notification", "Pushing background updates to your App", "Starting and updating Live
///   Activities with ActivityKit push notifications", "Updating widgets with WidgetKit push notifications".
enum PayloadRules {
    /// Our limit, deeper than any sensible payload.
    private static let depthMax = 64

    static func fault(in payload: [UInt8], for pushType: PushType) -> PayloadError? {
        do throws(PayloadError) {
            try check(object(payload), for: pushType)
            return nil
        } catch {
            return error
        }
    }

    static func isUnreadable(_ payload: [UInt8]) -> Bool {
        do throws(PayloadError) {
            _ = try object(payload)
            return false
        } catch {
            return true
        }
    }

    private static func object(_ payload: [UInt8]) throws(PayloadError) -> JSONValue {
        let limits = JSONParser.Limits(
            byteCountMax: PushPayload.byteCountMax,
            depthMax: depthMax,
            allowsFractions: true
        )
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONParser.parse(payload, limits: limits)
        } catch {
            throw .notJSON(offset: error.offset)
        }
        guard value.members != nil else { throw .notJSONObject }
        return value
    }

    private static func check(_ payload: JSONValue, for pushType: PushType) throws(PayloadError) {
        let aps = payload["aps"]
        if let aps, aps.members == nil { throw .notAnObject(.aps) }
        switch pushType {
        case .alert:
            // An empty object updates a pass in Wallet.
            guard payload.members?.isEmpty != true else { return }
            try checkAlert(aps.orMissing(.aps, for: .alert))
        case .background: try checkBackground(aps.orMissing(.aps, for: .background))
        case .controls, .widgets:
            guard try aps.orMissing(.aps, for: pushType)["content-changed"]?.content == .bool(true) else {
                throw .missing(.contentChanged, for: pushType)
            }
        case .liveactivity: try checkLiveActivity(aps.orMissing(.aps, for: .liveactivity))
        case .mdm: guard payload["mdm"]?.string != nil else { throw .missing(.mdm, for: .mdm) }
        // The app defines the content of these.
        case .complication, .fileprovider, .location, .pushtotalk, .voip: break
        }
    }

    private static func checkAlert(_ aps: JSONValue) throws(PayloadError) {
        guard aps["alert"] != nil || aps["badge"] != nil || aps["sound"] != nil else { throw .nothingToShow }
        // The service extension runs for a visible alert only.
        if aps["mutable-content"]?.content == .integer(1), aps["alert"] == nil { throw .missing(.alert, for: .alert) }
    }

    private static func checkBackground(_ aps: JSONValue) throws(PayloadError) {
        guard aps["content-available"]?.content == .integer(1) else {
            throw .missing(.contentAvailable, for: .background)
        }
        for (name, member) in [("alert", PayloadMember.alert), ("badge", .badge), ("sound", .sound)]
        where aps[name] != nil {
            throw .outOfPlace(member, for: .background)
        }
    }

    private static func checkLiveActivity(_ aps: JSONValue) throws(PayloadError) {
        guard let event = aps["event"]?.string.flatMap(APS.Event.init) else {
            throw .missing(.event, for: .liveactivity)
        }
        guard case .integer? = aps["timestamp"]?.content else { throw .missing(.timestamp, for: .liveactivity) }
        guard aps["content-state"]?.members != nil else { throw .missing(.contentState, for: .liveactivity) }
        guard event == .start else { return }
        guard aps["attributes-type"]?.string != nil else { throw .missing(.attributesType, for: .liveactivity) }
        guard aps["attributes"]?.members != nil else { throw .missing(.attributes, for: .liveactivity) }
        guard aps["alert"] != nil else { throw .missing(.alert, for: .liveactivity) }
    }
}

extension JSONValue? {
    fileprivate func orMissing(_ member: PayloadMember, for pushType: PushType) throws(PayloadError) -> JSONValue {
        guard let self else { throw .missing(member, for: pushType) }
        return self
    }
}
