package import Networking

extension Arguments {
    /// Parses "localhost:8443", "[::1]:8443".
    package func hostAndPort(_ name: String) throws(CommandError) -> (host: String, port: UInt16) {
        let text = try required(name)
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
            throw wrong("\(name) must be a host and a port, such as localhost:2197")
        }
        let host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        guard !host.isEmpty else { throw wrong("\(name): the host is missing") }
        return (String(isBracketed ? host.dropFirst().dropLast() : host), port)
    }

    package func port(_ name: String, default standard: UInt16) throws(CommandError) -> UInt16 {
        guard let text = value(name) else { return standard }
        guard let port = UInt16(text) else {
            throw wrong("\(name) must be a number from 0 to 65535; 0 lets the system choose")
        }
        return port
    }

    /// Trusted authorities: the system's, or a file's.
    package func trust() throws(CommandError) -> TLSTrust {
        guard let path = value("--ca") else { return .system }
        return .pem(try readInput(path, byteCountMax: 1 << 20))
    }
}
