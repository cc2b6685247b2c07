/// The library's words for a failed connect. They name host, port and code, and no contents.
enum ConnectText {
    private static let countMax = 300

    static func error(_ text: String) -> PostgreSQLError {
        let lines = text.split(separator: "\n")
        for line in lines {
            // `FATAL:  28P01`, the first word in the server's language.
            guard let code = line.split(separator: " ").last.flatMap({ SQLState($0) }), line.hasSuffix(":  \(code)")
            else { continue }
            return ServerReport(severity: "FATAL", state: code).error
        }
        let line = lines.first ?? ""
        let words = String(line.prefix(countMax).map { $0.isASCII && !$0.isNewline && $0 >= " " ? $0 : "?" })
        let isInsecure = ["certificate", "does not support SSL"].contains { line.contains($0) }
        return isInsecure ? .broken(.insecure(words)) : .notDone(.unreachable(words))
    }
}
