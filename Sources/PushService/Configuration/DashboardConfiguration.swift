import Envelope
import ServiceParts

/// Listener of the page for operators.
package struct DashboardConfiguration: Equatable, Sendable {
    /// Literal address, for HTTPS; nil: plain HTTP on 127.0.0.1.
    package let address: String?
    /// 0 lets the system choose.
    package let port: UInt16
    /// Names in the browser's address bar, in lower case, without ports; IPv6 in brackets.
    package let hosts: [String]

    static let names = ["address", "port", "hosts"]
    private static let expectedHost = "a host's name in lower case without a port, such as push.example.com"

    /// Nil after a fault.
    init?(_ reader: ObjectReader) {
        let expected = "an address such as \"0.0.0.0\" or \"::1\""
        let address = reader.text("address", 2...45, expected) { IPAddress($0) != nil }
        let port = reader.integer("port", in: 0...65_535, isRequired: true)
        var hosts = Self.ownHosts(address)
        if let elements = reader.elements("hosts", 1...16, of: "hosts") {
            for element in elements {
                guard let host = element.value.string, Self.isHost(host) else {
                    reader.faults.add(.wrong, element.path, at: element.value.offset, "expected \(Self.expectedHost)")
                    return nil
                }
                hosts.append(host)
            }
        }
        guard let port else { return nil }
        guard !hosts.isEmpty else {
            let problem = "missing; name the hosts under which browsers open the page: \(Self.expectedHost)"
            reader.faults.add(.missing, reader.place("hosts"), at: reader.object.offset, problem)
            return nil
        }
        self.address = address
        self.port = UInt16(port)
        self.hosts = hosts
    }

    /// Names of this machine, and an address that is one. Another name may be rebound to this machine.
    private static func ownHosts(_ address: String?) -> [String] {
        switch address {
        case nil, "127.0.0.1": ["127.0.0.1", "localhost"]
        case "::1": ["[::1]", "localhost"]
        case "0.0.0.0", "::": []
        case let other?: [other.contains(":") ? "[\(other.lowercased())]" : other]
        }
    }

    private static func isHost(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "."): true
                default: false
                }
            }
    }
}
