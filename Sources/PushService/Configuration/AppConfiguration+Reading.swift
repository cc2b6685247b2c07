import APNS
import Envelope
import ServiceParts

extension AppConfiguration {
    private static let names = [
        "bundle-id", "environment", "credential", "endpoint", "placeholder", "receipts", "fallback",
        "gateway",
    ]

    init?(_ value: JSONValue, at path: FieldPath, _ faults: FieldErrors) {
        guard let reader = ObjectReader(value, at: path, names: Self.names, faults: faults) else { return nil }
        let expected = "the app's bundle id, 1 to 155 letters, digits, hyphens and periods, without a topic's suffix"
        let bundleID = reader.text("bundle-id", 1...155, expected, isRequired: true) { (try? BundleID($0)) != nil }
        let environment: APNSEnvironment? = reader.choice("environment", isRequired: true)
        let credential = Self.credential(reader)
        let endpoint = Self.endpoint(reader)
        let feedback = Self.feedback(reader)
        let placeholder = Self.placeholder(reader)
        let receipts = reader.flag("receipts") ?? false
        let fallback = reader.object("fallback", names: FallbackConfiguration.names)
            .flatMap { FallbackConfiguration($0) }
        if fallback != nil, !receipts {
            let problem = "a fallback needs receipts; set \"receipts\" to true, or leave the fallback out"
            faults.add(.wrong, reader.place("fallback"), at: reader.object["fallback"]?.offset ?? 0, problem)
        }
        guard let bundleID = bundleID.flatMap({ try? BundleID($0) }), let environment, let credential, let placeholder
        else { return nil }
        self.bundleID = bundleID
        self.environment = environment
        self.credential = credential
        self.endpoint = endpoint
        self.feedback = feedback
        self.placeholder = placeholder
        takesReceipts = receipts
        self.fallback = fallback
        gateway = Self.gateway(reader)
    }

    private static func gateway(_ reader: ObjectReader) -> GatewayConfiguration? {
        let form =
            "an origin such as https://push.example.com, in lower case and without ':443', under which servers reach"
            + " this service"
        let object = reader.object(
            "gateway",
            names: ["origin", "allows-aesgcm", "pushes-per-second", "enrolment"]
        )
        let origin = object?.text("origin", 9...255, form, isRequired: true) { text in
            // As servers write it in their tokens (RFC 6454 section 6.2).
            text == text.lowercased() && !text.hasSuffix(":443") && !text.hasSuffix("/")
                && WebhookTarget(text)?.path == "/"
        }
        let allowsDraftCoding = object?.flag("allows-aesgcm") ?? false
        let enrolment = object?.object("enrolment", names: EnrolmentRule.names).flatMap { EnrolmentRule($0) }
        let rate = object?.integer("pushes-per-second", in: 1...1_000_000) ?? 500
        return origin.map {
            GatewayConfiguration(
                origin: $0,
                allowsDraftCoding: allowsDraftCoding,
                pushesPerSecond: Int(rate),
                enrolment: enrolment
            )
        }
    }

    private static func credential(_ reader: ObjectReader) -> Credential? {
        let names = ["key-file", "key-id", "team-id", "certificate-file", "password-file", "feedback"]
        guard let object = reader.object("credential", names: names, isRequired: true) else { return nil }
        let hasKey = object.object["key-file"] != nil
        guard hasKey != (object.object["certificate-file"] != nil) else {
            let problem = "write \"key-file\" with \"key-id\" and \"team-id\", or \"certificate-file\"; not both"
            reader.faults.add(.wrong, object.path, at: object.object.offset, problem)
            return nil
        }
        let out = hasKey ? ["password-file", "feedback"] : ["key-id", "team-id"]
        for name in out {
            guard let value = object.object[name] else { continue }
            let problem = "belongs to the other kind of credential; leave it out"
            object.faults.add(.wrong, object.place(name), at: value.offset, problem)
        }
        guard hasKey else {
            let passwordFile = object.file("password-file")
            return object.file("certificate-file").map { .certificate(file: $0, passwordFile: passwordFile) }
        }
        let ten = "10 letters and digits, as Apple shows them"
        let file = object.file("key-file")
        let keyID = object.text("key-id", 10...10, ten, isRequired: true) { (try? KeyID($0)) != nil }
        let teamID = object.text("team-id", 10...10, ten, isRequired: true) { (try? TeamID($0)) != nil }
        guard let file, let keyID = keyID.flatMap({ try? KeyID($0) }), let teamID = teamID.flatMap({ try? TeamID($0) })
        else { return nil }
        return .key(file: file, keyID: keyID, teamID: teamID)
    }

    private static func feedback(_ reader: ObjectReader) -> Feedback? {
        // `credential` reports the object's own faults.
        guard let credential = reader.object["credential"], let member = credential["feedback"] else { return nil }
        let path = FieldPath.member(reader.place("credential"), "feedback")
        let names = ["host", "port"]
        guard let object = ObjectReader(member, at: path, names: names, faults: reader.faults) else { return nil }
        let host = object.text("host", 1...253, "a host name or an address", isRequired: true) {
            WebhookTarget.isHost($0)
        }
        let port = object.integer("port", in: 1...65_535, isRequired: true)
        guard let host, let port else { return nil }
        return Feedback(host: host, port: UInt16(port))
    }

    private static func endpoint(_ reader: ObjectReader) -> Endpoint? {
        let names = ["host", "port", "authorities-file"]
        guard let object = reader.object("endpoint", names: names) else { return nil }
        let expected = "a host name or an address"
        let host = object.text("host", 1...253, expected, isRequired: true) { WebhookTarget.isHost($0) }
        let port = object.integer("port", in: 1...65_535, isRequired: true)
        let file = object.file("authorities-file", isRequired: true)
        guard let host, let port, let file else { return nil }
        return Endpoint(host: host, port: UInt16(port), authoritiesFile: file)
    }

    private static func placeholder(_ reader: ObjectReader) -> Placeholder? {
        let names = ["title", "body", "loc-key"]
        guard let object = reader.object("placeholder", names: names, isRequired: true) else { return nil }
        let words = "text without NUL"
        let title = object.text("title", 0...Placeholder.byteCountMax, words)
        let body = object.text("body", 0...Placeholder.byteCountMax, words)
        let key = object.text("loc-key", 1...Placeholder.byteCountMax, "a key of Localizable.strings")
        do throws(PlaceholderError) {
            if let key, title == nil, body == nil { return try Placeholder(localizationKey: key) }
            if key == nil, title != nil || body != nil {
                return try Placeholder(title: title ?? "", body: body ?? "")
            }
        } catch {
            let problem: String
            switch error {
            case .empty: problem = "the text is empty, and iOS would show nothing; write one"
            case .containsNUL: problem = "NUL cannot be shown; remove it"
            case .tooLong(let byteCount, let byteCountMax):
                problem = "\(byteCount) bytes of JSON, and the limit is \(byteCountMax); shorten it"
            }
            object.faults.add(.wrong, object.path, at: object.object.offset, problem)
            return nil
        }
        object.faults.add(
            .wrong,
            object.path,
            at: object.object.offset,
            "write \"loc-key\" alone, or \"title\" and \"body\" or one of them"
        )
        return nil
    }
}
