import Networking

/// Errors' own words, made safe, with the option that helps.
extension TransportError {
    package var sentence: String {
        if case .tls(let error) = self { return error.sentence }
        return TerminalText.safe(description)
    }
}

extension TLSError {
    package var sentence: String {
        switch self {
        case .unknownAuthority:
            "the server's certificate is from an unknown authority; pass its CA with --ca if you trust it"
        default: TerminalText.safe(description)
        }
    }
}
