import Envelope
package import ServiceParts

extension ServiceConfiguration {
    /// Room for many thousand tenants.
    package static let byteCountMax = 4 * 1_024 * 1_024
    package static let tenantCountMax = 1_000
    static let parserLimits = JSONParser.Limits(byteCountMax: byteCountMax, depthMax: 12, allowsFractions: true)

    /// - Throws: the faults, 32 at most, with line and column, field, and advice.
    package init(file: [UInt8], environment: [String: String] = [:]) throws(ConfigurationErrors) {
        let document: JSONValue
        do throws(JSONError) {
            document = try JSONParser.parse(file, limits: Self.parserLimits)
        } catch {
            let place = Self.place(error.offset, in: file)
            throw ConfigurationErrors(faults: [
                ConfigurationError(place: place, pointer: "", problem: error.reason.description)
            ])
        }
        var environmentFaults: [ConfigurationError] = []
        let whole = ConfigurationEnvironment.apply(environment, to: document, faults: &environmentFaults)
        let faults = FieldErrors()
        let configuration = Self.read(whole, faults)
        let all = environmentFaults + faults.all.map { Self.fault($0, in: file) }
        guard all.isEmpty, let configuration else {
            throw ConfigurationErrors(faults: Array(all.prefix(FieldErrors.countMax)))
        }
        self = configuration
    }

    private static func fault(_ fault: FieldError, in file: [UInt8]) -> ConfigurationError {
        ConfigurationError(
            place: place(fault.offset, in: file),
            pointer: fault.path.pointer,
            problem: fault.problem
        )
    }

    static func place(_ offset: Int, in file: [UInt8]) -> ConfigurationError.Place {
        if let variable = ConfigurationEnvironment.variable(at: offset) { return .environment(variable.name) }
        let position = JSONError.position(of: max(0, offset), in: file)
        return .file(line: position.line, column: position.column)
    }

    static let names = [
        "listen", "loopback-port", "socket", "proxies", "tls", "database-file", "database", "token-key-file", "tenants",
        "limits", "spans", "dashboard",
    ]

    private static func read(_ document: JSONValue, _ faults: FieldErrors) -> ServiceConfiguration? {
        guard let reader = ObjectReader(document, at: .root, names: names, faults: faults) else { return nil }
        let listens = listens(reader)
        let loopback = reader.integer("loopback-port", in: 0...65_535)
        let socket = reader.object("socket", names: SocketFile.Place.names).flatMap { SocketFile.Place($0) }
        let proxies = reader.object("proxies", names: ProxyConfiguration.names).map { ProxyConfiguration($0) }
        let tls = tls(reader)
        let database = database(reader)
        let tokenKey = reader.file("token-key-file", isRequired: true)
        var limits = ServiceLimits()
        let limitNames = ServiceLimits.settings.map(\.name)
        if let object = reader.object("limits", names: limitNames) { limits.read(object) }
        let spans = reader.object("spans", names: SpanCollector.names).flatMap { SpanCollector($0) }
        let dashboard = reader.object("dashboard", names: DashboardConfiguration.names)
            .flatMap { DashboardConfiguration($0) }
        let elements = reader.elements("tenants", 1...tenantCountMax, of: "tenants", isRequired: true) ?? []
        var tenants: [TenantConfiguration] = []
        for element in elements {
            guard let tenant = TenantConfiguration(element.value, at: element.path, faults) else { continue }
            tenants.append(tenant)
        }
        findDoubles(elements, faults)
        findDoubles(listens ?? [], loopback, reader)
        guard let listens, let tls, let database, let tokenKey, faults.all.isEmpty else { return nil }
        return ServiceConfiguration(
            listens: listens,
            loopbackPort: loopback.map { UInt16($0) },
            socket: socket,
            proxies: proxies,
            tls: tls,
            database: database,
            tokenKeyFile: tokenKey,
            tenants: tenants,
            limits: limits,
            spans: spans,
            dashboard: dashboard
        )
    }

