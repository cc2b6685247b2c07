package import APNS
package import Envelope
import Primitives
package import PushStore
import ServiceParts

/// Body of `POST /v1/compat/sap`: SAP Mobile Services' properties, for migrating teams. The only route for clear text,
/// if the tenant may send it.
package struct SAPNotification: Equatable, Sendable {
    package let topic: Topic
    package let bundleID: BundleID
    package let pushType: PushType
    /// Nil: APNs takes it as 10.
    package let priority: Priority?
    package let expiration: Expiration?
    package let payload: [UInt8]
    package let devices: [DeviceID]
    package let warnings: [Warning]
    package let idempotencyKey: String?
    private let body: [UInt8]

    package var digest: [UInt8] { SHA256.hash(body) }

    package enum Warning: String, Equatable, Sendable {
        case silentPriority = "A silent push has priority 5; 'high' was lowered."
        case silentRate = "Apple drops silent pushes beyond two or three an hour for a device."
        case alertNotJSON = "'alert' begins like a JSON object but is not one; it is shown as text."
        case noActionButton = "'showActionButton' has no key in Apple's payload any more; it was left out."
        case customTaken = "A member of 'customParameter' has the name of another property and was left out."
    }

    /// Queue of the first attempt; retries go last.
    package var firstLane: Lane { priority == .immediate || priority == nil ? .normal : .background }
    package static let retryLane = Lane.background
    /// Then it is a dead letter.
    package static let attemptCountMax = 3
    package static let deviceCountMax = 1_000

    private static let names = ["notification", "topic", "devices", IdempotencyKey.name]

    /// - Parameter now: seconds since 1970.
    /// - Throws: `.plainText` unless the tenant may send it, `.invalidFields`, `.payloadTooLarge`.
    package init(
        _ request: APIRequest,
        _ value: JSONValue,
        allowsClearText: Bool,
        isApp: (BundleID) -> Bool,
        now: Int64
    ) throws(Problem) {
        guard allowsClearText else {
            throw Problem(
                .plainText,
                "This route sends clear text, which every server on the way can read; the tenant's 'allows-clear-text'"
                    + " is off. Seal the content and use POST /v1/notifications; \(Problem.sealingAdvice)."
            )
        }
        let faults = FieldErrors()
        guard let reader = ObjectReader(value, at: .root, names: Self.names, faults: faults) else {
            throw Problem(faults.all)
        }
        let topic = reader.text("topic", 1...155, "the bundle id of one of the tenant's apps", isRequired: true) {
            (try? BundleID($0)).map(isApp) ?? false
        }
        let devices = Self.devices(reader)
        let key = IdempotencyKey.read(request, reader)
        let properties = reader.value("notification", "an object of properties", isRequired: true)
            .flatMap { SAPProperties($0, at: reader.place("notification"), faults, now: now) }
        guard faults.all.isEmpty, let properties, let bundleID = topic.flatMap({ try? BundleID($0) }) else {
            throw Problem(faults.all)
        }
        self.bundleID = bundleID
        self.devices = devices
        pushType = properties.pushType
        self.topic = try Self.topic(bundleID, properties)
        priority = properties.priority
        expiration = properties.expiration
        payload = try Self.payload(properties)
        warnings = properties.warnings
        idempotencyKey = key
        body = request.body
    }

    private static func devices(_ reader: ObjectReader) -> [DeviceID] {
        let elements = reader.elements("devices", 1...deviceCountMax, of: "devices' ids", isRequired: true) ?? []
        var seen: Set<String> = []
        return elements.compactMap { element in
            if let text = element.value.string, Identifier.isValid(text), seen.insert(text).inserted,
                let id = try? DeviceID(text)
            {
                return id
            }
            let problem = "expected a device's id, 1 to 64 of A-Z a-z 0-9 - _, each once"
            reader.faults.add(.wrong, element.path, at: element.value.offset, problem)
            return nil
        }
    }

    /// An `apns.topic` may only repeat the app's own.
    private static func topic(_ bundleID: BundleID, _ properties: SAPProperties) throws(Problem) -> Topic {
        let text = bundleID.text
        let full = text + properties.pushType.topicSuffix
        if let asked = properties.topic, asked != text, asked != full {
            let detail = "expected the bundle id in 'topic', with or without the push type's suffix, or nothing"
            throw Self.problem("/notification/apns/topic", detail)
        }
        let topic: Topic
        do throws(APNSError) {
            topic = try Topic(bundleID: text).appendingSuffix(of: properties.pushType)
        } catch {
            throw Problem(.invalidFields, "The bundle id is too long for a topic of this push type.")
        }
        // Its topic belongs to no app: device management, for example.
        guard topic.fits(properties.pushType) else {
            throw Self.problem(
                "/notification/apns/pushType",
                "MDM goes to a management certificate's topic; leave it out"
            )
        }
        return topic
    }

    private static func problem(_ pointer: String, _ detail: String) -> Problem {
        var problem = Problem(.invalidFields, "Correct each field listed here and send the request again.")
        problem.fields = [Problem.Field(pointer: pointer, detail: detail)]
        return problem
    }

    /// Applies Apple's rules in `PushPayload`.
    private static func payload(_ properties: SAPProperties) throws(Problem) -> [UInt8] {
        let bytes = JSONWriter.bytes(of: properties.payload)
        let byteCountMax = properties.pushType.payloadByteCountMax
        do throws(PayloadError) {
            guard bytes.count <= byteCountMax else {
                throw .tooLarge(byteCount: bytes.count, byteCountMax: byteCountMax)
            }
            return try PushPayload(json: bytes).bytes(for: properties.pushType)
        } catch .tooLarge(let byteCount, let byteCountMax) {
            var problem = Problem(
                .payloadTooLarge,
                "The payload has \(byteCount) bytes, \(byteCount - byteCountMax) more than the \(byteCountMax) that Apple"
                    + " allows; shorten 'data' or the alert."
            )
            problem.byteCount = byteCount
            problem.byteCountMax = byteCountMax
            throw problem
        } catch .nothingToShow {
            throw Problem(
                .invalidFields,
                "There is nothing to show: write 'alert', 'badge' or 'sound', or for a silent push 'contentAvailable' in 'apns'."
            )
        } catch {
            throw Problem(.invalidFields, "Apple would refuse it: \(error.description)")
        }
    }
}