    private static func listens(_ reader: ObjectReader) -> [Listen]? {
        guard let elements = reader.elements("listen", 1...16, of: "listeners", isRequired: true) else { return nil }
        return elements.compactMap { element in
            guard
                let object = ObjectReader(
                    element.value,
                    at: element.path,
                    names: ["address", "port"],
                    faults: reader.faults
                )
            else { return nil }
            let expected = "an address such as \"0.0.0.0\" or \"::1\""
            let address = object.text("address", 2...45, expected, isRequired: true) { IPAddress($0) != nil }
            let port = object.integer("port", in: 0...65_535, isRequired: true)
            guard let address, let port else { return nil }
            return Listen(address: address, port: UInt16(port))
        }
    }

    private static func tls(_ reader: ObjectReader) -> TLSFiles? {
        let names = ["certificate-file", "key-file"]
        guard let object = reader.object("tls", names: names, isRequired: true) else { return nil }
        let certificate = object.file("certificate-file", isRequired: true)
        let key = object.file("key-file", isRequired: true)
        guard let certificate, let key else { return nil }
        return TLSFiles(certificateFile: certificate, keyFile: key)
    }

    private static func database(_ reader: ObjectReader) -> DatabasePlace? {
        let name = "database"
        guard let member = reader.object[name] else {
            return reader.file("database-file", isRequired: true).map { .file($0) }
        }
        guard reader.object["database-file"] == nil else {
            let problem = "there is a 'database-file' too; keep one of the two"
            reader.faults.add(.wrong, reader.place(name), at: member.offset, problem)
            return nil
        }
        return reader.object(name, names: DatabaseServer.names).flatMap { DatabaseServer($0) }.map { .server($0) }
    }

    /// The second listener would fail as if another program had the port.
    private static func findDoubles(_ listens: [Listen], _ loopback: Int64?, _ reader: ObjectReader) {
        func overlap(_ one: String, _ other: String) -> Bool {
            one == other
                || [one, other].contains { any in
                    any == "0.0.0.0" && !one.contains(":") && !other.contains(":")
                        || any == "::" && one.contains(":") && other.contains(":")
                }
        }
        func fault(_ name: String, _ sentence: String) {
            reader.faults.add(.wrong, reader.place(name), at: reader.object[name]?.offset ?? 0, sentence)
        }
        for (index, one) in listens.enumerated() where one.port != 0 {
            if listens[..<index].contains(where: { $0.port == one.port && overlap($0.address, one.address) }) {
                fault("listen", "two of them would have port \(one.port); give each its own, or remove one")
            }
            if loopback == Int64(one.port), overlap(one.address, "127.0.0.1") {
                fault("loopback-port", "one of 'listen' has this port of 127.0.0.1; choose another (0: any)")
            }
        }
    }

    /// Checks uniqueness, also in tenants with other faults.
    private static func findDoubles(_ tenants: [(value: JSONValue, path: FieldPath)], _ faults: FieldErrors) {
        var ids = Doubles("give each tenant its own")
        var hashes = Doubles("make a key for each")
        var enrolling = Doubles("an enrolling device names no tenant, so one of them alone may have 'enrolment'")
        var keyCount = 0
        for tenant in tenants {
            for (index, app) in (tenant.value["apps"]?.elements ?? []).enumerated() {
                guard let rule = app["gateway"]?["enrolment"] else { continue }
                let path = FieldPath.element(.member(tenant.path, "apps"), index)
                let texts = [app["bundle-id"]?.string, app["environment"]?.string]
                enrolling.note(texts, of: rule, at: .member(.member(path, "gateway"), "enrolment"), faults)
            }
            ids.note("id", of: tenant, faults)
            for (index, key) in (tenant.value["keys"]?.elements ?? []).enumerated() {
                hashes.note("hash", of: (key, .element(.member(tenant.path, "keys"), index)), faults)
                keyCount += 1
            }
        }
        guard keyCount > AccessTable.rowCountMax, let first = tenants.first else { return }
        let problem = "more than \(AccessTable.rowCountMax) keys in all; remove those not in use"
        faults.add(.wrong, .member(.root, "tenants"), at: first.value.offset, problem)
    }
}
